package advice

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
)

// blockSize is the number of samples that a goroutine takes at a time.
const blockSize = 8

// playOut fills the answer by playing out the rest of the game.
func playOut(ctx context.Context, a *Answer, q Question, agent Agent, o Options) error {
	p := &playout{q: q, agent: agent, o: o, seat: q.State.Player()}
	p.legal = q.State.LegalActions(nil)
	p.seed = engine.GameSeed(o.Seed, q.key(), 0)
	var err error
	if p.habit, err = q.habits(agent, p.legal, 1, p.seed); err != nil {
		return err
	}
	if err := p.prepare(a); err != nil {
		return err
	}
	played, err := p.run(ctx, a)
	if err != nil {
		return err
	}
	if len(played.w) == 0 {
		a.Notes = append(a.Notes, fmt.Sprintf(
			"%s would not have played like the other seats: every deal that fits is taken as equally likely", agent.Name))
		p.uniform = true
		if played, err = p.run(ctx, a); err != nil {
			return err
		}
	}
	a.take(played, p)
	return nil
}

// playout plays out the rest of games.
type playout struct {
	q       Question
	agent   Agent
	o       Options
	seat    int
	legal   []int
	habit   []float64        // how often the agent takes each legal action
	seed    uint64           // of this position: different ones meet different chance
	hazard  engine.Hazardous // nil if the game has none
	hidden  bool
	done    atomic.Int64 // samples played
	goal    int          // samples to play, as far as it is known
	uniform bool         // deals are not weighted by what the other seats did
}

// prepare finds out what the game provides and notes what it lacks.
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
	if g, ok := p.q.Game.(engine.Positioned); ok && redeals {
		// Whether the game or only the position is known, what is hidden is drawn from the same state.
		s, _, err := g.ParsePosition([]byte(p.q.key()), engine.NewRNG(p.seed, dealStream))
		if err != nil {
			return fmt.Errorf("the position of a state of %s is refused: %w", spec.Name, err)
		}
		p.q.State = s
	}
	if redeals && !remembers {
		p.uniform = true
		a.Notes = append(a.Notes, "every deal that fits what the seat knows is taken as equally likely")
	}
	if p.agent.Recurrent && p.q.past() == nil {
		a.Notes = append(a.Notes, fmt.Sprintf("%s has a memory, and a position holds only the present: "+
			"it decides as if the game had begun there", p.agent.Name))
	}
	return nil
}

// run plays as many samples as the options say.
func (p *playout) run(ctx context.Context, a *Answer) (*outcomes, error) {
	played := newOutcomes(len(p.legal), p.q.Game.Spec())
	p.done.Store(0)
	if p.goal = p.o.Samples; p.o.Samples > 0 {
		return played, p.play(ctx, played, 0, p.o.Samples)
	}
	begin := time.Now()
	p.goal = minSamples
	if err := p.play(ctx, played, 0, minSamples); err != nil {
		return nil, err
	}
	goal := minSamples
	for goal < defaultSamples && 2*goal/minSamples*played.steps <= p.o.Steps {
		goal *= 2
	}
	p.goal = goal
	timed, stop := ctx, context.CancelFunc(func() {})
	if p.o.Budget > 0 {
		timed, stop = context.WithDeadline(ctx, begin.Add(p.o.Budget))
	}
	defer stop()
	for done := minSamples; done < goal; done *= 2 {
		err := p.play(timed, played, done, 2*done)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			a.Notes = append(a.Notes, fmt.Sprintf("the time of %v was used up after %d of %d games", p.o.Budget, done, goal))
			return played, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return played, nil
}

// play adds the samples from..to-1 in order, or none if it fails.
func (p *playout) play(ctx context.Context, played *outcomes, from, to int) error {
	blocks := make([]*outcomes, (to-from+blockSize-1)/blockSize)
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(p.o.Workers, len(blocks)) {
		group.Go(func() (err error) {
			defer engine.Recover(&err)
			player := newPlayer(p)
			for {
				block := int(next.Add(1)) - 1
				if block >= len(blocks) {
					return nil
				}
				first := from + block*blockSize
				g, err := player.block(ctx, first, min(first+blockSize, to))
				if err != nil {
					return err
				}
				blocks[block] = g
				if done := p.done.Add(int64(len(g.w))); p.o.Progress != nil {
					p.o.Progress(int(done), p.goal)
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, g := range blocks {
		played.merge(g)
	}
	return nil
}

// take writes the estimates into the answer.
func (a *Answer) take(g *outcomes, p *playout) {
	a.Games = len(g.w)
	whole := g.means(all)
	byHalf := [2][]float64{g.means(halves[0]), g.means(halves[1])}
	weight, _ := g.weight(all)
	a.Best = p.legal[top(whole, none)]
	g.habit = p.habit
	a.spread = g.spread(&byHalf)
	for i := range a.Actions {
		entry := &a.Actions[i]
		value, loss := g.value(i, whole), g.loss(&byHalf, i)
		entry.Value, entry.Low, entry.High = value.Value, value.Low, value.High
		entry.Loss, entry.LossLow, entry.LossHigh = loss.Value, loss.Low, loss.High
		entry.P, entry.shortfall = g.doubt(i), g.shortfall(whole, i)
		if p.hazard != nil {
			risk := g.struck[i] / weight
			entry.Risk = &risk
		}
	}
}
