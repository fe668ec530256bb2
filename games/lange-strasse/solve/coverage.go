package solve

import (
	"context"
	"fmt"
	"io"
	"math"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/internal/stat"
	"croupier/policy"
)

// coverageGames is the number of games played on after each of two actions.
const coverageGames = 16

// Coverage reports how well the money player knows the differences between actions. At decisions of
// its games two actions are followed: the best, and in turn the second best and any other one. The
// mean of what it then wins more by one of them has a standard error of its own, se.
type Coverage struct {
	Positions int `json:"positions"`
	// Covered is the share of positions where the difference that was found lies within
	// 1.96 · sqrt(promised² + se²) of the one that was promised.
	Covered stat.Interval `json:"covered"`
	// Values is the same share for the value of the better action.
	Values stat.Interval `json:"values_covered"`
	// Promised is the root mean square of the errors in units behind the intervals, Ratio the mean
	// square of the errors found, without what se² adds to it, over that of the promised ones.
	Promised float64       `json:"promised"`
	Ratio    stat.Interval `json:"ratio"`
	// Noise is the root mean square of se, units.
	Noise float64 `json:"noise"`
	// Decided is the share of positions whose interval leaves out 0.
	Decided stat.Interval `json:"decided"`
}

// Render writes the coverage for people.
func (c *Coverage) Render(w io.Writer) error {
	_, err := fmt.Fprintf(w, `%d decisions, %d games after each of two actions
intervals of the difference cover what was found: %.1f %% (%.1f .. %.1f)
intervals of the better action's value: %.1f %% (%.1f .. %.1f)
errors found, squared, over those promised: %.2f (%.2f .. %.2f); promised %.4f units, noise of the check %.4f
decided, the interval leaves out 0: %.1f %%
`, c.Positions, coverageGames, 100*c.Covered.Value, 100*c.Covered.Low, 100*c.Covered.High,
		100*c.Values.Value, 100*c.Values.Low, 100*c.Values.High,
		c.Ratio.Value, c.Ratio.Low, c.Ratio.High, c.Promised, c.Noise, 100*c.Decided.Value)
	return err
}

// Cover checks the intervals of a money player's differences at the given number of decisions.
func Cover(
	ctx context.Context, game engine.Game, newPlayer func() policy.Stochastic, positions int, seed uint64,
	progress func(done, total int),
) (*Coverage, error) {
	player, isMoney := newPlayer().(*moneyPlayer)
	if !isMoney {
		return nil, fmt.Errorf("coverage: %s has no money player here", game.Spec().Name)
	}
	p, err := newSelfPlay(game, player.solver.evaluator.values)
	if err != nil {
		return nil, err
	}
	p.solved = true
	t := coverTally{}
	for i := uint64(0); t.positions < positions; i++ {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("coverage: stopped after %d of %d decisions", t.positions, positions)
		}
		pair, err := p.drawPair(engine.GameSeed(seed, "coverage", i), i%2 == 0)
		if err != nil {
			return nil, err
		}
		if pair.deviation == 0 {
			continue // exact
		}
		found, value, err := p.difference(pair, coverageGames)
		if err != nil {
			return nil, err
		}
		t.add(pair, found, value)
		progress(t.positions, positions)
	}
	return t.coverage(), nil
}

// pair is a decision between two actions.
type pair struct {
	state     langestrasse.State
	actions   [2]int
	promised  float64 // what the first is worth more
	deviation float64 // of its error
	whole     float64 // deviation of the error of the first one's value
	seed      uint64
}

