package enginetest_test

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
	"croupier/games/kuhn"
)

// faults are ways to break a game that works, and the check that must find each.
var faults = map[string]string{
	"segments leave a gap":             "spec",
	"unknown rules are ignored":        "rules",
	"legal actions descend":            "nodes",
	"probabilities sum to less":        "nodes",
	"illegal steps are ignored":        "illegal steps",
	"illegal steps change the state":   "illegal steps",
	"returns do not sum to zero":       "ends",
	"returns come before the end":      "ends",
	"copies forget a step":             "copies",
	"clones are the state itself":      "copies",
	"reset does nothing":               "reset",
	"chance ignores the seed":          "seeds",
	"returns change from game to game": "histories",
	"the deck is stacked":              "chance",
	"sampling moves the state":         "chance",
	"an observation is NaN":            "observations",
	"an element is not written":        "observations",
	"keys forget the betting":          "information",
	"keys show hidden cards":           "information",
	"keys show what goes unnoticed":    "information",
	"observations show hidden cards":   "hidden information",
	"a bot peeks":                      "hidden information",
	"positions show hidden cards":      "written positions",
	"positions forget the betting":     "written positions",
	"a page forgets the betting":       "notations",
	"a terminal forgets the card":      "notations",
	"own cards are dealt again":        "written positions",
	"a bot plays what is not legal":    "bots",
	"a bot is moody":                   "bots",
	"a bot is not told of":             "bots",
	"figures are not listed":           "figures",
	"measuring changes the state":      "figures",
	"measuring depends on the weather": "figures",
	"a share exceeds its weight":       "figures",
	"a figure is infinite":             "figures",
	"observing allocates":              "allocations",
	"measuring allocates":              "allocations",
}

const faultVariable = "ENGINETEST_FAULT"

// TestBrokenGame fails, as it should, when TestSuiteFindsEveryFault starts it.
func TestBrokenGame(t *testing.T) {
	fault := os.Getenv(faultVariable)
	if fault == "" {
		return // only for the tests below
	}
	enginetest.Run(t, func(rules []byte) (engine.Game, error) {
		if fault == "unknown rules are ignored" {
			rules = nil
		}
		g, err := kuhn.New(rules)
		return &game{g, fault}, err
	})
}

func TestSuiteFindsEveryFault(t *testing.T) {
	for fault, check := range faults {
		t.Run(fault, func(t *testing.T) {
			require.Contains(t, runBroken(t, fault, check), "--- FAIL: TestBrokenGame/default_rules/")
			require.NotContains(t, runBroken(t, "none", check), "FAIL")
		})
	}
}

// What a game does not have is named once and is no test left out.
func TestWhatDoesNotApplyIsNoSkip(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run=^TestBrokenGame$/^default rules$/^(information|open cards)$")
	cmd.Env = append(os.Environ(), faultVariable+"=none")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestBrokenGame/default_rules/open_cards")
	require.Contains(t, string(out), "kuhn has nothing to check for: open cards (nothing is said about open cards)")
	require.NotContains(t, string(out), "SKIP")
}

// runBroken runs one check on Kuhn poker with the fault and returns what it prints.
func runBroken(t *testing.T, fault, check string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBrokenGame$/^default rules$/^"+check+"$")
	cmd.Env = append(os.Environ(), faultVariable+"="+fault)
	out, err := cmd.CombinedOutput()
	require.Equal(t, fault != "none", err != nil, "%s", out)
	require.NotContains(t, string(out), "panic:")
	return string(out)
}

// game is Kuhn poker with a fault.
type game struct {
	engine.Game
	fault string
}

func (g *game) Spec() *engine.Spec {
	spec := *g.Game.Spec()
	if g.fault == "segments leave a gap" {
		spec.Segments = slices.Delete(slices.Clone(spec.Segments), 1, 2)
	}
	if g.fault == "figures are not listed" {
		spec.Figures = nil
	}
	return &spec
}

func (g *game) ParsePosition(document []byte, rng *engine.RNG) (engine.State, []string, error) {
	s, notes, err := g.Game.(engine.Positioned).ParsePosition(document, rng)
	return &state{State: s, fault: g.fault}, notes, err
}

func (g *game) FormatPosition(s engine.State, seat int) []byte {
	document := g.Game.(engine.Positioned).FormatPosition(s.(*state).State, seat)
	switch g.fault {
	case "positions show hidden cards":
		document = append(document, strings.Repeat(" ", len(s.(*state).hidden()))...)
	case "positions forget the betting":
		document = []byte(string(document[:bytes.IndexByte(document, '[')]) + "[]}")
	}
	return document
}

func (g *game) View(s engine.State, eye int) any {
	view := g.Game.(engine.Viewed).View(s.(*state).State, eye).(kuhn.View)
	switch g.fault {
	case "a page forgets the betting":
		view.Paid, view.Moves = [2]int{}, nil
	case "a terminal forgets the card":
		return mute{view}
	}
	return view
}

// mute is a view whose text leaves something out.
type mute struct{ kuhn.View }

func (m mute) String() string {
	m.Cards = [2]string{}
	return m.View.String()
}

func (g *game) ExamplePosition() []byte { return g.Game.(engine.Positioned).ExamplePosition() }

func (s *state) Redeal(seat int, rng *engine.RNG) {
	if s.fault == "own cards are dealt again" {
		seat = 1 - seat
	}
	s.State.(engine.Redealer).Redeal(seat, rng)
}

