package league

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"croupier/internal/stat"
	"croupier/league/rating"
	"croupier/messages"
	"croupier/messages/bus"
)

// declining is how many versions in succession must be weaker than the best: strength that comes
// back by itself, as it often does, is no setback.
const declining = 3

// nextSetback returns what is due when the versions that met the best last are all weaker than it, nil if
// they are not. It looks at the sets of the gate and needs no others.
//
// The gate's sets of each version are also those of a sequential test (see [rating.Sequential]) of the mean
// gain, "at least 0" against "at most -loss". While no version is weaker, the likelihood ratio of any of them
// is at most 1 in the mean whenever the gate stops, and so is the product of three in succession: it reaches
// 1/error with a probability of at most error (Ville 1939), at each version.
func (c *core) nextSetback() *messages.Setback {
	if c.finishing || c.promoting || c.settingBack || c.config.SetbackLoss == 0 || !c.tests() {
		return nil
	}
	best := c.memberOf(c.best)
	if best == nil {
		return nil
	}
	s := &messages.Setback{
		Number: c.setbacks() + 1, Best: best.Name, Object: best.Object, SHA256: hex.EncodeToString(best.Sha256), Again: 1,
		Threshold: -math.Log(c.config.SetbackError), Loss: c.config.SetbackLoss, Error: c.config.SetbackError,
	}
	if last := c.setback; last != nil && last.Best == s.Best {
		s.Again += last.Again
	}
	test := rating.Sequential{Gain: s.Loss}
	var evidence []float64
	for _, m := range c.afterBest() {
		p := c.Pair(c.player(m), c.best)
		if p.Trial == nil || p.Trial.Verdict == rating.Undecided || m.Setbacks+1 != s.Number {
			continue
		}
		sets := c.Seen(p)
		gain := sets.Gain()
		loss := stat.Moments{N: gain.N, Mean: -gain.Mean, Squares: gain.Squares}
		if e := test.Evidence(loss); e > 0 {
			s.Weaker = append(s.Weaker, messages.Weakness{Agent: m.Name, Sets: sets.Sets, Gain: gain.Mean / gain.Deviation()})
			evidence = append(evidence, e)
		} else {
			s.Weaker, evidence = nil, nil
		}
	}
	first := len(evidence) - declining
	if first < 0 {
		return nil
	}
	s.Weaker = s.Weaker[first:]
	for _, e := range evidence[first:] {
		s.Evidence += e
	}
	if s.Evidence < s.Threshold {
		return nil
	}
	return s
}

// memberOf returns the member that plays under the name, nil if there is none.
func (c *core) memberOf(player string) *messages.Member {
	order, _ := rating.MemberOrder(player)
	i, found := byOrder(c.members, order)
	if !found {
		return nil
	}
	return c.members[i]
}

// setbacks returns the number of the last setback, as far as anybody knows it.
func (c *core) setbacks() uint64 {
	last := max(c.pointer().GetSetbacks(), c.newest().GetSetbacks())
	if c.setback != nil {
		last = max(last, c.setback.Number)
	}
	return last
}

// readSetback takes over the setback that the broker has.
func (l *League) readSetback(ctx context.Context) error {
	e, err := l.o.Bus.State().Get(ctx, messages.SetbackKey)
	if errors.Is(err, bus.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("setback: %w", err)
	}
	l.setbackRevision = e.Revision
	s, err := messages.ParseSetback(e.Value)
	if err != nil {
		l.log.Warn("setback refused", "error", err)
		return nil
	}
	return l.step(ctx, setbackKnown{s})
}

// setBack orders the learner to go back. A failure is tried again at the next tick.
func (l *League) setBack(ctx context.Context, s *messages.Setback) error {
	doc, err := json.Marshal(s)
	if err != nil {
		return err
	}
	trying, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	revision, err := l.o.Bus.State().Update(trying, messages.SetbackKey, doc, l.setbackRevision)
	if errors.Is(err, bus.ErrTaken) { // an earlier attempt whose answer was lost
		return l.readSetback(trying)
	}
	if err != nil {
		l.log.Warn("setback not recorded", "error", err)
		return l.step(ctx, setbackFailed{})
	}
	l.setbackRevision = revision
	l.log.Info("training is asked to go back to the best version", "setback", s.Number, "why", s.String())
	return l.step(ctx, setbackKnown{s})
}
