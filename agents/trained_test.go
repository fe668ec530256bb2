package agents

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/policy"
)

func TestTrainedNetworksPlayTheirGames(t *testing.T) {
	for _, name := range standard.Games.Names() {
		game, err := standard.Games.New(name, nil)
		require.NoError(t, err)
		a := New(game, Sources{Catalog: standard.Games})
		for _, agent := range []string{"trained", "greedy:trained", "search(1,1):trained"} {
			_, err := a.Player(t.Context(), agent)
			if spec := game.Spec(); spec.PerfectInformation || spec.Determinisable || !isSearch(agent) {
				require.NoError(t, err, name)
			} else {
				require.ErrorContains(t, err, "cannot be searched", name)
			}
			require.Equal(t, "network", Kind(agent))
		}
		p, err := a.Player(t.Context(), "greedy:trained")
		require.NoError(t, err)
		require.Equal(t, policy.Greedy, p.Temperature)
		require.Contains(t, a.References(), DefaultPlay(game.Spec(), Trained))
	}
}

// The network of a game's own rules plays by these, that of its family at the other tables, and by other rules none.
func TestTrainedNetworksKnowTheirRules(t *testing.T) {
	at := func(name, rules string) *Agents {
		game, err := standard.Games.New(name, []byte(rules))
		require.NoError(t, err)
		return New(game, Sources{Catalog: standard.Games})
	}
	require.False(t, at("bank", "").OfFamily())
	for _, rules := range []string{"players: 4", "players: 8", "rounds: 20", "{players: 5, rounds: 15, repoll: false}"} {
		known := at("bank", rules)
		require.True(t, known.OfFamily(), rules)
		require.False(t, known.OnlyBots())
		require.Contains(t, known.References(), "greedy:trained")
		_, err := known.Player(t.Context(), "greedy:trained")
		require.NoError(t, err)
		levels := known.Levels()
		require.Contains(t, levels[len(levels)-1].Agent, "trained", rules)
	}
	for _, rules := range []string{"game: {target_score: 500, lock_score: 400}", "bombing: {enabled: false}",
		"trick_rules: {must_overtake: false, must_overtrump: false}"} {
		known := at("tysiac", rules)
		require.True(t, known.OfFamily(), rules)
		levels := known.Levels()
		require.Equal(t, "greedy:trained", levels[len(levels)-1].Agent, rules)
		require.Contains(t, levels[len(levels)-1].Strength, "of the win against trained in 300 games")
	}
	require.True(t, at("tysiac", "bidding: {start_bid: 110}").OnlyBots())
	strange := at("bank", "rounds: 999")
	_, err := strange.Player(t.Context(), "greedy:trained")
	require.ErrorContains(t, err, "agent trained: the network that comes with the program: bank "+
		`{"players":3,"rounds":999,"roller":"round_robin","repoll":true} is not among the 84 tables`)
	require.NotContains(t, strange.References(), "greedy:trained")
	require.True(t, strange.OnlyBots())
	require.Equal(t, NobodyStrong+"; hints come from the bot leader-chaser", strange.Caution())
	require.Empty(t, at("bank", "players: 8").Caution())
	levels := strange.Levels()
	require.Equal(t, NobodyStrong, levels[len(levels)-1].Strength)
	_, err = at("pig", "target: 99").Player(t.Context(), "trained")
	require.ErrorContains(t, err, "it is for pig ")

	known := New(newcomer{strange.Game()}, Sources{Catalog: standard.Games})
	_, err = known.Player(t.Context(), "trained")
	require.ErrorContains(t, err, "no network for nim comes with the program")
	require.NotContains(t, known.References(), "trained")
}

// newcomer is a game for which nothing comes with the program yet.
type newcomer struct{ engine.Game }

func (n newcomer) Spec() *engine.Spec {
	spec := *n.Game.Spec()
	spec.Name = "nim"
	return &spec
}

func TestCompare(t *testing.T) {
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	known := New(game, Sources{Catalog: standard.Games})
	names := known.Candidates()
	require.Equal(t, []string{"trained", "equilibrium(0.2)", "always-bet", "always-pass", "solver:equilibrium"}, names)
	names = names[1:] // of which the results below are known
	tournament := Tournament{Game: game, Games: 2000, Seed: 3, Workers: 2}
	c, ladder, err := tournament.Compare(t.Context(), known, names)
	require.NoError(t, err)
	require.Len(t, ladder.Agents, 4)
	require.Equal(t, "antes", c.Unit)
	require.Equal(t, catalog.Digest(known.Entry().Network), c.Trained)
	require.Equal(t, uint64(2000), c.Games)
	require.JSONEq(t, "{}", string(c.Rules))
	// An agent that always bets wins most among these, because always-pass gives him everything, but
	// loses to an equilibrium.
	require.Equal(t, "always-bet", ladder.Agents[0].Name)
	require.Contains(t, []string{"equilibrium(0.2)", "solver:equilibrium"}, c.Agents[0].Name)
	require.Equal(t, "always-pass", c.Agents[3].Name)
	require.Equal(t, "always-bet", c.Agents[3].Worst.Among)
	require.InDelta(t, -1, c.Agents[3].Worst.Mean, 1e-9, "an ante a game")
	for _, a := range c.Agents {
		require.True(t, a.Advises)
		require.Positive(t, a.MillisecondsPerMove)
	}
}

// It reports where the ratings of a ladder are 0, so it must not depend on noise.
func TestStrongestBots(t *testing.T) {
	for name, want := range map[string][]string{
		"bank": {"leader-chaser"}, "bank-cards": {"blocker", "lowest"}, "banluck": {"baseline", "basic"},
		"kuhn": {"equilibrium(0.2)"}, "lange-strasse": {"turn-optimum"}, "leduc": {"tight"}, "pig": {"keep-pace"},
		"tysiac": {"heuristic"}, "tysiac-hand": {"heuristic"},
	} {
		game, err := standard.Games.New(name, nil)
		require.NoError(t, err)
		require.Contains(t, want, New(game, Sources{Catalog: standard.Games}).StrongestBot(), name)
	}
}
