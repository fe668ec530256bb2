package play

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/messages"
	"croupier/nn"
	"croupier/nn/nntest"
	"croupier/policy"
)

// asking returns what asks the named agent, among those that come with the program.
func asking(name string) Assess {
	return func(ctx context.Context, game engine.Game, _ string) (Agent, error) {
		return Find(ctx, known(game), name)
	}
}

// randomGame is a game of random moves, as a line and as steps.
func randomGame(t *testing.T, game engine.Game, seed uint64) (string, []int) {
	t.Helper()
	story, err := NewStory(game, nil)
	require.NoError(t, err)
	rng := engine.NewRNG(seed, 0)
	for story.Player() != engine.Terminal {
		step := 0
		if story.Player() == engine.Chance {
			step = story.State().SampleChance(rng)
		} else {
			step = policy.Random{}.Choose(story.State(), story.State().LegalActions(nil), rng)
		}
		require.NoError(t, story.Apply(step, ""))
	}
	record := story.Record(nil)
	return string(history.Append(nil, record)), record.History
}

func newGame(t *testing.T, name, rules string) engine.Game {
	t.Helper()
	game, err := standard.Games.New(name, []byte(rules))
	require.NoError(t, err)
	return game
}

// What comes with the program tells what each game is worth: shares of the win, or amounts in the coin of the game, and
// results in the end.
func TestOutlookOfEveryGame(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		game := newGame(t, entry.Name, "")
		line, steps := randomGame(t, game, 5)
		o, err := OutlookOf(t.Context(), []byte(line), standard.Games.New, asking(agents.Trained), "")
		require.NoError(t, err, entry.Name)
		require.Len(t, o.Values, len(steps)+1)
		require.False(t, o.Solution || o.Exact)
		spec, end := game.Spec(), o.Values[len(steps)]
		_, scale := spec.Coin.Shown("")
		largest := spec.MaxReturn * scale
		if spec.Payoff == engine.WinLoss {
			largest = 1
		}
		sum := 0.0
		for seat := range spec.Seats {
			sum += *end[seat]
			for _, values := range o.Values {
				if v := values[seat]; v != nil {
					require.True(t, *v >= -largest && *v <= largest, "%s: %v", entry.Name, *v)
				}
			}
		}
		if spec.Payoff == engine.WinLoss {
			require.Equal(t, "win probability", o.Unit)
			require.InDelta(t, 1, sum, 1e-9)
		} else {
			require.InDelta(t, 0, sum, 1e-9)
		}
	}
}

// A solution has exact values: those of the best action while a seat chooses, then that of the action, and the other
// seat has the rest.
func TestOutlookOfASolution(t *testing.T) {
	game := newGame(t, "pig", "target: 20")
	line, steps := randomGame(t, game, 1)
	o, err := OutlookOf(t.Context(), []byte(line), standard.Games.New, asking("solver:optimal"), "")
	require.NoError(t, err)
	require.True(t, o.Solution && o.Exact && !o.Hidden)
	player, err := known(game).Player(t.Context(), "solver:optimal")
	require.NoError(t, err)
	optimum, s := player.Policy().(policy.Valuer), game.NewState()
	for i, step := range steps {
		seat, now := s.Player(), o.Values[i]
		if seat >= 0 {
			legal := s.LegalActions(nil)
			values := make([]policy.Value, len(legal))
			optimum.Values(s, legal, values)
			best, taken := 0.0, 0.0
			for j, v := range values {
				best = max(best, v.Mean)
				if legal[j] == step {
					taken = v.Mean
				}
			}
			require.InDelta(t, best, *now[seat], 1e-9)
			if next := s.Clone(); next.Apply(step) == nil && next.Player() == engine.Chance {
				require.InDelta(t, taken, *o.Values[i+1][seat], 1e-9, "before the roll")
			}
		}
		if now[0] != nil {
			require.InDelta(t, 1, *now[0]+*now[1], 1e-9)
		}
		require.NoError(t, s.Apply(step))
	}
}

// What a seat's game is worth does not reveal the cards that the seat does not see.
func TestOutlookKeepsHiddenCards(t *testing.T) {
	of := func(dealt int) *Outlook {
		o, err := OutlookOf(t.Context(), fmt.Appendf(nil, `{"game": "kuhn", "history": [1, %d, 0, 1, 0]}`, dealt),
			standard.Games.New, asking("solver:equilibrium"), "")
		require.NoError(t, err)
		return o
	}
	low, high := of(0), of(2)
	require.True(t, low.Hidden && low.Exact)
	require.Equal(t, "antes", low.Unit)
	for step := range low.Values[:5] {
		require.Equal(t, low.Values[step][0], high.Values[step][0], "step %d", step)
	}
	require.NotEqual(t, low.Values[3][1], high.Values[3][1], "the other seat has another card")
}

