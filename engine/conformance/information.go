package conformance

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"croupier/engine"
)

// checkObservations: at every node every element is written, finite, and the same when asked
// for again. (Elements that Observe leaves out are NaN here.)
func (c *suite) checkObservations(t *trial) {
	c.visit(t, 3000, func(s engine.State, past []int) {
		for seat := range c.spec.Seats {
			observation := c.observe(s, seat)
			bad := slices.IndexFunc(observation, func(v float32) bool {
				return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0)
			})
			require.Equal(t, -1, bad, "%s: first element that is not finite in the observation of seat %d: %v",
				after(past), seat, observation)
			require.Equal(t, observation, c.observe(s, seat), after(past))
			key := s.InformationKey(seat, []byte{7})
			require.Equal(t, byte(7), key[0], "%s: InformationKey must append", after(past))
		}
	})
}

// seen is a hash of everything a seat has seen: who moved, and what it saw of the move.
type seen uint64

func (h seen) step(player, what int) seen {
	f := fnv.New64a()
	var b [24]byte
	binary.LittleEndian.PutUint64(b[:], uint64(h))
	binary.LittleEndian.PutUint64(b[8:], uint64(player))
	binary.LittleEndian.PutUint64(b[16:], uint64(what))
	f.Write(b[:])
	return seen(f.Sum64())
}

// checkInformation groups the nodes of random games by information key. In a game of perfect
// information equal keys are equal positions. In others the keys are equal exactly when the
// seat has seen the same, and then the observations are equal too.
func (c *suite) checkInformation(t *trial) {
	if c.spec.PerfectInformation {
		c.checkPositions(t)
		return
	}
	type view struct {
		Key         string
		Observation []float32
	}
	type seatKey struct {
		seat int
		key  string
	}
	views := make([]map[seen]view, c.spec.Seats)
	keys := map[seatKey]seen{}
	follow := pasts{bySeat: make([]seen, c.spec.Seats), before: c.game.NewState()}
	for seat := range views {
		views[seat] = map[seen]view{}
	}
	c.visit(t, 10000, func(s engine.State, past []int) {
		follow.follow(t, past)
		for seat, h := range follow.bySeat {
			now := view{string(s.InformationKey(seat, nil)), c.observe(s, seat)}
			if before, ok := views[seat][h]; ok {
				require.Equal(t, before, now, "%s: seat %d has seen the same in another game", after(past), seat)
			}
			views[seat][h] = now
			k := seatKey{seat, now.Key}
			if before, ok := keys[k]; ok {
				require.True(t, before == h, "%s: seat %d has seen something else in another game, but has the same key",
					after(past), seat)
			}
			keys[k] = h
		}
	})
}

// pasts follows a game and keeps what each seat has seen.
type pasts struct {
	bySeat []seen
	before engine.State // after the steps that were followed
	steps  []int
}

// follow goes to the end of a history, from where it is if that is on the way.
func (p *pasts) follow(t *trial, past []int) {
	if n := len(p.steps); n > len(past) || !slices.Equal(p.steps, past[:n]) {
		p.before.Reset()
		p.steps = p.steps[:0]
		clear(p.bySeat)
	}
	for _, step := range past[len(p.steps):] {
		for seat := range p.bySeat {
			if what := p.before.Seen(seat, step); what != engine.Unnoticed {
				p.bySeat[seat] = p.bySeat[seat].step(p.before.Player(), what)
			}
		}
		require.NoError(t, p.before.Apply(step), "after %v", p.steps)
		p.steps = append(p.steps, step)
	}
}

func (c *suite) checkPositions(t *trial) {
	positions := make([]map[string]string, c.spec.Seats)
	for seat := range positions {
		positions[seat] = map[string]string{}
	}
	c.visit(t, 5000, func(s engine.State, past []int) {
		if s.Player() >= engine.Chance {
			step := possible(s)[0]
			for seat := range c.spec.Seats {
				require.Equal(t, step, s.Seen(seat, step), "%s: with perfect information a seat sees every step", after(past))
			}
		}
		p := c.position(s)
		keys := p.Keys
		p.Keys = nil
		now := fmt.Sprintf("%+v", p)
		for seat, key := range keys {
			if before, ok := positions[seat][string(key)]; ok {
				require.Equal(t, before, now, "%s: a different position has the same key for seat %d", after(past), seat)
			}
			positions[seat][string(key)] = now
		}
	})
}

// checkHidden permutes what is hidden: for each seat it changes the steps of a
// random game to others that look the same to that seat, and requires the same
// observation, key and choice of every bot all along.
func (c *suite) checkHidden(t *trial) {
	if c.spec.PerfectInformation {
		t.Skip("nothing is hidden")
	}
	bots := map[string]engine.Bot{"random": Random}
	for _, name := range c.game.Bots().References {
		bot, err := c.game.Bots().New(name)
		require.NoError(t, err)
		bots[name] = bot
	}
	rng := engine.NewRNG(4, 0)
	changed := 0
	c.visit(t, 2000, func(s engine.State, past []int) {
		if s.Player() != engine.Terminal {
			return
		}
		for seat := range c.spec.Seats {
			changed += c.permute(t, seat, past, rng, bots, false)
			c.permute(t, seat, past, rng, bots, true)
		}
	})
	require.Positive(t, changed, "nothing is ever hidden from anybody: the game has perfect information")
}

