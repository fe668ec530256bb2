package advice

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/policy"
)

const (
	maxSamples = 1 << 20
	// firstSamples are played before checking whether they are enough; if not, their number
	// is doubled.
	firstSamples = 256
	// blockSize is the number of samples that a goroutine takes at a time.
	blockSize = 8
	// dealStream is the random stream of a sample's seed that draws what is hidden.
	dealStream uint64 = 0x64656c72 // "delr"
)

// playOut fills the answer by playing out the rest of the game.
func playOut(ctx context.Context, a *Answer, q Question, agent Agent, o Options) error {
	p := &playout{q: q, agent: agent, o: o, seat: q.State.Player(), deadline: time.Now().Add(o.Budget)}
	p.legal = q.State.LegalActions(nil)
	if err := p.prepare(a); err != nil {
		return err
	}
	total, err := p.run(ctx)
	if err != nil {
		return err
	}
	if total.w == 0 {
		a.Notes = append(a.Notes, fmt.Sprintf(
			"%s would not have played like the other seats: every deal that fits is taken as equally likely", agent.Name))
		p.uniform = true
		if total, err = p.run(ctx); err != nil {
			return err
		}
	}
	a.take(total, p)
	return nil
}

// playout plays out the rest of games.
type playout struct {
	q        Question
	agent    Agent
	o        Options
	seat     int
	legal    []int
	deadline time.Time
	hazard   engine.Hazardous // nil if the game has none
	hidden   bool
	uniform  bool // deals are not weighted by what the other seats did
}

// prepare finds out what the game can tell and notes what it cannot.
func (p *playout) prepare(a *Answer) error {
	spec := p.q.Game.Spec()
	a.Unit = inWords(spec.Unit)
	p.hazard, _ = p.q.Game.(engine.Hazardous)
	if p.hazard != nil {
		a.Risk = p.hazard.Hazard()
	}
	_, redeals := p.q.State.(engine.Redealer)
	_, remembers := p.q.State.(engine.Past)
	if !spec.PerfectInformation && !redeals {
		return fmt.Errorf("%s hides cards and cannot redraw those that a seat does not know: "+
			"only agents that know what actions are worth can give advice", spec.Name)
	}
	p.hidden = redeals
	if redeals && !remembers {
		p.uniform = true
		a.Notes = append(a.Notes, "every deal that fits what the seat knows is taken as equally likely")
	}
	if p.agent.Recurrent && p.past() == nil {
		a.Notes = append(a.Notes, fmt.Sprintf("%s remembers what happened, which the position does not tell: "+
			"it is asked as if it had seen nothing before", p.agent.Name))
	}
	return nil
}

// past returns the history that leads to the state, if it is known.
func (p *playout) past() []int {
	if s, ok := p.q.State.(engine.Past); ok {
		return s.Past(nil)
	}
	return p.q.History
}

// run plays samples until there are enough.
func (p *playout) run(ctx context.Context) (*tally, error) {
	total := newTally(len(p.legal))
	goal := p.o.Samples
	if goal == 0 {
		goal = firstSamples
	}
	for done := 0; ; goal = min(2*goal, maxSamples) {
		var err error
		if done, err = p.play(ctx, total, done, goal); err != nil {
			return nil, err
		}
		enough := total.w == 0 || total.separated() || goal == maxSamples || !time.Now().Before(p.deadline)
		if p.o.Samples > 0 || enough {
			return total, nil
		}
	}
}

