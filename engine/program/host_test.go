package program_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/described"
	"croupier/engine/program"
	"croupier/games/kuhn"
	"croupier/games/standard"
	"croupier/internal/dialogue"
	"croupier/solver"
)

// hosting has this program of tests be a game for another one.
const hosting = "CROUPIER_TEST_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(hosting) != "" {
		if err := program.Answer(kuhn.Game{}, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Both sides of the protocol understand one another: a game that is played through a process of its own has the tree of
// the game.
func TestHostedKuhnIsKuhn(t *testing.T) {
	t.Setenv(hosting, "kuhn")
	command, err := program.Named("exec(copies=1):" + os.Args[0])
	require.NoError(t, err)
	p, err := program.Open(command)
	require.NoError(t, err)
	hosted, err := p.New(nil)
	require.NoError(t, err)
	own, err := solver.NewTree(kuhn.Game{}, 1000)
	require.NoError(t, err)
	theirs, err := solver.NewTree(hosted, 1000)
	require.NoError(t, err)
	require.Equal(t, own.Nodes(), theirs.Nodes())
	require.Equal(t, engine.Hidden, hosted.NewState().Seen(1, 0))
	require.Equal(t, kuhn.Game{}.NewState().OutcomeName(2), hosted.NewState().OutcomeName(2))
}

// answers has a game answer requests.
func answers(t *testing.T, g engine.Game, requests ...string) (list []map[string]any) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, program.Answer(g, strings.NewReader(strings.Join(requests, "\n")), &out))
	for line := range strings.Lines(out.String()) {
		var answer map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &answer))
		list = append(list, answer)
	}
	require.Len(t, list, len(requests))
	return list
}

// The beginning of a random game of each of the games: what the host says of every position is what the game says.
func TestHostsOfAllGames(t *testing.T) {
	for _, name := range standard.Games.Names() {
		t.Run(name, func(t *testing.T) {
			g, err := standard.Games.New(name, nil)
			require.NoError(t, err)
			s, rng := g.NewState(), engine.NewRNG(5, 0)
			var steps []int
			for s.Player() != engine.Terminal && len(steps) < 200 {
				steps = append(steps, random(s, rng))
				require.NoError(t, s.Apply(steps[len(steps)-1]))
			}
			history, err := json.Marshal(steps)
			require.NoError(t, err)
			list := answers(t, g, `{"type":"game","id":1,"version":1}`, fmt.Sprintf(`{"type":"steps","id":2,"items":[[[],%s]]}`,
				history), fmt.Sprintf(`{"type":"observe","id":3,"state":%s}`, history))
			description, err := json.Marshal(list[0]["description"])
			require.NoError(t, err)
			d, err := described.Read(description)
			require.NoError(t, err)
			require.Equal(t, g.Spec().Actions, d.ActionCount())
			nodes := list[1]["nodes"].([]any)[0].([]any)
			require.Len(t, nodes, len(steps))
			s.Reset()
			for i, step := range steps {
				requireSeen(t, g, s, step, nodes[i].(map[string]any)["seen"])
				require.NoError(t, s.Apply(step))
				requireNode(t, g, s, nodes[i].(map[string]any))
			}
			last := list[2]["observations"].([]any)
			require.Len(t, last, g.Spec().Seats)
			requireObservation(t, g, s, g.Spec().Seats-1, last[g.Spec().Seats-1])
		})
	}
}

func random(s engine.State, rng *engine.RNG) int {
	if s.Player() == engine.Chance {
		return s.SampleChance(rng)
	}
	legal := s.LegalActions(nil)
	return legal[rng.IntN(len(legal))]
}

func requireSeen(t *testing.T, g engine.Game, s engine.State, step int, seen any) {
	t.Helper()
	if g.Spec().PerfectInformation {
		require.Nil(t, seen)
		return
	}
	for seat, what := range seen.([]any) {
		require.InDelta(t, s.Seen(seat, step), what, 0)
	}
}

func requireNode(t *testing.T, g engine.Game, s engine.State, n map[string]any) {
	t.Helper()
	require.InDelta(t, s.Player(), n["player"], 0)
	steps := n["steps"].([]any)
	switch player := s.Player(); {
	case player >= 0:
		for i, action := range s.LegalActions(nil) {
			require.InDelta(t, action, steps[i], 0)
		}
		requireObservation(t, g, s, player, n["observation"])
	case player == engine.Chance:
		requireOutcomes(t, s.Outcomes(nil), steps, n["weights"])
	default:
		returns := make([]float64, g.Spec().Seats)
		s.Returns(returns)
		for seat, r := range n["returns"].([]any) {
			require.InDelta(t, returns[seat], r, 0)
		}
	}
	if scores := s.Scores(nil); len(scores) > 0 {
		require.Len(t, n["scores"], len(scores))
	}
}

func requireObservation(t *testing.T, g engine.Game, s engine.State, seat int, want any) {
	t.Helper()
	values := make([]float32, g.Spec().ObservationSize)
	s.Observe(seat, values)
	for i, v := range want.([]any) {
		require.Equal(t, values[i], float32(v.(float64)))
	}
}