// At a table the forecast continues from step to step, also that of a network with a memory, and begins again where
// moves were taken back; it says what a review of the whole game says.
func TestOutlookAtATable(t *testing.T) {
	game := newGame(t, "bank", "rounds: 2")
	network := nntest.Network(t, nn.Description{LSTM: []int{6}, Dense: []int{8}}, game.Spec())
	remembering := func(context.Context, engine.Game, string) (Agent, error) {
		return Agent{Name: "main@1", Recurrent: func() bool { return true },
			New: func() (policy.Policy, error) { return nn.NewPolicy(network, policy.Greedy), nil }}, nil
	}
	line, steps := randomGame(t, game, 3)
	whole, err := OutlookOf(t.Context(), []byte(line), standard.Games.New, remembering, "")
	require.NoError(t, err)
	require.NotEqual(t, whole.Values[len(steps)/2], whole.Values[len(steps)-1])

	begun := 0
	begin := func() (*forecast, error) {
		begun++
		return Assess(remembering).begin(t.Context(), game, nil, "")
	}
	var a assessed
	for i := 0; i <= len(steps); i += 3 {
		o, err := a.follow(steps[:i], 0, begin)
		require.NoError(t, err)
		require.Equal(t, i, o.From)
		require.Equal(t, whole.Values[i], o.Values[0], "step %d", i)
	}
	require.Equal(t, 1, begun)
	back, err := a.follow(steps[:4], 1, begin)
	require.NoError(t, err)
	require.Equal(t, whole.Values[4], back.Values[0], "after four moves were taken back")
	require.Equal(t, 2, begun)
	_, err = newForecast(game, game.NewState(), Agent{Name: "main@1", Recurrent: func() bool { return true },
		New: func() (policy.Policy, error) { return nn.NewPolicy(network, policy.Greedy), nil }})
	require.EqualError(t, err, "main@1 has a memory, and the game was joined under way")
}

// Spectators are shown what a game is worth where nothing is hidden and people do not play against one another.
func TestOutlookIsForWhoWatches(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		h.Assess = asking(agents.Trained)
		refused := func(made *Made, key, why string) {
			t.Helper()
			_, err := h.Outlook(t.Context(), made.Table, key)
			require.ErrorContains(t, err, why)
			require.False(t, seen(t, h, made, key).Table.Outlook)
		}
		pig := lay(t, h, "pig", SeatRequest{Agent: "random"})
		require.True(t, seen(t, h, pig, pig.Watch).Table.Outlook)
		o, err := h.Outlook(t.Context(), pig.Table, pig.Watch)
		require.NoError(t, err)
		require.Equal(t, "trained", o.Agent)
		require.Len(t, o.Values, 1)
		require.InDelta(t, 1, *o.Values[0][0]+*o.Values[0][1], 1e-9)
		refused(pig, pig.Keys[0], "for those who watch")
		rivals := lay(t, h, "pig", SeatRequest{Person: "Ben"})
		refused(rivals, rivals.Watch, "where people play against one another")
		hidden := lay(t, h, "kuhn", SeatRequest{Agent: "random"})
		refused(hidden, hidden.Watch, "it depends on the cards")
		open := lay(t, h, "pig", SeatRequest{Open: true})
		refused(open, open.Watch, "has not begun")
		h.Assess = func(context.Context, engine.Game, string) (Agent, error) { return Agent{}, errNoAssessor }
		unknown := lay(t, h, "pig", SeatRequest{Agent: "random"})
		o, err = h.Outlook(t.Context(), unknown.Table, unknown.Watch)
		require.NoError(t, err)
		require.Equal(t, &Outlook{Values: [][]*float64{}}, o)
		h.Assess = asking("hold(20)")
		bot := lay(t, h, "pig", SeatRequest{Agent: "random"})
		_, err = h.Outlook(t.Context(), bot.Table, bot.Watch)
		require.EqualError(t, err, "hold(20) does not tell what the game is worth")
		h.Assess = nil
		refused(bot, bot.Watch, "nobody here says")
	})
}

// A solution is asked first, then the best version of the run, then the network that comes with the program.
func TestAssessor(t *testing.T) {
	of := func(a *agents.Agents, best string) string {
		found, err := Assessor(t.Context(), a, &messages.Ladder{Agents: []messages.LadderAgent{{Name: best, Best: true}}})
		if err != nil {
			return err.Error()
		}
		return found.Name
	}
	versions := func(game engine.Game) *agents.Agents {
		network, err := nn.NewFile(nntest.Network(t, nn.Description{}, game.Spec()), game, nil)
		require.NoError(t, err)
		file, err := network.Encode()
		require.NoError(t, err)
		return agents.New(game, agents.Sources{Catalog: standard.Games,
			Frozen: func(_ context.Context, name string) ([]byte, error) {
				if name == "main@3" {
					return file, nil
				}
				return nil, errors.New("there is no such version")
			}})
	}
	require.Equal(t, "solver:optimal", of(versions(newGame(t, "pig", "target: 20")), "main@3"))
	bank := newGame(t, "bank", "")
	require.Equal(t, "greedy:main@3", of(versions(bank), "main@3"))
	require.Equal(t, "greedy:trained", of(versions(bank), "main@4"), "its weights are gone")
	_, err := Assessor(t.Context(), agents.New(bank, agents.Sources{}), nil)
	require.ErrorIs(t, err, errNoAssessor)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Assessor(ended, agents.New(bank, agents.Sources{}), nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestOutlookRefuses(t *testing.T) {
	for line, why := range map[string]string{
		"":                                     "history is empty",
		"{":                                    "line 1",
		`{"game": "chess", "history": []}`:     "chess",
		`{"game": "kuhn", "history": [0, 0]}`:  "step 1",
		`{"game": "kuhn", "history": [0, 1.]}`: "line 1",
	} {
		_, err := OutlookOf(t.Context(), []byte(line), standard.Games.New, asking(agents.Trained), "")
		require.ErrorContains(t, err, why)
	}
	line := []byte(`{"game": "kuhn", "history": [2, 1, 0, 1, 0]}`)
	o, err := OutlookOf(t.Context(), line, standard.Games.New, nil, "")
	require.NoError(t, err)
	require.Equal(t, nobody(newGame(t, "kuhn", "").Spec()), o)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = OutlookOf(ctx, line, standard.Games.New, asking(agents.Trained), "")
	require.ErrorIs(t, err, context.Canceled)
}