// play adds the samples from..to-1 to the total, in order, or fewer if a budget runs out.
// It returns the number of the first sample not played.
func (p *playout) play(ctx context.Context, total *tally, from, to int) (int, error) {
	blocks := make([]*tally, (to-from+blockSize-1)/blockSize)
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(p.o.Workers, len(blocks)) {
		group.Go(func() error {
			player := newPlayer(p)
			for {
				block := int(next.Add(1)) - 1
				late := p.o.Samples == 0 && from+block > 0 && !time.Now().Before(p.deadline)
				if block >= len(blocks) || late {
					return nil
				}
				first := from + block*blockSize
				t, err := player.block(ctx, first, min(first+blockSize, to))
				if err != nil {
					return err
				}
				blocks[block] = t
			}
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	for i, t := range blocks {
		if t == nil { // nor any after it: the budget ran out
			return from + i*blockSize, nil
		}
		total.merge(t)
	}
	return to, nil
}

// player is one goroutine's part.
type player struct {
	*playout
	policies []policy.Policy // by seat
	root     engine.State    // the position with the sample's hidden part
	state    engine.State
	play     engine.Play  // of state
	before   engine.State // the state one step before, while a hazard is open
	deal     engine.RNG
	actions  []engine.RNG
	legalBuf []int
	history  []int // leads to root; nil if unknown
	odds     []float64
	returns  []float64
	shares   []float64
}

func newPlayer(p *playout) *player {
	spec := p.q.Game.Spec()
	w := &player{
		playout: p,
		root:    p.q.State.Clone(), state: p.q.Game.NewState(), before: p.q.Game.NewState(),
		actions: make([]engine.RNG, spec.Seats),
		odds:    make([]float64, spec.Actions),
		returns: make([]float64, spec.Seats), shares: make([]float64, spec.Seats),
		history: p.past(),
	}
	w.play = engine.Play{State: w.state, Chance: &engine.RNG{}, Choose: func(seat int, legal []int) int {
		return w.policies[seat].Choose(w.state, legal, &w.actions[seat])
	}}
	for range spec.Seats {
		w.policies = append(w.policies, p.agent.New())
	}
	return w
}

// block plays the samples from..to-1.
func (w *player) block(ctx context.Context, from, to int) (*tally, error) {
	t := newTally(len(w.legal))
	values, struck := make([]float64, len(w.legal)), make([]bool, len(w.legal))
	for i := from; i < to; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		weight, err := w.sample(i, values, struck)
		if err != nil {
			return nil, err
		}
		t.add(weight, values, struck)
	}
	return t, nil
}

// sample plays the numbered game after each action and returns its weight.
func (w *player) sample(number int, values []float64, struck []bool) (weight float64, err error) {
	seed := engine.GameSeed(w.o.Seed, "advise", uint64(number))
	weight = 1
	w.root.CopyFrom(w.q.State)
	if w.hidden {
		w.deal.Seed(seed, dealStream)
		w.root.(engine.Redealer).Redeal(w.seat, &w.deal)
		if s, ok := w.root.(engine.Past); ok {
			w.history = s.Past(w.history[:0])
		}
		if weight, err = w.likelihood(); weight == 0 || err != nil {
			return 0, err
		}
	}
	for i, action := range w.legal {
		w.play.Chance.Seed(seed, engine.ChanceStream)
		for seat := range w.actions {
			w.actions[seat].Seed(seed, engine.ActionStream+uint64(seat))
		}
		if struck[i], err = w.finish(action); err != nil {
			return 0, err
		}
		values[i] = w.result()
	}
	return weight, nil
}

// likelihood returns the probability that the agent in the other seats would have acted as
// they did if root were the deal. For an agent that does not tell its probabilities each
// decision is tried once, giving 0 or 1, which is right on average.
func (w *player) likelihood() (float64, error) {
	if w.uniform {
		return 1, nil
	}
	for seat := range w.policies {
		w.policies[seat].Reset()
	}
	w.state.Reset()
	likelihood := 1.0
	for _, step := range w.history {
		if seat := w.state.Player(); seat >= 0 && seat != w.seat {
			likelihood *= w.probability(seat, step)
			if likelihood == 0 {
				return 0, nil
			}
		}
		if err := w.state.Apply(step); err != nil {
			return 0, fmt.Errorf("the past of the position: %w", err)
		}
	}
	return likelihood, nil
}

func (w *player) probability(seat, taken int) float64 {
	w.legalBuf = w.state.LegalActions(w.legalBuf[:0])
	if s, ok := w.policies[seat].(policy.Stochastic); ok {
		odds := w.odds[:len(w.legalBuf)]
		s.Distribution(w.state, w.legalBuf, odds)
		for i, action := range w.legalBuf {
			if action == taken {
				return odds[i]
			}
		}
		return 0
	}
	if w.policies[seat].Choose(w.state, w.legalBuf, &w.deal) == taken {
		return 1
	}
	return 0
}

// remember brings the agents in all seats to the position.
func (w *player) remember() error {
	for seat := range w.policies {
		w.policies[seat].Reset()
	}
	if !w.agent.Recurrent {
		return nil
	}
	w.state.Reset()
	for _, step := range w.history {
		if seat := w.state.Player(); seat >= 0 {
			w.probability(seat, step)
		}
		if err := w.state.Apply(step); err != nil {
			return fmt.Errorf("the past of the position: %w", err)
		}
	}
	// The decision in question is one that the agent makes as well.
	w.state.CopyFrom(w.root)
	w.probability(w.seat, w.legal[0])
	return nil
}

// finish plays from root with the action to the end, and reports whether the seat was
// struck by the hazard.
func (w *player) finish(action int) (struck bool, err error) {
	if err := w.remember(); err != nil {
		return false, err
	}
	s, spec := w.state, w.q.Game.Spec()
	s.CopyFrom(w.root)
	fate := engine.Open
	if w.hazard == nil {
		fate = engine.Safe
	}
	for steps := 0; s.Player() != engine.Terminal; steps++ {
		if steps > spec.MaxHistory {
			return false, fmt.Errorf("%s with %s in all seats is not over after %d steps", spec.Name, w.agent.Name, steps)
		}
		if fate == engine.Open {
			w.before.CopyFrom(s)
		}
		if err := w.step(steps, action); err != nil {
			return false, fmt.Errorf("%s plays on: %w", w.agent.Name, err)
		}
		if fate == engine.Open {
			fate = w.hazard.Fate(w.before, s, w.seat)
		}
	}
	return fate == engine.Struck, nil
}

// step makes the numbered step: first the action, then whatever the agents choose.
func (w *player) step(number, action int) error {
	if number == 0 {
		return w.state.Apply(action)
	}
	_, err := w.play.Step()
	return err
}

// result returns what the game was worth to the seat: its return, or its share of the win.
func (w *player) result() float64 {
	spec := w.q.Game.Spec()
	w.state.Returns(w.returns)
	if spec.Payoff == engine.Money {
		return w.returns[w.seat]
	}
	spec.Shares(w.returns, w.shares)
	return w.shares[w.seat]
}

// take writes the estimates into the answer.
func (a *Answer) take(t *tally, p *playout) {
	a.Games = t.samples
	// With next to no games played, nothing is known.
	widest := 2 * p.q.Game.Spec().MaxReturn
	best, _ := t.best()
	a.Best = p.legal[best]
	for i := range a.Actions {
		entry := &a.Actions[i]
		margin := min(t.margin(i), widest)
		entry.Value = t.mean(i)
		entry.Low, entry.High = entry.Value-margin, entry.Value+margin
		if i != best {
			loss, margin := t.lead(best, i)
			entry.Loss, entry.LossLow, entry.LossHigh = loss, loss-min(margin, widest), loss+min(margin, widest)
		}
		if p.hazard != nil {
			risk := t.struck[i] / t.w
			entry.Risk = &risk
		}
	}
}