// requireOutcomes requires the probabilities to be the shares of the weights.
func requireOutcomes(t *testing.T, outcomes []engine.Outcome, steps []any, weights any) {
	t.Helper()
	require.Len(t, steps, len(outcomes))
	total := float64(len(outcomes))
	if weights != nil {
		total = 0
		for _, w := range weights.([]any) {
			total += w.(float64)
		}
	}
	for i, o := range outcomes {
		weight := 1.0
		if weights != nil {
			weight = weights.([]any)[i].(float64)
		}
		require.InDelta(t, o.Probability, weight/total, 1e-9)
		require.InDelta(t, o.Index, steps[i], 0)
	}
}

// uneven is a game whose chance has any probabilities.
type uneven struct {
	engine.Game
	list []engine.Outcome
}

func (u uneven) NewState() engine.State { return unevenState{u.Game.NewState(), u.list} }

type unevenState struct {
	engine.State
	list []engine.Outcome
}

func (u unevenState) Outcomes([]engine.Outcome) []engine.Outcome { return u.list }

func (u unevenState) LegalActions(buf []int) []int { return buf }

// Weights are exact where probabilities are fractions, and near where they are not.
func TestWeightsOfAHost(t *testing.T) {
	for _, test := range []struct {
		probabilities []float64
		want          []any // where they are exact
	}{
		{[]float64{1.0 / 5, 4.0 / 5}, []any{1.0, 4.0}},
		{[]float64{1.0 / 3, 2.0 / 3}, []any{1.0, 2.0}},
		{[]float64{1.0 / 4, 1.0 / 6, 7.0 / 12}, []any{3.0, 2.0, 7.0}},
		{[]float64{0.7, 0.3 - 1e-10, 1e-10}, nil},
		{[]float64{0.7071067811865476, 0.2928932188134524}, nil},
	} {
		var outcomes []engine.Outcome
		var steps []any
		for i, p := range test.probabilities {
			outcomes = append(outcomes, engine.Outcome{Index: i, Probability: p})
			steps = append(steps, float64(i))
		}
		node := answers(t, uneven{kuhn.Game{}, outcomes}, `{"type":"game","id":1,"version":1}`)[0]["node"].(map[string]any)
		requireOutcomes(t, outcomes, steps, node["weights"])
		if test.want != nil {
			require.Equal(t, test.want, node["weights"])
		}
	}
}

// A wrong question is answered with what is wrong, and the next one is answered.
func TestWrongQuestionsToAHost(t *testing.T) {
	list := answers(t, kuhn.Game{},
		`{"type":"game","id":1,"version":2}`, `{"type":"game","id":2,"version":1,"rules":{"x":1}}`, `{"type":"jump","id":3}`,
		`{"type":"steps","id":4,"items":[[[0],[1]],[[0,0],[1]]]}`, `{"type":"steps","id":5,"items":[[[0,1],[7]]]}`,
		`{"type":"seen","id":6,"state":[0,1],"step":4}`, `{"type":"steps","id":7,"items":[[[0,1],[1,7]]]}`,
		`{"type":"text","id":8,"state":[0,1]}`, `{"type":"name","id":9,"state":[0,1],"step":1}`,
		`{"type":"seen","id":10,"state":[],"step":2}`, `{"type":"name","id":11,"state":[],"step":2}`)
	for i, want := range []string{"version 2 of the protocol is not spoken here, only 1",
		"the rules are those with which the program was started", `there is no request "jump"`, "after [0]: ",
		"step 7 is not possible after [0 1]", "step 4 is not possible after [0 1]"} {
		require.Contains(t, list[i]["error"], want)
		require.InDelta(t, i+1, list[i]["id"], 0)
	}
	require.InDelta(t, 1, list[3]["item"], 0)
	require.InDelta(t, 0, list[4]["item"], 0)
	require.Len(t, list[6]["nodes"].([]any)[0], 1, "until the step that is not possible")
	require.NotEmpty(t, list[7]["text"])
	require.Equal(t, "bet", list[8]["text"])
	require.Equal(t, []any{2.0, -1.0}, list[9]["seen"])
	require.Equal(t, "K", list[10]["text"])
	for line, want := range map[string]string{
		`{]`:                                    "it is not a JSON object",
		`{"type": 5}`:                           "type: a number is of the wrong kind",
		`{"type": "steps", "items": [[[], 3]]}`: "items: a number is of the wrong kind",
	} {
		err := program.Answer(kuhn.Game{}, strings.NewReader(`{"type":"game","id":1,"version":1}`+"\n"+line), &bytes.Buffer{})
		require.EqualError(t, err, "line 2: invalid request "+dialogue.Quote([]byte(line))+": "+want)
	}
	err := program.Answer(kuhn.Game{}, strings.NewReader(strings.Repeat(" ", 65<<20)), &bytes.Buffer{})
	require.ErrorContains(t, err, "line 1 has more than ")
}
