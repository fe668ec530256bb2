// Package conformance checks that a game keeps every promise of package engine. Its checks are those of a game's own
// test (package enginetest) and of croupier games check.
//
// Games are played by uniformly random choice from fixed seeds, so a fault repeats. All games are zero-sum, and the
// checks require it.
package conformance

import (
	"fmt"
	"math"
	"slices"

	"croupier/engine"
	"croupier/internal/nightly"
)

// New reads a rules document and makes the game.
type New func(rules []byte) (engine.Game, error)

// Check is a promise of the contract and what finds its faults.
type Check struct {
	Name    string
	Promise string // what holds of a game without fault, for authors of games
	run     func(c *suite, t *trial, newGame New)
}

// Fault is a broken promise.
type Fault struct {
	What    string // in a sentence
	History []int  // the shortest that was found to show it; nil: it shows without one
}

func (f *Fault) Error() string { return f.What }

// Checks are all of them, the simplest first.
var Checks = []Check{
	{"spec", "The description is complete: its numbers are in range, segments and groups cover everything once.",
		plain((*suite).checkSpec)},
	{"rules", "Rules can be written down and read again; unknown rules and values out of range are refused.",
		(*suite).checkRules},
	{"nodes", "At every node there is a player with possible steps, ascending, each with a name of its own; the " +
		"probabilities of chance sum to 1.", plain((*suite).checkNodes)},
	{"illegal steps", "A step that is not possible is refused and changes nothing.", plain((*suite).checkIllegalSteps)},
	{"ends", "Returns are 0 before the end, sum to 0 at it, and are no larger than the description says.",
		plain((*suite).checkEnds)},
	{"copies", "A copy of a position, and the same history played again, are the same position.",
		plain((*suite).checkCopies)},
	{"reset", "From every position the game can be begun again.", plain((*suite).checkReset)},
	{"seeds", "The same seed gives the same game, also when several are played at a time.", plain((*suite).checkSeeds)},
	{"histories", "Games that were written down are read again with the same results; changed ones are refused.",
		(*suite).checkHistories},
	{"chance", "Chance is drawn with the probabilities of its outcomes.", plain((*suite).checkChance)},
	{"observations", "Every number of every observation is written, finite, and the same when asked for again.",
		plain((*suite).checkObservations)},
	{"information", "Seats that have seen the same have the same key, and seats that have not have different ones; with " +
		"perfect information a key is a position.", plain((*suite).checkInformation)},
	{"hidden information", "What a seat observes and may do depends on nothing that is hidden from it: other hidden " +
		"steps leave it as it is.", plain((*suite).checkHidden)},
	{"written positions", "A written position gives the same position again.", plain((*suite).checkWritten)},
	{"views", "What is shown of a position is the same when asked for again.", plain((*suite).checkViews)},
	{"notations", "Positions that look the same on the page are written in the same way.", plain((*suite).checkNotations)},
	{"open cards", "What open cards allow is what the best action allows.", plain((*suite).checkOpenCards)},
	{"people", "When time is up, the action taken is legal; the description says whether steps can go unnoticed.",
		plain((*suite).checkPeople)},
	{"bots", "Bots choose legal actions, the same ones from the same random numbers.", plain((*suite).checkBots)},
	{"figures", "Figures are finite, fit their units and follow from the history.", plain((*suite).checkFigures)},
	{"allocations", "A step takes no memory of the heap.", plain((*suite).checkAllocations)},
}

func plain(run func(*suite, *trial)) func(*suite, *trial, New) {
	return func(c *suite, t *trial, _ New) { run(c, t) }
}

// otherSeeds is from how many other seeds a shorter history is looked for.
const otherSeeds = 8

// Of runs the check. It returns the fault, or why there is nothing to check, or neither.
func (k Check) Of(g engine.Game, newGame New) (fault *Fault, skipped string) {
	c := &suite{game: g, spec: g.Spec()}
	fault, skipped = attempt(&trial{seed: 1}, func(t *trial) { k.run(c, t, newGame) })
	if fault == nil || fault.History == nil {
		return fault, skipped
	}
	trials := []*trial{{seed: 1, shallow: true}}
	for seed := range uint64(otherSeeds) {
		trials = append(trials, &trial{seed: seed + 2})
	}
	for _, t := range trials {
		other, _ := attempt(t, func(t *trial) { k.run(c, t, newGame) })
		if other != nil && other.History != nil && len(other.History) < len(fault.History) {
			fault = other
		}
	}
	return fault, ""
}

// trial is one run of a check.
type trial struct {
	seed    uint64
	shallow bool  // nodes are visited in the order of their depth
	past    []int // to the node that is looked at; nil: none is
}

// ended is how a trial ends early.
type ended struct {
	fault   *Fault
	skipped string
}

func attempt(t *trial, run func(*trial)) (fault *Fault, skipped string) {
	defer func() {
		switch end := recover().(type) {
		case nil:
		case ended:
			fault, skipped = end.fault, end.skipped
		case *engine.RefusedError:
			fault = &Fault{end.Error(), slices.Clone(t.past)}
		default:
			panic(end)
		}
	}()
	run(t)
	return nil, ""
}

