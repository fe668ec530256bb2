package league

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
	"croupier/policy"
)

// greedyWorld is a league of a game whose networks play best greedily.
func greedyWorld(t *testing.T, samples bool) *world {
	w := newWorld(t, testConfig(), 2, 3)
	spec := *w.core.Spec
	spec.Temperature = float64(policy.Greedy)
	w.core = newCore(coreOptions{
		spec: &spec, run: "run", rules: ratingtest.Rules, config: testConfig(),
		references: []string{"random"}, kind: ratingtest.Kind, samples: samples,
	})
	w.step(caughtUp{})
	return w
}

// Members are rated as they play their best; the newest and the best are on the ladder as
// they play in training as well, and training games are played by plain names.
func TestBothWaysToPlay(t *testing.T) {
	w := greedyWorld(t, true)
	for range 8 {
		w.learn(100)
		w.playAll()
	}
	require.Greater(t, len(w.promoted), 1)
	best, ok := w.ladder.Best()
	require.True(t, ok)
	require.Regexp(t, `^greedy:main@\d+$`, best.Name)
	newest := w.members[len(w.members)-1]
	require.Equal(t, policy.Greedy.Of(newest.Name), rating.Newest(w.ladder))
	var sampled []string
	for _, a := range w.ladder.Agents {
		if strings.HasPrefix(a.Name, "main@") {
			sampled = append(sampled, a.Name)
			require.Equal(t, "network", a.Kind)
			require.False(t, a.Best)
		}
	}
	want := []string{newest.Name}
	if best.Name != policy.Greedy.Of(newest.Name) {
		want = append(want, strings.TrimPrefix(best.Name, "greedy:"))
	}
	require.ElementsMatch(t, want, sampled)
	for _, name := range sampled {
		require.GreaterOrEqual(t, w.core.Pair(name, policy.Greedy.Of(name)).Total().Sets, w.core.config.ReferenceSets,
			"what greedy play is worth")
	}
	for _, o := range w.table.Opponents {
		require.True(t, strings.HasPrefix(o.Name, "main@"), o.Name)
	}
	for _, series := range seriesOf(w.published[0]) {
		require.NotContains(t, series, "greedy")
	}
	var out strings.Builder
	require.NoError(t, rating.Render(&out, w.ladder, rating.Style{}))
	require.Regexp(t, `(?m)^\s*greedy:`+newest.Name+`\s+`+newest.Name+`\s`, out.String(), "the payoff of greedy play")

	require.Regexp(t, `(?m)^\s*`+best.Name+`\s+greedy:main@\d+\s`, out.String(), "who became best")
	require.Regexp(t, `(?m)^\s*greedy:main@1\s+nobody\s`, out.String())

	w.step(finish{})
	w.playAll()
	require.True(t, w.done)
}

// Networks that compute action values have one way to play.
func TestOneWayToPlay(t *testing.T) {
	w := greedyWorld(t, false)
	w.learn(0)
	w.playAll()
	require.Equal(t, []string{"greedy:main@1"}, w.core.active())
}

// The hardest opponent is known by its greedy play.
func TestPrioritiesOfGreedyPlay(t *testing.T) {
	w := greedyWorld(t, true)
	for order := uint64(1); order <= 3; order++ {
		w.members = append(w.members, &messages.Member{Name: messages.MemberName("main", order), Order: order})
		w.step(memberKnown{w.members[order-1]})
	}
	w.sim.RNG = engine.NewRNG(1, 1)
	w.sim.Theta = map[string]float64{"greedy:main@1": 2, "greedy:main@2": -2}
	w.core.trusting = true
	for _, old := range []string{"greedy:main@1", "greedy:main@2"} {
		w.results = append(w.results, w.sim.Play(w.core.Match(rating.NewKey(old, "greedy:main@3"),
			rating.Span{First: 0, End: 50}, 0)))
		w.step(arrival(uint64(len(w.results)), w.results[len(w.results)-1]))
	}
	w.tick()
	share := weightsOf(w.table)
	require.Greater(t, share["main@1"], share["main@3"])
	require.Greater(t, share["main@3"], share["main@2"])
}

// An agent that has met none of the references has no place, whatever it has won against others.
func TestWhoHasNotMetTheReferencesIsNotPlaced(t *testing.T) {
	c := leagueOf(t, testConfig(), 3)
	mustStep(t, c, arrival(1, resultWith(c.Match(rating.NewKey("main@1", "main@2"), rating.Span{First: 0, End: 50}, 0),
		0.9, 0.05, 0)))
	require.Equal(t, []string{"random", "threshold(100)"}, c.listed())
	mustStep(t, c, arrival(2, resultWith(c.Match(rating.NewKey("main@1", "random"), rating.Span{First: 0, End: 50}, 0),
		0.5, 0.2, 0)))
	require.Equal(t, []string{"random", "threshold(100)", "main@1"}, c.listed())
}
