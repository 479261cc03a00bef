package sim

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/rng"
)

// mailDomain is where simulated players have their addresses: nobody reads them (RFC 2606).
const mailDomain = "@simulated.example"

// Newcomer is who opens an account.
type Newcomer struct{ Email, Password, FirstName, LastName string }

// Simulated is the simulated player of a number, who never signs on. His name
// has letters for its digits: nobody's has digits.
func Simulated(number int) Newcomer {
	name := strings.Map(func(digit rune) rune { return 'A' + digit - '0' }, strconv.Itoa(number))
	return Newcomer{fmt.Sprintf("player-%d%s", number, mailDomain), "simulated-players", "Simulated", "Player " + name}
}

// Enrol opens accounts by the way that every player takes: he signs up, confirms
// his address by the message sent, and an officer checks who he is. Those that
// are there already are found again. It returns their ids. Messages to others are given to post.
func Enrol(ctx context.Context, sys *central.System, officer string, people []Newcomer, post func(context.Context, central.Message) error) (ids []string, err error) {
	ids = make([]string, len(people))
	g, signing := errgroup.WithContext(ctx)
	g.SetLimit(8) // each hashes a password
	for i, p := range people {
		g.Go(func() (err error) {
			if ids[i], err = find(signing, sys, p.Email); err != nil || ids[i] != "" {
				return err
			}
			return sys.SignUp(signing, p.signUp(sys.AccountRules().Version))
		})
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("sign players up: %w", err)
	}
	if _, err := sys.SendMessages(ctx, func(ctx context.Context, m central.Message) error {
		if i := slices.IndexFunc(people, func(p Newcomer) bool { return p.Email == m.To }); i >= 0 {
			return confirm(ctx, sys, m, people[i].Password)
		}
		return post(ctx, m)
	}); err != nil {
		return nil, fmt.Errorf("confirm players' addresses: %w", err)
	}
	for i, p := range people {
		if ids[i] != "" {
			continue
		}
		switch ids[i], err = find(ctx, sys, p.Email); {
		case err != nil:
			return nil, err
		case ids[i] == "": // its message went to nobody before, and waits to be sent again
			return nil, fmt.Errorf("the address %s is not confirmed yet", p.Email)
		}
		check := central.CheckIdentity{Key: "sim/" + ids[i], Officer: officer, Player: ids[i], Confirmed: true, Reason: "simulated"}
		if err := sys.CheckIdentity(ctx, check); err != nil {
			return nil, fmt.Errorf("check the identity of %s: %w", ids[i], err)
		}
	}
	return ids, nil
}

func (p Newcomer) signUp(terms string) central.SignUp {
	return central.SignUp{
		Key: "sim", Password: p.Password, Terms: terms,
		Person: central.Person{
			Email: p.Email, FirstName: p.FirstName, LastName: p.LastName, BirthDay: game.NewDay(1980, 1, 1), BirthPlace: "Nantes", Lang: "fr",
		},
	}
}

// confirm follows the link of a message, with the password of the sign-up.
func confirm(ctx context.Context, sys *central.System, m central.Message, password string) error {
	_, after, _ := strings.Cut(m.Body, central.ConfirmPath+"?jeton=")
	token, _, _ := strings.Cut(after, "\n")
	token, err := url.QueryUnescape(token)
	if err != nil {
		return err
	}
	return sys.ConfirmEmail(ctx, token, password)
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
const gamblerDeposit = money.Amount(20_00)

func (g *Gambler) step(ctx context.Context, code game.Code) error {
	g.played++
	key := fmt.Sprintf("%s/%08d", g.key, g.played)
	v, err := g.sys.Instant(code)
	if err != nil {
		return err
	}
	price := v.Prices[g.choose.Below(uint64(len(v.Prices)))]
	switch {
	case v.Told() != central.Launched || price.Pool == 0:
		return nil // nothing to play
	case g.sys.PlayerBalance(g.id) < price.Table.Price:
		_, err = g.sys.DepositDemo(ctx, key, g.id, gamblerDeposit)
	default:
		_, err = g.sys.Play(ctx, central.PlayUnit{Key: key, Player: g.id, Game: code, Price: price.Table.Price})
	}
	if Refused(err) {
		return nil
	}
	return err
}