// permute compares the game with one that looks the same to the seat, and returns
// how many steps of the latter differ. With views, steps that the seat sees stay as they are, also
// in what Seen leaves out, and the views are compared instead of the observations.
func (c *suite) permute(
	t *trial, seat int, past []int, rng *engine.RNG, bots map[string]engine.Bot, views bool,
) (changed int) {
	a, b := c.game.NewState(), c.game.NewState()
	var others []int // the history of b
	compare := c.requireSameKnowledge
	if views {
		compare = c.requireSameView
	}
	for i, step := range past {
		t.past = past[:i:i]
		where := permuted{after(past[:i]), seat, &others}
		compare(t, a, b, seat, where)
		if a.Seen(seat, step) != engine.Unnoticed {
			for a.Player() != b.Player() {
				unnoticed, ok := passUnnoticed(b, seat, rng)
				if !ok {
					return changed
				}
				others = append(others, unnoticed)
				compare(t, a, b, seat, where)
			}
			if a.Player() == seat {
				c.requireSameChoice(t, a, b, bots, where)
			}
			same, ok := lookalike(a, b, seat, step, rng)
			if views && a.Seen(seat, step) >= 0 {
				same, ok = step, slices.Contains(possible(b), step) && b.Seen(seat, step) == a.Seen(seat, step)
			}
			if !ok {
				return changed
			}
			if same != step {
				changed++
			}
			require.NoError(t, b.Apply(same), where)
			others = append(others, same)
		}
		require.NoError(t, a.Apply(step), where)
	}
	t.past = past
	compare(t, a, b, seat, permuted{after(past), seat, &others})
	return changed
}

// passUnnoticed makes a random step at b that the seat does not notice, if there is one.
func passUnnoticed(b engine.State, seat int, rng *engine.RNG) (step int, ok bool) {
	steps := slices.DeleteFunc(possible(b), func(step int) bool { return b.Seen(seat, step) != engine.Unnoticed })
	if len(steps) == 0 {
		return 0, false
	}
	step = steps[rng.IntN(len(steps))]
	return step, b.Apply(step) == nil
}

// requireSameView compares what is shown of positions that look the same to the seat, until the
// game is over and hands are laid open.
func (c *suite) requireSameView(t *trial, a, b engine.State, seat int, where fmt.Stringer) {
	g, ok := c.game.(engine.Viewed)
	if !ok || a.Player() == engine.Terminal || b.Player() == engine.Terminal {
		return
	}
	for _, eye := range []int{seat, engine.Public} {
		require.Equal(t, marshalled(t, g.View(a, eye)), marshalled(t, g.View(b, eye)), "%s: seen by eye %d", where, eye)
	}
}

func (c *suite) requireSameKnowledge(t *trial, a, b engine.State, seat int, where fmt.Stringer) {
	require.Equal(t, c.observe(a, seat), c.observe(b, seat), "%s: its observation", where)
	require.Equal(t, a.InformationKey(seat, nil), b.InformationKey(seat, nil), "%s: its information key", where)
	if g, ok := c.game.(engine.Positioned); ok && a.Player() == seat && b.Player() == seat {
		require.Equal(t, string(g.FormatPosition(a, seat)), string(g.FormatPosition(b, seat)), where)
	}
}

// permuted describes what was compared, for a failing test.
type permuted struct {
	after
	seat   int
	others *[]int // the history of the other game
}

func (p permuted) String() string {
	return fmt.Sprintf("%v, and %v, which looks the same to seat %d", p.after, after(*p.others), p.seat)
}

func (c *suite) requireSameChoice(t *trial, a, b engine.State, bots map[string]engine.Bot, where fmt.Stringer) {
	legal := a.LegalActions(nil)
	require.Equal(t, legal, b.LegalActions(nil), "%s: legal actions", where)
	for name, bot := range bots {
		require.Equal(t, bot.Choose(a, legal, engine.NewRNG(1, 0)), bot.Choose(b, legal, engine.NewRNG(1, 0)),
			"%s: %s looks at what is hidden", where, name)
	}
}

// lookalike draws a step that is possible at b and looks to the seat like the given step at a.
func lookalike(a, b engine.State, seat, step int, rng *engine.RNG) (int, bool) {
	want := a.Seen(seat, step)
	var same []int
	for _, other := range possible(b) {
		if b.Seen(seat, other) == want {
			same = append(same, other)
		}
	}
	if len(same) == 0 {
		return 0, false
	}
	return same[rng.IntN(len(same))], true
}
