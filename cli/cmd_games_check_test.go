package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine"
	"croupier/games/kuhn"
)

// leaky is Kuhn poker in which a seat observes the other's card once both have one.
type leaky struct{ engine.Game }

func (leaky) Bots() *engine.Bots { return &engine.Bots{Game: "kuhn"} }

func (g leaky) NewState() engine.State { return &leakyState{g.Game.NewState(), g} }

type leakyState struct {
	engine.State
	game leaky
}

func (s *leakyState) Clone() engine.State       { return &leakyState{s.State.Clone(), s.game} }
func (s *leakyState) CopyFrom(src engine.State) { s.State.CopyFrom(src.(*leakyState).State) }

func (s *leakyState) Observe(seat int, dst []float32) {
	s.State.Observe(seat, dst)
	if s.Player() >= 0 {
		dst[0] = float32(s.State.(*kuhn.State).Card(1-seat)) / 2
	}
}

// The shortest history is the deal: each seat has seen no more than its own card.
func TestGamesCheckFindsWhatASeatMustNotSee(t *testing.T) {
	all := installed
	installed = program{all.catalog.With(catalog.Game{Name: "leaky", New: func(rules []byte) (engine.Game, error) {
		g, err := kuhn.New(rules)
		return leaky{g}, err
	}})}
	t.Cleanup(func() { installed = all })
	status, out, stderr := croupier("", "games", "check", "leaky", "--json")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "croupier: leaky has ")
	var r checkedGame
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	found := map[string]checked{}
	for _, c := range r.Checks {
		found[c.Name] = c
	}
	hidden := found["hidden information"]
	require.Equal(t, broken, hidden.Result)
	require.Len(t, hidden.History, 2, "two cards")
	require.Len(t, hidden.Steps, 2)
	require.Contains(t, hidden.Fault, "which looks the same to seat ")
	require.Equal(t, kept, found["nodes"].Result)
	require.Equal(t, broken, found["information"].Result, "the same was seen, and another observation")
	require.Zero(t, r.Plain, "the speed of a game with faults is not measured")

	_, out, _ = croupier("", "games", "check", "leaky")
	require.Contains(t, out, "hidden information  broken\n    Promised: What a seat observes ")
	require.Contains(t, out, "    Shortest history: [")
}

func TestGamesCheckOfAFile(t *testing.T) {
	anotherProcess(t)
	out := succeed(t, "", "games", "check", kitFile(t, "kits/c/connect-four.wasm"))
	require.Contains(t, out, "connect-four has no fault.\n")
	require.Contains(t, out, "hidden information  nothing to check: nothing is hidden\n")
	require.Contains(t, out, "  written positions: advise, serve and the page Advice are asked by a history")
	require.Contains(t, out, "  exact answers: no curve of exploitability: it has more than 100000 nodes\n")
	require.Regexp(t, `one core: [1-9]\d* decisions a second, [1-9]\d* with observation`, out)
	require.Contains(t, refused(t, 2, "games", "check", "kuhn", "--set", "learner.horizon=1"), "only rules can be set here")
	require.Contains(t, refused(t, 2, "games", "check", "none"), "unknown game")
	status, out, stderr := croupier("", "games", "check", kitFile(t, "testdata/hostile/rare-trap.wasm"))
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "croupier: coin has ")
	require.Contains(t, out, "    Found: export step(1): unreachable.\n    Shortest history: [1 1 1 1 1 1 1] (")
}
