package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/internal/sim"
	"tirage/money"
	"tirage/party"
)

// publishInstant: instant GAME. The rules of accounts come with it.
func (r *runner) publishInstant(words []string) (string, error) {
	if len(words) != 1 {
		return "", errUsage
	}
	book, err := instant.Book(game.Code(words[0]))
	if err != nil {
		if book, err = os.ReadFile(filepath.Join(r.folder, words[0]+".yaml")); err != nil {
			return "", err
		}
	}
	if r.sys.AccountRules() == nil {
		if _, err := r.sys.PublishAccounts(r.ctx, central.PublishRules{Key: r.actKey(), Officer: r.officer, Book: party.Book()}); err != nil {
			return "", err
		}
	}
	r.instant, err = r.sys.PublishInstant(r.ctx, central.PublishRules{Key: r.actKey(), Officer: r.officer, Book: book})
	return "", err
}

// officerOrFirst is an officer by name; "scenario" is the first.
func (r *runner) officerOrFirst(name string) (string, error) {
	if name == "scenario" {
		return r.officer, nil
	}
	return r.officerNamed(name)
}

// secrets: secrets OFFICER PRICE COUNT
func (r *runner) secrets(words []string) (string, error) {
	if len(words) != 3 || r.instant == nil {
		return "", errUsage
	}
	officer, err := r.officerOrFirst(words[0])
	if err != nil {
		return "", err
	}
	price, err := money.Parse(words[1])
	if err != nil {
		return "", err
	}
	count, err := strconv.Atoi(words[2])
	if err != nil {
		return "", err
	}
	first, err := r.sys.CommitSecrets(r.ctx, central.CommitSecrets{Key: r.actKey(), Officer: officer, Game: r.instant.Code, Price: price, Count: count})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("from pool %d on\n", first), r.sys.TendPools(r.ctx)
}

// launch: launch OFFICER
func (r *runner) launch(words []string) (string, error) {
	return r.gameAct(words, 1, r.sys.Launch)
}

// suspend: suspend OFFICER MESSAGE
func (r *runner) suspend(words []string) (string, error) {
	return r.gameAct(words, 2, r.sys.Suspend)
}

func (r *runner) gameAct(words []string, want int, act func(context.Context, central.GameAct) error) (string, error) {
	if len(words) != want || r.instant == nil {
		return "", errUsage
	}
	officer, err := r.officerOrFirst(words[0])
	if err != nil {
		return "", err
	}
	a := central.GameAct{Key: r.actKey(), Officer: officer, Game: r.instant.Code}
	if want == 2 {
		a.Message = game.Text{FR: words[1], EN: words[1]}
	}
	if err := act(r.ctx, a); err != nil {
		return "", err
	}
	return "", r.sys.TendPools(r.ctx)
}

// player: player NAME
func (r *runner) player(words []string) (string, error) {
	if len(words) != 1 || r.instant == nil {
		return "", errUsage
	}
	who := sim.Newcomer{Email: strings.ToLower(words[0]) + "@exemple.test", Password: "scenario-scenario", FirstName: words[0], LastName: "Scenario"}
	ids, err := sim.Enrol(r.ctx, r.sys, r.officer, []sim.Newcomer{who}, func(context.Context, central.Message) error { return errors.New("to nobody") })
	if err != nil {
		return "", err
	}
	r.players[words[0]] = ids[0]
	return "", nil
}

func (r *runner) playerNamed(name string) (string, error) {
	if id, ok := r.players[name]; ok {
		return id, nil
	}
	return "", fmt.Errorf("no player is called %q", name)
}

// playerSum reads a command of a player and a sum.
func (r *runner) playerSum(words []string, want int) (player string, sum money.Amount, err error) {
	if len(words) != want {
		return "", 0, errUsage
	}
	if player, err = r.playerNamed(words[0]); err != nil {
		return "", 0, err
	}
	sum, err = money.Parse(words[len(words)-1])
	return player, sum, err
}

// deposit: deposit PLAYER EUROS, of demo money
func (r *runner) deposit(words []string) (string, error) {
	player, sum, err := r.playerSum(words, 2)
	if err != nil {
		return "", err
	}
	_, err = r.sys.DepositDemo(r.ctx, r.actKey(), player, sum)
	return "", err
}

