package learner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"croupier/engine"
	"croupier/messages"
	"croupier/nn"
)

// maxSetbacks is how many setbacks to the same version end the training.
const maxSetbacks = 3

func (l *Learner) takeSetback(doc []byte) error {
	s, err := messages.ParseSetback(doc)
	if err == nil {
		l.setback.Store(s)
	}
	return err
}

// obey goes back to the best version, with smaller steps from then on, if the league has found that
// training has lost strength since. Games of an earlier stage of the curriculum make no version stronger in the
// run's own game: then it only acknowledges that. The error is that of training that ends, because
// it comes to no good from that version.
func (l *Learner) obey(ctx context.Context) error {
	s := l.setback.Load()
	if s == nil || s.Number <= l.now().Setbacks {
		return nil
	}
	if l.stage.Load() != 0 {
		l.log.Info("weaker in the run's own game, as can be in an earlier stage of the curriculum", "setback", s.Number,
			"why", s.String())
		l.count(func(c *counters) { c.Setbacks = s.Number })
		return nil
	}
	n, err := l.bestNetwork(ctx, s)
	if err != nil {
		if ctx.Err() == nil {
			l.log.Warn("not gone back to the best version; trying again after the next iteration", "best", s.Best, "error", err)
		}
		return nil
	}
	l.adopt(n, true)
	l.count(func(c *counters) { c.Setbacks = s.Number })
	l.metrics.setbacks.Inc()
	l.fellBack.Store(s)
	l.log.Info("later versions were weaker: training continues from the best version, with smaller steps for a while",
		"best", s.Best, "why", s.String())
	if err := l.announce(ctx); err != nil || s.Again%maxSetbacks != 0 {
		return err
	}
	if err := l.checkpoint(); err != nil {
		return err
	}
	return fmt.Errorf("training has collapsed: %d times in succession it continued from %s and lost strength, though the learning rate was "+
		"lowered each time (%s); the weights of %s are in the checkpoint: lower learner.learning_rate_start or what else is "+
		"unusual in the settings, and continue with --resume", s.Again, s.Best, s, s.Best)
}

// bestNetwork returns the network of the version that a setback names.
func (l *Learner) bestNetwork(ctx context.Context, s *messages.Setback) (*nn.Network, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	data, err := l.opts.Bus.GetObject(ctx, s.Object)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != s.SHA256 {
		return nil, errors.New("the weights do not have the promised SHA-256")
	}
	file, _, err := nn.Decode(data, func(string, []byte) (engine.Game, error) { return l.opts.Game, nil })
	if err != nil {
		return nil, err
	}
	return nn.NewNetwork(l.opts.Layout, file.Network.Weights)
}
