package advice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/messages"
)

func bank(t *testing.T, rules string) engine.Game {
	t.Helper()
	game, err := standard.Games.New("bank", []byte(rules))
	require.NoError(t, err)
	return game
}

// compared is a comparison for BANK! with default rules: search:trained is the strongest, slow
// wins more but cannot advise.
func compared() *catalog.Comparison {
	c := &catalog.Comparison{Game: "bank", Rules: []byte(`{}`), Games: 900, Unit: catalog.ShareUnit}
	order := []string{"slow", "search:trained", "greedy:trained", "leader-chaser", "rolls(6)"}
	for i, a := range order {
		worst := catalog.Met{Agent: a, Among: order[max(0, i-1)], Mean: 0.45 - 0.1*float64(i)}
		c.Agents = append(c.Agents, catalog.Agent{Name: a, Worst: worst, Advises: a != "slow"})
		for j, b := range order {
			mean := 1./3 + 0.1*float64(j-i)
			c.Met = append(c.Met, catalog.Met{Agent: a, Among: b, Mean: mean, Low: mean - 0.02, High: mean + 0.02})
		}
	}
	return c
}

// ladderWith is a run's ladder whose best version got this share of the win, ± 0.03, among copies
// of an agent.
func ladderWith(share float64, among string) *messages.Ladder {
	return &messages.Ladder{
		Agents: []messages.LadderAgent{
			{Name: "leader-chaser", Rating: 50}, {Name: "greedy:main@8", Best: true, Rating: 40},
		},
		Payoff: []messages.Payoff{{
			A: "greedy:main@8", B: among, Games: 600, WinShare: &messages.WinShare{ShareA: share, ShareLow: share - 0.03,
				ShareHigh: share + 0.03},
		}},
	}
}

func TestWhoIsAsked(t *testing.T) {
	own, strange := bank(t, ""), bank(t, "rounds: 999")
	for name, c := range map[string]struct {
		game  engine.Game
		run   *messages.Ladder
		agent string
		why   string
	}{
		"the strongest that can advise":     {own, nil, "search:trained", "the strongest of 4 in a recorded comparison"},
		"no evidence against a third agent": {own, ladderWith(0.9, "hold"), "search:trained", "the strongest of 4"},
		// search:trained got 0.433 ± 0.02 among copies of greedy:trained.
		"not surely stronger": {own, ladderWith(0.48, "greedy:trained"), "search:trained", "the strongest of 4"},
		"stronger by a third agent": {own, ladderWith(0.49, "greedy:trained"), "greedy:main@8",
			"stronger than search:trained"},
		"not stronger directly": {own, ladderWith(0.36, "search:trained"), "search:trained", "the strongest of 4"},
		"stronger directly": {own, ladderWith(0.37, "search:trained"), "greedy:main@8",
			"stronger than search:trained"},
		"other rules, no run": {strange, nil, "leader-chaser", "no network that comes with the program knows these rules"},
		"other rules, an unrated run": {strange, &messages.Ladder{Agents: []messages.LadderAgent{{Name: "main@8",
			Best: true}}}, "greedy:main@8", "the best version of the run"},
		"other rules, a run below a bot": {strange, ladderWith(0.9, "rolls(6)"), "leader-chaser", "the strongest bot"},
	} {
		t.Run(name, func(t *testing.T) {
			who := choose(agents.New(c.game, agents.Sources{Catalog: standard.Games}), compared(), c.game == own, c.run)
			require.Equal(t, c.agent, who.Agent)
			require.Contains(t, who.Why, c.why)
			if who.Strength != nil {
				require.Equal(t, c.agent, who.Strength.Agent)
			}
		})
	}
}

// Of a network's two forms the one that mixes is asked at the tables of a family, unless it is clearly weaker.
func TestMixingAdvisers(t *testing.T) {
	c := func(low, high float64) *catalog.Comparison {
		return &catalog.Comparison{Unit: catalog.ShareUnit,
			Agents: []catalog.Agent{{Name: "greedy:trained", Advises: true}, {Name: "trained", Advises: true}},
			Met:    []catalog.Met{{Agent: "trained", Among: "greedy:trained", Low: low, High: high}}}
	}
	close := c(0.20, 0.26)
	require.Equal(t, "trained", mixing(close, close.Agents[0], 4).Name)
	weaker := c(0.20, 0.24)
	require.Equal(t, "greedy:trained", mixing(weaker, weaker.Agents[0], 4).Name)
	require.Equal(t, "trained", mixing(close, close.Agents[1], 4).Name)
	require.Equal(t, "rolls(6)", mixing(close, catalog.Agent{Name: "rolls(6)"}, 4).Name)
}

// The answer says who was asked and why, unless that goes without saying.
func TestAnswersNameTheirAdviser(t *testing.T) {
	game := bank(t, "")
	agent, err := Choose(t.Context(), agents.New(game, agents.Sources{Catalog: standard.Games}), "", nil)
	require.NoError(t, err)
	recorded, _, err := standard.Games.Of(game).Compared(game)
	require.NoError(t, err)
	strongest, _ := recorded.Strongest()
	require.Equal(t, strongest.Name, agent.Name)
	a, err := Advise(t.Context(), Question{Game: game, State: decision(t, game)}, agent, Options{Samples: 4, Seed: 1})
	require.NoError(t, err)
	require.Equal(t, agent.Adviser, a.Adviser)
	require.Regexp(t, `^Asked: \S+, the strongest of \d+ in a recorded comparison, each judged by its hardest opponent; `+
		`against \S+ it got [\d.]+ \([\d. ]+\) of the win in \d+ games; equal play gets 0.333$`, a.Notes[0])

	for _, name := range []string{"rolls(6)", ""} {
		two := bank(t, "players: 2")
		agent, err := Choose(t.Context(), agents.New(two, agents.Sources{Catalog: standard.Games}), name, nil)
		require.NoError(t, err)
		require.Empty(t, agent.Adviser.notes(two.Spec()), "named, or exact")
	}
}

// decision returns the first decision of a game.
func decision(t *testing.T, game engine.Game) engine.State {
	t.Helper()
	s, rng := game.NewState(), engine.NewRNG(1, 0)
	s.Reset()
	for s.Player() == engine.Chance {
		require.NoError(t, s.Apply(s.SampleChance(rng)))
	}
	return s
}

// Banluck with several players is advised by the solution whose bound is computed.
func TestABoundedSolutionIsAsked(t *testing.T) {
	game, err := standard.Games.New("banluck", []byte("players: 2"))
	require.NoError(t, err)
	agent, err := Choose(t.Context(), agents.New(game, agents.Sources{Catalog: standard.Games}), "", nil)
	require.NoError(t, err)
	require.Equal(t, Adviser{Agent: "solver:equilibrium", Why: bounded}, agent.Adviser)
}