// drawPair plays a game and returns one of its decisions with a choice.
func (p *selfPlay) drawPair(seed uint64, second bool) (*pair, error) {
	var decisions []langestrasse.State
	p.state.Reset()
	play := engine.Play{State: p.state, Chance: engine.NewRNG(seed, engine.ChanceStream)}
	play.Choose = func(_ int, legal []int) int {
		if len(legal) > 1 {
			decisions = append(decisions, *p.state)
		}
		return p.player.Choose(p.state, legal, nil)
	}
	if err := play.ToEnd(); err != nil {
		return nil, err
	}
	rng := engine.NewRNG(seed, engine.ActionStream)
	d := &pair{state: decisions[rng.IntN(len(decisions))], seed: rng.Uint64()}
	legal := d.state.LegalActions(nil)
	best, other := 0, rng.IntN(len(legal)-1)
	values, differences := make([]policy.Value, len(legal)), make([]policy.Value, len(legal))
	p.player.Values(&d.state, legal, values)
	for i := range values {
		if values[i].Mean > values[best].Mean {
			best = i
		}
	}
	if other >= best {
		other++
	}
	for i := range values {
		if second && i != best && values[i].Mean > values[other].Mean {
			other = i
		}
	}
	p.player.Differences(&d.state, legal, best, differences)
	d.actions, d.promised = [2]int{legal[best], legal[other]}, differences[other].Mean
	d.deviation = (differences[other].High - differences[other].Low) / (2 * stat.Z95)
	d.whole = (values[best].High - values[best].Low) / (2 * stat.Z95)
	return d, nil
}

// difference plays on after both actions and returns what the first then wins more than was
// promised: than the second, and than its value. The expectation of corrections is that of the money,
// with far less noise.
func (p *selfPlay) difference(d *pair, games int) (found, value stat.Moments, err error) {
	for game := range games {
		seed := engine.GameSeed(d.seed, "difference", uint64(game))
		var off [2]float64
		for i, action := range d.actions {
			if off[i], err = p.playOn(&d.state, action, seed); err != nil {
				return found, value, err
			}
		}
		found.Add(off[0] - off[1])
		value.Add(off[0])
	}
	return found, value, nil
}

// playOn makes an action, finishes the turn and plays on. It returns the correction of what the
// action was worth to the seat, 0 if that had no error.
func (p *selfPlay) playOn(from *langestrasse.State, action int, seed uint64) (float64, error) {
	begun := from.Standing()
	p.state.CopyFrom(from)
	if err := p.state.Apply(action); err != nil {
		return 0, err
	}
	if p.state.Standing() == begun {
		if err := p.turn(p.player, engine.NewRNG(seed, engine.ActionStream), nil); err != nil {
			return 0, err
		}
	}
	if p.state.Player() == engine.Terminal {
		return 0, nil
	}
	d, estimated := p.newEnd(begun, p.state.Standing())
	if !estimated {
		return 0, nil
	}
	m, err := p.correction(&d, seed)
	return float64(m[begun.Seat]), err
}

// coverTally sums up positions.
type coverTally struct {
	positions        int
	covered, decided stat.Ratio
	values           stat.Ratio // covered
	squares          stat.Ratio // of the errors found over those promised
	noise            float64
}

func (t *coverTally) add(d *pair, found, value stat.Moments) {
	noise := square(found.Margin() / stat.Z95)
	t.positions++
	t.covered.Add(indicator(covers(d.deviation, found)), 1)
	t.values.Add(indicator(covers(d.whole, value)), 1)
	t.decided.Add(indicator(math.Abs(d.promised) > stat.Z95*d.deviation), 1)
	t.squares.Add(square(found.Mean)-noise, square(d.deviation))
	t.noise += noise
}

// covers reports whether the interval of an error with the deviation holds what was found, whose mean
// has an error of its own.
func covers(deviation float64, found stat.Moments) bool {
	return math.Abs(found.Mean) <= math.Sqrt(square(stat.Z95*deviation)+square(found.Margin()))
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (t *coverTally) coverage() *Coverage {
	n := float64(t.positions)
	c := &Coverage{Positions: t.positions, Promised: math.Sqrt(t.squares.Weight / n), Noise: math.Sqrt(t.noise / n)}
	c.Covered, _ = t.covered.EstimateShare()
	c.Values, _ = t.values.EstimateShare()
	c.Decided, _ = t.decided.EstimateShare()
	c.Ratio, _ = t.squares.Estimate()
	return c
}
