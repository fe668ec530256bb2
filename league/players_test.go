package league

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/policy"
)

// greedyWorld is a league of a game whose networks play best greedily.
func greedyWorld(t *testing.T, samples bool) *world {
	w := newWorld(t, testConfig(), 2, 3)
	spec := *w.core.spec
	spec.Temperature = float64(policy.Greedy)
	w.core = newCore(coreOptions{
		spec: &spec, run: "run", rules: testRules, config: testConfig(),
		references: []string{"random"}, kind: testKind, samples: samples,
	})
	w.step(caughtUp{})
	return w
}

// Members are rated as they play their best; the newest and the best stand on the ladder as
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
	require.Equal(t, policy.Greedy.Of(newest.Name), newestOf(w.ladder))
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
		require.GreaterOrEqual(t, w.core.pair(name, policy.Greedy.Of(name)).total().Sets, w.core.config.ReferenceSets,
			"what greedy play is worth")
	}
	for _, o := range w.table.Opponents {
		require.True(t, strings.HasPrefix(o.Name, "main@"), o.Name)
	}
	for _, series := range seriesOf(w.published[0]) {
		require.NotContains(t, series, "greedy")
	}
	var out strings.Builder
	require.NoError(t, Render(&out, w.ladder, Style{}))
	require.Regexp(t, `(?m)^\s*greedy:`+newest.Name+`\s+`+newest.Name+`\s`, out.String(), "the payoff of greedy play")

	require.Regexp(t, `(?m)^\s*`+best.Name+`\s+greedy:main@\d+\s`, out.String(), "who became best")
	require.Regexp(t, `(?m)^\s*greedy:main@1\s+nobody\s`, out.String())

	w.step(finish{})
	w.playAll()
	require.True(t, w.done)
}

func TestGainsForPeople(t *testing.T) {
	l := testLadder(t, "main@3")
	l.Promotions = []messages.LadderPromotion{
		{Number: 1, Agent: "main@1"},
		{Number: 2, Agent: "main@2", Over: "main@1", Seconds: 75, GateSets: 100, Gain: &messages.Gain{Games: 600, Value: 900, Low: 512, High: 900}},
		{Number: 3, Agent: "main@3", Over: "main@2", Seconds: 75, GateSets: 340, Gain: &messages.Gain{Games: 2040, Value: 31, Low: -4, High: 66}},
	}
	var out strings.Builder
	require.NoError(t, Render(&out, l, Style{}))
	require.Regexp(t, `(?m)^\s*main@3\s+main@2\s+1m15s\s+340\s+31\s+-4 … 66\s+2040`, out.String())
	require.Regexp(t, `(?m)^\s*main@2\s+main@1\s+1m15s\s+100\s+> 512\s+600`, out.String(), "every game was won")
	require.Regexp(t, `(?m)^\s*main@1\s+nobody\s+0s\s*$`, out.String())
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
	w.sim.rng = engine.NewRNG(1, 1)
	w.sim.theta = map[string]float64{"greedy:main@1": 2, "greedy:main@2": -2}
	w.core.trusting = true
	for _, old := range []string{"greedy:main@1", "greedy:main@2"} {
		w.results = append(w.results, w.sim.play(w.core.match(newPairKey(old, "greedy:main@3"), span{0, 50}, 0)))
		w.step(arrival(uint64(len(w.results)), w.results[len(w.results)-1]))
	}
	w.tick()
	share := weightsOf(w.table)
	require.Greater(t, share["main@1"], share["main@3"])
	require.Greater(t, share["main@3"], share["main@2"])
}

func TestNamesOfMembers(t *testing.T) {
	for _, name := range []string{"main@12", "greedy:main@12", "temperature(0.5):main@12"} {
		order, ok := memberOrder(name)
		require.True(t, ok, name)
		require.EqualValues(t, 12, order)
	}
	for _, name := range []string{"random", "greedy:random", "greedy:", "temperature(2", "search:main@1"} {
		require.False(t, isMember(name), name)
	}
	require.True(t, newPairKey("greedy:main@2", "greedy:main@10").gated())
	require.False(t, newPairKey("greedy:main@2", "main@2").gated())
	require.False(t, newPairKey("greedy:main@2", "random").gated())
}
