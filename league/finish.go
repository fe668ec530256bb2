package league

import (
	"context"
	"errors"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
)

// finishing is a call of Finish.
type finishing struct {
	within time.Duration
	left   chan uint64
}

// Finish has the newest weights frozen and played against every reference
// (Config.FinalSets) and, for the gate, against the best. It returns when the
// results are in and the ladder with them is published, or with the error of ctx
// when that ends first. After the time within, unless that is 0, it has the ladder
// published with the results that are there, and returns how many games are left at
// most. It needs Run to be at work.
func (l *League) Finish(ctx context.Context, within time.Duration) (left uint64, err error) {
	call := finishing{within, make(chan uint64, 1)}
	select {
	case l.finish <- call:
	case <-l.stopped:
		return 0, errors.New("league: finish: it is no longer running")
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case left := <-call.left:
		return left, nil
	case <-l.stopped:
		return 0, errors.New("league: stopped before the last matches were played")
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// beginFinish looks up the newest weights itself: the watch may not have delivered
// them yet.
func (l *League) beginFinish(ctx context.Context, call finishing) error {
	l.waiting = append(l.waiting, call)
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
	return l.step(ctx, finish{call.within})
}
