// Package enginetest checks that a game keeps every promise of package engine.
//
// A game's own test calls [Run] once, with every set of rules worth checking next to the
// defaults:
//
//	func TestConformance(t *testing.T) { enginetest.Run(t, bank.New, "players: 2", "repoll: false") }
//
// The games are played by uniformly random choice from fixed seeds, so a failure
// repeats. The golden playthroughs in the game's folder testdata are compared as
// well; go test -update writes them, for a new game and when a change is intended.
//
// All games here are zero-sum, and the suite requires it.
package enginetest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/nightly"
)

// New reads a rules document and makes the game, as in the list of package games.
type New func(rules []byte) (engine.Game, error)

// Run checks the game under its default rules and under each of the documents.
func Run(t *testing.T, newGame New, documents ...string) {
	documents = append([]string{""}, documents...)
	games := make([]engine.Game, len(documents))
	for i, document := range documents {
		g, err := newGame([]byte(document))
		require.NoError(t, err, "rules %q", document)
		games[i] = g
		name := document
		if name == "" {
			name = "default rules"
		}
		t.Run(name, func(t *testing.T) { newSuite(g).run(t, newGame) })
	}
	t.Run("figure weights", func(t *testing.T) { checkFigureWeights(quick{t}, games) })
	t.Run("golden", func(t *testing.T) { checkGolden(t, games) })
}

// quick is a test whose Helper does nothing. The functions of package require call it for each value that is checked,
// and it walks the stack, which took a quarter of the suite's time. They name the place of a failure without it.
type quick struct{ *testing.T }

func (quick) Helper() {}

// suite checks one game.
type suite struct {
	game engine.Game
	spec *engine.Spec
}

func newSuite(g engine.Game) *suite { return &suite{game: g, spec: g.Spec()} }

func (c *suite) run(t *testing.T, newGame New) {
	for _, check := range []struct {
		name string
		run  func(quick)
	}{
		{"spec", c.checkSpec},
		{"rules", func(t quick) { c.checkRules(t, newGame) }},
		{"nodes", c.checkNodes},
		{"illegal steps", c.checkIllegalSteps},
		{"ends", c.checkEnds},
		{"copies", c.checkCopies},
		{"reset", c.checkReset},
		{"seeds", c.checkSeeds},
		{"histories", func(t quick) { c.checkHistories(t, newGame) }},
		{"chance", c.checkChance},
		{"observations", c.checkObservations},
		{"information", c.checkInformation},
		{"hidden information", c.checkHidden},
		{"written positions", c.checkWritten},
		{"views", c.checkViews},
		{"doors", c.checkDoors},
		{"open cards", c.checkOpenCards},
		{"people", c.checkPeople},
		{"bots", c.checkBots},
		{"figures", c.checkFigures},
		{"allocations", c.checkAllocations},
	} {
		t.Run(check.name, func(t *testing.T) { check.run(quick{t}) })
	}
}

// random plays every legal action with the same probability.
var random = engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int {
	return legal[rng.IntN(len(legal))]
})

// seats gives every seat the same player.
func (c *suite) seats(player engine.Bot) []engine.Bot {
	return slices.Repeat([]engine.Bot{player}, c.spec.Seats)
}

// nextStep draws the next step of a random game at s.
func nextStep(s engine.State, rng *engine.RNG) int {
	if s.Player() == engine.Chance {
		return s.SampleChance(rng)
	}
	return random(s, s.LegalActions(nil), rng)
}

// visit plays random games until about the given number of nodes have come up, and calls do at
// every node, ends included, with the history so far. For each change half as many suffice to
// find every fault of TestSuiteFindsEveryFault.
func (c *suite) visit(t quick, nodes int, do func(s engine.State, past []int)) {
	rng := engine.NewRNG(1, 0)
	s := c.game.NewState()
	for nodes = nightly.Cases(nodes/2, nodes); nodes > 0; {
		s.Reset()
		past := []int{}
		for ; s.Player() != engine.Terminal; nodes-- {
			require.Less(t, len(past), c.spec.MaxHistory, "a random game is longer than Spec.MaxHistory")
			do(s, past)
			step := nextStep(s, rng)
			require.NoError(t, s.Apply(step), "after %v", past)
			past = append(past, step)
		}
		do(s, past)
	}
}

// look is visit for checks that take long at a node, each of which is looked at by itself: of games that have more
// nodes than are to come up, every twentieth of the others is looked at, and the end. In the nightly list all are.
func (c *suite) look(t quick, nodes int, do func(s engine.State, past []int)) {
	left := nightly.Cases(nodes/2, nodes)
	c.visit(t, nodes, func(s engine.State, past []int) {
		if left--; left >= 0 || nightly.On || len(past)%20 == 0 || s.Player() == engine.Terminal {
			do(s, past)
		}
	})
}

// replay returns the state after the history.
func (c *suite) replay(t quick, past []int) engine.State {
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

// after tells how a node was reached. It formats the text only when a test fails.
type after []int

func (a after) String() string {
	if len(a) > 60 {
		return fmt.Sprintf("after %d steps", len(a))
	}
	return fmt.Sprintf("after %v", []int(a))
}