// limits: limit PLAYER stakes|deposits EUROS
func (r *runner) limits(words []string) (string, error) {
	player, sum, err := r.playerSum(words, 3)
	if err != nil {
		return "", err
	}
	l := central.SetLimits{Key: r.actKey(), Player: player}
	switch words[1] {
	case "stakes":
		l.Stakes = &sum
	case "deposits":
		l.Deposits = &sum
	default:
		return "", errUsage
	}
	return "", r.sys.SetLimits(r.ctx, l)
}

// exclude: exclude PLAYER DURATION
func (r *runner) exclude(words []string) (string, error) {
	if len(words) != 2 {
		return "", errUsage
	}
	player, err := r.playerNamed(words[0])
	if err != nil {
		return "", err
	}
	long, err := time.ParseDuration(words[1])
	if err != nil {
		return "", err
	}
	return "", r.sys.Exclude(r.ctx, central.Exclude{Key: r.actKey(), Player: player, For: long})
}

// play: play PLAYER PRICE [times N]. Each unit's board is read again, and its
// prize and place compared with the balance and with the units before.
func (r *runner) play(words []string) (string, error) {
	times := 1
	if len(words) == 4 && words[2] == "times" {
		var err error
		if times, err = strconv.Atoi(words[3]); err != nil {
			return "", err
		}
		words = words[:2]
	}
	player, price, err := r.playerSum(words, 2)
	if err != nil {
		return "", err
	}
	if err := r.sys.TendPools(r.ctx); err != nil { // as the scheduler does beside everything else
		return "", err
	}
	var pools []string
	for range times {
		before := r.sys.PlayerBalance(player)
		u, err := r.sys.Play(r.ctx, central.PlayUnit{Key: r.actKey(), Player: player, Game: r.instant.Code, Price: price})
		if err != nil {
			return told(pools), err
		}
		if err := r.checkUnit(u, before, r.sys.PlayerBalance(player)); err != nil {
			return "", fmt.Errorf("unit %d: %w", u.Record, err)
		}
		pools = append(pools, strconv.Itoa(u.Number))
	}
	return told(pools), nil
}

// told says how many units of which pools were played.
func told(pools []string) string {
	if len(pools) == 0 {
		return ""
	}
	return fmt.Sprintf("units %d   of pool %s\n", len(pools), strings.Join(slices.Compact(pools), " "))
}

// checkUnit checks what a unit says against the balance, and its board against its prize.
func (r *runner) checkUnit(u central.PlayedUnit, before, after money.Amount) error {
	if after != before.Sub(u.Price).Add(u.Prize) {
		return fmt.Errorf("at %s it wins %s: the balance was %s, and is %s", u.Price, u.Prize, before, after)
	}
	if u.Board != nil {
		table, err := r.instant.Table(u.Price)
		if err != nil {
			return err
		}
		if shown, err := instant.Read(table, *u.Board); err != nil || shown != u.Prize {
			return fmt.Errorf("it wins %s and shows %s: %w", u.Prize, shown, err)
		}
	}
	return instant.VerifyUnit(u.Root, u.Units, u.Leaf, u.Proof)
}

// onSale: sale PRICE
func (r *runner) onSale(words []string) (string, error) {
	if len(words) != 1 || r.instant == nil {
		return "", errUsage
	}
	price, err := money.Parse(words[0])
	if err != nil {
		return "", err
	}
	if err := r.sys.TendPools(r.ctx); err != nil {
		return "", err
	}
	v, err := r.sys.Instant(r.instant.Code)
	if err != nil {
		return "", err
	}
	for _, p := range v.Prices {
		if p.Table.Price != price {
			continue
		}
		if p.Pool == 0 {
			return fmt.Sprintf("%s   no unit   committed %d\n", v.State, p.Ahead), nil
		}
		return fmt.Sprintf("%s   pool %d   sold %d of %d   committed %d\n", v.State, p.Number, p.Sold, p.Units, p.Ahead), nil
	}
	return "", instant.ErrPrice
}
