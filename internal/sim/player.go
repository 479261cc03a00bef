package sim

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/rng"
)

// PlayerPassword is that of simulated players, who do not sign on.
const PlayerPassword = "simulated-players"

// mailDomain is where simulated players have their addresses: nobody reads them (RFC 2606).
const mailDomain = "@simulated.example"

// Simulates tells whether a message is to a simulated player.
func Simulates(m central.Message) bool { return strings.HasSuffix(m.To, mailDomain) }

// Enrol opens the accounts of so many simulated players by the way that every
// player takes: they sign up, confirm their addresses by the message sent, and
// an officer checks who they are. Those that are there already are found again.
// It returns their ids. Messages to others are given to post.
func Enrol(ctx context.Context, sys *central.System, officer string, count int, post func(context.Context, central.Message) error) (ids []string, err error) {
	ids = make([]string, count)
	g, signing := errgroup.WithContext(ctx)
	g.SetLimit(8) // each hashes a password
	for i := range ids {
		g.Go(func() error {
			if ids[i], err = find(signing, sys, addressOf(i)); err != nil || ids[i] != "" {
				return err
			}
			return sys.SignUp(signing, aSignUp(i, sys.AccountRules().Version))
		})
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("sign up simulated players: %w", err)
	}
	if _, err := sys.SendMessages(ctx, func(ctx context.Context, m central.Message) error {
		if !Simulates(m) {
			return post(ctx, m)
		}
		return confirm(ctx, sys, m)
	}); err != nil {
		return nil, fmt.Errorf("confirm simulated players: %w", err)
	}
	for i := range ids {
		if ids[i] != "" {
			continue
		}
		if ids[i], err = find(ctx, sys, addressOf(i)); err != nil {
			return nil, err
		}
		check := central.CheckIdentity{Key: "sim/player/" + ids[i], Officer: officer, Player: ids[i], Confirmed: true, Reason: "simulated"}
		if err := sys.CheckIdentity(ctx, check); err != nil {
			return nil, fmt.Errorf("identity of simulated player %d: %w", i, err)
		}
	}
	return ids, nil
}

func addressOf(i int) string { return fmt.Sprintf("player-%d%s", i+1, mailDomain) }

func aSignUp(i int, terms string) central.SignUp {
	return central.SignUp{
		Key: "sim", Password: PlayerPassword, Terms: terms,
		Person: central.Person{
			Email: addressOf(i), FirstName: "Simulated", LastName: fmt.Sprintf("Player %d", i+1), BirthDay: game.NewDay(1980, 1, 1),
			BirthPlace: "Nowhere", Lang: "fr",
		},
	}
}

// confirm follows the link of a message.
func confirm(ctx context.Context, sys *central.System, m central.Message) error {
	_, after, _ := strings.Cut(m.Body, central.ConfirmPath+"?jeton=")
	token, err := url.QueryUnescape(strings.Fields(after + " ?")[0])
	if err != nil {
		return err
	}
	return sys.ConfirmEmail(ctx, token)
}

// find is the id of who has an address; empty when nobody has.
func find(ctx context.Context, sys *central.System, address string) (string, error) {
	list, err := sys.FindPlayers(ctx, address, 100)
	for _, v := range list {
		if v.Person.Email == address {
			return v.ID, nil
		}
	}
	return "", err
}

// Gambler is a simulated player of instant games. One goroutine uses it at a time.
type Gambler struct {
	sys    *central.System
	id     string
	choose *rng.Stream
	played int
	key    string // of its plays: no two gamblers have the same at any time
}

// NewGambler is a simulated player who chooses by a seed.
func NewGambler(sys *central.System, id string, seed rng.Seed) *Gambler {
	return &Gambler{sys: sys, id: id, choose: rng.NewStream(seed, "gambler/"+id), key: fmt.Sprintf("%016x", sys.Now().UnixMicro())}
}

// Play plays until ctx ends, after pauses of up to twice the time given, and
// deposits demo money when there is too little.
func (g *Gambler) Play(ctx context.Context, code game.Code, pause time.Duration) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(g.choose.Below(uint64(2 * pause)))):
		}
		if err := g.step(ctx, code); err != nil && ctx.Err() == nil {
			return fmt.Errorf("player %s: %w", g.id, err)
		}
	}
}

// gamblerDeposit is what a simulated player deposits at a time.
const gamblerDeposit = 20_00

func (g *Gambler) step(ctx context.Context, code game.Code) error {
	g.played++
	key := fmt.Sprintf("%s/%08d", g.key, g.played)
	v, err := g.sys.Instant(code)
	if err != nil {
		return err
	}
	price := v.Prices[g.choose.Below(uint64(len(v.Prices)))]
	switch {
	case v.State != central.Launched || price.Pool == 0:
		return nil // nothing to play
	case g.sys.PlayerBalance(g.id) < price.Table.Price:
		_, err = g.sys.DepositDemo(ctx, key, g.id, money.Amount(gamblerDeposit))
	default:
		_, err = g.sys.Play(ctx, central.PlayUnit{Key: key, Player: g.id, Game: code, Price: price.Table.Price})
	}
	if Refused(err) {
		return nil
	}
	return err
}
