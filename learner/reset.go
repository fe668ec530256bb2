package learner

import (
	"context"
	"errors"
	"fmt"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/nn"
)

// follow hands over what the league writes under a key of State, until ctx ends. What take refuses is logged.
func (l *Learner) follow(ctx context.Context, key string, take func(doc []byte) error) error {
	entries, err := l.opts.Bus.State().Watch(ctx, key)
	if err != nil {
		return fmt.Errorf("watch %s: %w", key, err)
	}
	for e := range entries {
		if e.Value == nil {
			continue
		}
		if err := take(e.Value); err != nil {
			l.log.Warn("message of the league refused", "key", key, "error", err)
		}
	}
	if ctx.Err() == nil {
		return bus.ErrClosed
	}
	return nil
}

// followLeague notes what the league finds of the agent, until ctx ends: setbacks of the main agent, resets of
// the others.
func (l *Learner) followLeague(ctx context.Context) error {
	if l.opts.Agent == messages.LearningAgent {
		return l.follow(ctx, messages.SetbackKey, l.takeSetback)
	}
	return l.follow(ctx, messages.ResetKey(l.opts.Agent), l.takeReset)
}

func (l *Learner) takeReset(doc []byte) error {
	r, err := messages.ParseReset(doc)
	if err == nil && r.Agent != l.opts.Agent {
		err = fmt.Errorf("reset of %s, this is %s", r.Agent, l.opts.Agent)
	}
	if err == nil {
		l.reset.Store(r)
	}
	return err
}

// begin begins again with new weights if the league wants it, and keeps a checkpoint of them. Versions continue
// counting; games of earlier ones are stale.
func (l *Learner) begin(ctx context.Context) error {
	r := l.reset.Load()
	if r == nil || r.Number <= l.now().Resets {
		return nil
	}
	n, err := nn.NewNetwork(l.opts.Layout, l.opts.Layout.Init(l.seed(r.Number)))
	if err != nil {
		return err
	}
	l.adopt(n, false)
	l.count(func(c *counters) { c.Resets = r.Number })
	l.metrics.resets.Inc()
	l.slowed.Store(1)
	l.log.Info("beginning again with new weights", "reset", r.Number, "frozen", r.Member, "why", r.Why)
	if err := l.announce(ctx); err != nil {
		return err
	}
	l.ingestion.oldest.Store(l.now().Version)
	if err := l.checkpoint(); err != nil {
		l.log.Warn("no checkpoint written, the last one stays; trying again at the next", "error", err)
	}
	return nil
}

// adopt has training continue from a network, with smaller steps or not.
func (l *Learner) adopt(n *nn.Network, smaller bool) {
	l.trainer.Adopt(n, smaller)
	l.group.averages.forsake(errors.New("the agent continues from other weights"))
	l.average.begin(n.Weights)
}

// seed is that of the weights with which the agent begins after a number of resets, and of its training.
func (l *Learner) seed(resets uint64) uint64 {
	return engine.GameSeed(l.opts.RunSeed, "learner/"+l.opts.Agent, resets)
}
