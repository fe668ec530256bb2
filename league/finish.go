package league

import (
	"context"
	"errors"

	"croupier/messages"
	"croupier/messages/bus"
)

// Finish has the newest weights frozen and played against every reference
// (Config.FinalSets) and, for the gate, against the best. It returns when the
// results are in and the ladder with them is published, or with the error of ctx
// when that ends first. It needs Run to be at work.
func (l *League) Finish(ctx context.Context) error {
	done := make(chan struct{})
	select {
	case l.finish <- done:
	case <-l.stopped:
		return errors.New("league: finish: it is no longer running")
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-done:
		return nil
	case <-l.stopped:
		return errors.New("league: stopped before the last matches were played")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// beginFinish looks up the newest weights itself: the watch may not have told of
// them yet.
func (l *League) beginFinish(ctx context.Context, done chan struct{}) error {
	l.waiting = append(l.waiting, done)
	key := messages.PointerKey(messages.LearningAgent)
	e, err := l.o.Bus.State().Get(ctx, key)
	if err == nil {
		var p *messages.Pointer
		if p, err = decodePointer(key, e.Value); err == nil {
			if err := l.step(ctx, pointerMoved{p}); err != nil {
				return err
			}
		}
	}
	if err != nil && !errors.Is(err, bus.ErrNotFound) {
		l.log.Warn("finishing with the weights that are known", "key", key, "error", err)
	}
	return l.step(ctx, finish{})
}