// stop ends the trial with a fault.
func (t *trial) stop(what string) { panic(ended{fault: &Fault{what, slices.Clone(t.past)}}) }

// Skip ends the trial: there is nothing to check.
func (t *trial) Skip(why string) { panic(ended{skipped: why}) }

// suite checks one game.
type suite struct {
	game engine.Game
	spec *engine.Spec
}

// Random plays every legal action with the same probability.
var Random = engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int {
	return legal[rng.IntN(len(legal))]
})

// NextStep draws the next step of a random game at s.
func NextStep(s engine.State, rng *engine.RNG) int {
	if s.Player() == engine.Chance {
		return s.SampleChance(rng)
	}
	return Random(s, s.LegalActions(nil), rng)
}

// visit plays random games until about the given number of nodes have come up, and calls do at
// every node, ends included, with the history so far. For each change half as many suffice to
// find every fault of enginetest's TestSuiteFindsEveryFault.
func (c *suite) visit(t *trial, nodes int, do func(s engine.State, past []int)) {
	defer func() { t.past = nil }() // a fault has its history by then
	if t.shallow {
		c.visitShallow(t, do)
		return
	}
	rng := engine.NewRNG(t.seed, 0)
	s := c.game.NewState()
	for nodes = nightly.Cases(nodes/2, nodes); nodes > 0; {
		s.Reset()
		past := []int{}
		for ; s.Player() != engine.Terminal; nodes-- {
			t.past = past
			require.Less(t, len(past), c.spec.MaxHistory, "a random game is longer than Spec.MaxHistory")
			do(s, past)
			step := NextStep(s, rng)
			require.NoError(t, s.Apply(step), "after %v", past)
			past = append(past, step)
		}
		t.past = past
		do(s, past)
	}
}

// shallowNodes is how many nodes are visited in the order of their depth.
const shallowNodes = 3000

// visitShallow is visit for the first nodes of the game in the order of their depth, to find the shortest history.
func (c *suite) visitShallow(t *trial, do func(s engine.State, past []int)) {
	type reached struct {
		state engine.State
		past  []int
	}
	queue := []reached{{c.game.NewState(), []int{}}}
	for found := 1; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		t.past = at.past
		do(at.state, at.past)
		for _, step := range possible(at.state) {
			if found++; found > shallowNodes {
				break
			}
			next := at.state.Clone()
			require.NoError(t, next.Apply(step), "after %v", at.past)
			queue = append(queue, reached{next, append(slices.Clip(at.past), step)})
		}
	}
}

// look is visit for checks that take long at a node, each of which is looked at by itself: of games that have more
// nodes than are to come up, every twentieth of the others is looked at, and the end. In the nightly list all are.
func (c *suite) look(t *trial, nodes int, do func(s engine.State, past []int)) {
	left := nightly.Cases(nodes/2, nodes)
	c.visit(t, nodes, func(s engine.State, past []int) {
		if left--; left >= 0 || nightly.On || len(past)%20 == 0 || s.Player() == engine.Terminal {
			do(s, past)
		}
	})
}

// replay returns the state after the history.
func (c *suite) replay(t *trial, past []int) engine.State {
	s := c.game.NewState()
	for _, step := range past {
		require.NoError(t, s.Apply(step))
	}
	return s
}

// possible returns all steps that can be made at s, ascending.
func possible(s engine.State) []int {
	steps := s.LegalActions(nil)
	for _, o := range s.Outcomes(nil) {
		steps = append(steps, o.Index)
	}
	return steps
}

// position is everything that a state shows.
type position struct {
	Player       int
	Legal        []int
	Outcomes     []engine.Outcome
	Observations [][]float32
	Keys         [][]byte
	Returns      []float64
	Scores       []int64
	Text         string
}

func (c *suite) position(s engine.State) position {
	p := position{
		Player:   s.Player(),
		Legal:    s.LegalActions(nil),
		Outcomes: s.Outcomes(nil),
		Returns:  make([]float64, c.spec.Seats),
		Scores:   s.Scores(nil),
		Text:     s.String(),
	}
	s.Returns(p.Returns)
	for seat := range c.spec.Seats {
		p.Observations = append(p.Observations, c.observe(s, seat))
		p.Keys = append(p.Keys, s.InformationKey(seat, nil))
	}
	return p
}

// observe returns what Observe writes, with NaN where it writes nothing.
func (c *suite) observe(s engine.State, seat int) []float32 {
	observation := slices.Repeat([]float32{float32(math.NaN())}, c.spec.ObservationSize)
	s.Observe(seat, observation)
	return observation
}

// after describes how a node was reached. It formats the text only when a test fails.
type after []int

func (a after) String() string {
	if len(a) > 60 {
		return fmt.Sprintf("after %d steps", len(a))
	}
	return fmt.Sprintf("after %v", []int(a))
}
