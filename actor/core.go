package actor

import (
	"context"
	"errors"
	"time"

	"croupier/engine"
)

// core runs the workers that share a core, one of each agent that has a part of it, turn by turn.
type core struct {
	workers []*worker
	rota    *rota
}

// run plays until ctx ends. A match that is not finished then is given back.
func (c *core) run(ctx context.Context) (err error) {
	defer engine.Recover(&err)
	// A batch or result that is on its way when ctx ends must not be lost by it.
	sending, cancel := outlast(ctx, closeTimeout)
	defer cancel()
	for _, w := range c.workers {
		_ = w.journal.save() // noteJournal logs it
		w.noteJournal()
	}
	for ctx.Err() == nil {
		if !c.turn(ctx, sending) {
			time.Sleep(idleWait)
		}
	}
	var failed error
	for _, w := range c.workers {
		failed = errors.Join(failed, w.close(sending))
	}
	return failed
}

// turn lets the first worker play whose turn it is and who has something to play. It returns whether there was one.
func (c *core) turn(ctx, sending context.Context) bool {
	for _, i := range c.rota.order() {
		if made := c.workers[i].play(ctx, sending); made > 0 {
			c.rota.count(i, made)
			return true
		}
	}
	return false
}
