package training

import (
	"context"
	"fmt"
	"time"

	"tirage/draw"
	"tirage/game"
)

// Draw moves the time of training on to the next draw of a game, which is drawn,
// settled and certified as any other; while no draw is on sale, to when sales
// open. All terminals in training have the same time. Refusals: [ErrNoDraw],
// [tirage/central.ErrUnknownGame].
func (d Desk) Draw(ctx context.Context, code game.Code) error {
	d.room.moving.Lock()
	defer d.room.moving.Unlock()
	status, err := d.Sys.Status(code)
	if err != nil {
		return err
	}
	at := status.NextOpensAt
	if len(status.Open) > 0 {
		at = status.Open[0].DrawsAt
	}
	for _, v := range status.Closed { // the oldest first
		if v.State == draw.Closed {
			at = v.DrawsAt
			break
		}
	}
	if at.IsZero() {
		return fmt.Errorf("%w: %s", ErrNoDraw, code)
	}
	return d.moveTo(ctx, at)
}

// Morning moves the time of training on to the next morning, when the prizes of
// the day are payable (IAT-7, AMI-11.2). Refusal: [tirage/central.ErrUnknownGame].
func (d Desk) Morning(ctx context.Context) error {
	d.room.moving.Lock()
	defer d.room.moving.Unlock()
	var at time.Time
	for _, code := range d.Sys.Games() {
		r, err := d.Sys.Rules(code)
		if err != nil {
			return err
		}
		morning := (draw.DayOf(r, d.Sys.Now()) + 1).At(r.Claims.MorningAt, r.Calendar.Zone)
		if morning.After(at) {
			at = morning
		}
	}
	return d.moveTo(ctx, at)
}

// moveTo moves the time on and has done what is due until then.
func (d Desk) moveTo(ctx context.Context, at time.Time) error {
	d.room.clock.moveTo(at)
	_, err := d.Sys.Tick(context.WithoutCancel(ctx))
	return err
}