func (g *game) NewState() engine.State { return &state{State: g.Game.NewState(), fault: g.fault} }

// moods are random bits that belong to no game.
var moods engine.RNG

func (g *game) Bots() *engine.Bots {
	bots := *g.Game.Bots()
	bots.Table = slices.Clone(bots.Table)
	for i := range bots.Table {
		if g.fault == "a bot is not told of" {
			bots.Table[i].Help = ""
		}
		make := bots.Table[i].New
		bots.Table[i].New = func(numbers []float64) (engine.Bot, error) {
			bot, err := make(numbers)
			return g.faulty(bot), err
		}
	}
	return &bots
}

func (g *game) faulty(bot engine.Bot) engine.Bot {
	return engine.BotFunc(func(s engine.State, legal []int, rng *engine.RNG) int {
		switch g.fault {
		case "a bot peeks":
			return len(s.String()+s.(*state).hidden()) % 2
		case "a bot plays what is not legal":
			return 2
		case "a bot is moody":
			return legal[moods.IntN(len(legal))]
		}
		return bot.Choose(s.(*state).State, legal, rng)
	})
}

// state is a state of Kuhn poker with a fault.
type state struct {
	engine.State
	fault string
	dirt  string // what should not have changed
}

// hidden is a text whose length reveals the cards of both seats.
func (s *state) hidden() string {
	cards := ""
	for seat := range 2 {
		cards += string(make([]byte, (seat+1)*(1+s.State.(*kuhn.State).Card(seat))))
	}
	return cards
}

func (s *state) String() string { return s.State.String() + s.dirt }

func (s *state) Reset() {
	if s.fault != "reset does nothing" {
		s.State.Reset()
	}
}

func (s *state) LegalActions(buf []int) []int {
	legal := s.State.LegalActions(buf)
	if s.fault == "legal actions descend" {
		slices.Reverse(legal[len(buf):])
	}
	return legal
}

func (s *state) Outcomes(buf []engine.Outcome) []engine.Outcome {
	outcomes := s.State.Outcomes(buf)
	if s.fault == "probabilities sum to less" && len(outcomes) > len(buf) {
		outcomes[len(buf)].Probability /= 2
	}
	return outcomes
}

func (s *state) SampleChance(rng *engine.RNG) int {
	switch s.fault {
	case "chance ignores the seed":
		return s.State.SampleChance(&moods)
	case "the deck is stacked":
		return s.State.Outcomes(nil)[0].Index
	case "sampling moves the state":
		s.dirt += "!"
	}
	return s.State.SampleChance(rng)
}

func (s *state) Apply(step int) error {
	err := s.State.Apply(step)
	switch {
	case err != nil && s.fault == "illegal steps are ignored":
		return nil
	case err != nil && s.fault == "illegal steps change the state":
		s.dirt += "!"
	}
	return err
}

func (s *state) Returns(dst []float64) {
	s.State.Returns(dst)
	switch {
	case s.fault == "returns come before the end":
		dst[0], dst[1] = 1, -1
	case s.Player() != engine.Terminal:
	case s.fault == "returns do not sum to zero":
		dst[0]++
	case s.fault == "returns change from game to game" && moods.IntN(2) == 0:
		dst[0], dst[1] = dst[1], dst[0]
	}
}

func (s *state) Observe(seat int, dst []float32) {
	before := dst[len(dst)-1]
	s.State.Observe(seat, dst)
	switch s.fault {
	case "an observation is NaN":
		dst[3] = float32(math.NaN())
	case "an element is not written":
		dst[len(dst)-1] = before
	case "observations show hidden cards":
		dst[0] = float32(len(s.hidden()))
	case "observing allocates":
		copy(dst, slices.Clone(dst))
	}
}

func (s *state) MeasureStep(step int, sums engine.Sums) {
	s.State.(engine.Measured).MeasureStep(step, sums)
	switch s.fault {
	case "measuring changes the state":
		s.dirt += "!"
	case "measuring depends on the weather":
		sums.Add(0, 0, 0, float64(moods.IntN(2)))
	case "measuring allocates":
		waste = make([]int, 1)
	}
}

// waste keeps an allocation from being optimised away.
var waste []int

func (s *state) MeasureEnd(sums engine.Sums) {
	s.State.(engine.Measured).MeasureEnd(sums)
	switch s.fault {
	case "a share exceeds its weight":
		sums.Add(0, 0, 100, 0)
	case "a figure is infinite":
		sums.Add(0, 0, math.Inf(1), 1)
	}
}

func (s *state) InformationKey(seat int, buf []byte) []byte {
	key := s.State.InformationKey(seat, buf)
	switch s.fault {
	case "keys forget the betting":
		key = key[:min(len(key), len(buf)+2)]
	case "keys show hidden cards":
		key = append(key, s.hidden()...)
	}
	return key
}

func (s *state) Seen(seat, step int) int {
	if s.fault == "keys show what goes unnoticed" && s.Player() == 1-seat {
		return engine.Unnoticed
	}
	return s.State.Seen(seat, step)
}

func (s *state) CopyFrom(src engine.State) {
	if s.fault != "copies forget a step" {
		s.State.CopyFrom(src.(*state).State)
	}
}

func (s *state) Clone() engine.State {
	if s.fault == "clones are the state itself" {
		return s
	}
	return &state{State: s.State.Clone(), fault: s.fault, dirt: s.dirt}
}
