package main

import (
	"context"
	"errors"
	"fmt"

	"tirage/central"
	"tirage/game"
	"tirage/money"
)

// demoInstant is the instant game of the demo and of benchmarks.
const demoInstant game.Code = "ile-au-tresor-instant"

// newOfficer makes an officer with a password that is his own: the first one would have to be changed.
func newOfficer(ctx context.Context, sys *central.System, by, key, login, password string) (id string, err error) {
	first := password + "-first"
	o, err := sys.PutOfficer(ctx, central.PutOfficer{Key: key, By: by, Login: login, Password: first, Roles: []string{"all"}})
	if err != nil {
		return "", err
	}
	return o.ID, sys.ChangePassword(ctx, central.ChangePassword{Key: key + "/password", Officer: o.ID, Old: first, New: password})
}

// commitSecrets commits both officers' secrets for so many pools of a price: in
// a real lottery two people do. With the same key again it does nothing.
func commitSecrets(ctx context.Context, sys *central.System, officers [2]string, key string, price money.Amount, pools int) error {
	for i, officer := range officers {
		c := central.CommitSecrets{
			Key: fmt.Sprintf("%s/%d/%d", key, price, i), Officer: officer, Game: demoInstant, Price: price, Count: pools,
		}
		if _, err := sys.CommitSecrets(ctx, c); err != nil {
			return fmt.Errorf("secrets of officer %d: %w", i+1, err)
		}
	}
	return nil
}

// launch opens the instant game to its players, unless it is open or was suspended.
func launch(ctx context.Context, sys *central.System, officer, key string) error {
	v, err := sys.Instant(demoInstant)
	if err != nil || v.State != central.Unlaunched {
		return err
	}
	err = sys.Launch(ctx, central.GameAct{Key: key, Officer: officer, Game: demoInstant})
	if errors.Is(err, central.ErrGameState) { // it was, by another
		return nil
	}
	return err
}
