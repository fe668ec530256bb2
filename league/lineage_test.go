package league

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/league/rating"
	"croupier/messages"
)

// exploited is a world of the main agent and two exploiters.
func exploited(t *testing.T) *world {
	config := testConfig()
	config.Agents = []Agent{
		{Name: "main", Role: Main}, {Name: "hunter", Role: MainExploiter, ResetUpdates: 10_000},
		{Name: "rover", Role: LeagueExploiter},
	}
	require.NoError(t, config.Validate())
	w := newWorld(t, config, 2, 1)
	w.step(caughtUp{})
	return w
}

// There is one counter for the versions of all agents; only those of the main agent come to the gate.
func TestOnePopulation(t *testing.T) {
	w := exploited(t)
	w.strength["hunter"], w.strength["rover"] = 3, -2
	for range 5 {
		w.learn(64)
		w.learnAs("hunter", 64, 0)
		w.learnAs("rover", 64, 0)
		w.playAll()
	}
	owners := map[string]int{}
	for i, m := range w.members {
		require.EqualValues(t, i+1, m.Order, "numbers are in the order of joining")
		require.Equal(t, messages.MemberName(agentOf(m), m.Order), m.Name)
		require.Equal(t, messages.MemberObject(agentOf(m), m.Order, [32]byte(m.Sha256)), m.Object)
		owners[agentOf(m)]++
	}
	require.Len(t, owners, 3)
	for agent, n := range owners {
		require.Greater(t, n, 1, agent)
	}
	for _, p := range w.promoted {
		require.Regexp(t, `^main@`, p.Agent)
	}
	rated := map[string]bool{}
	for _, a := range w.ladder.Agents {
		rated[a.Name] = a.Games > 0
	}
	for agent := range owners {
		require.True(t, rated[w.core.newestOf(agent).Name], agent)
	}
	for _, a := range w.ladder.Agents {
		role, _ := w.core.config.Agent(agentOf(&messages.Member{Name: a.Name}))
		require.Equal(t, map[Role]string{MainExploiter: "main_exploiter", LeagueExploiter: "league_exploiter"}[role.Role],
			a.Role, a.Name)
	}
	var out bytes.Buffer
	require.NoError(t, rating.Render(&out, w.ladder, rating.Style{}))
	require.Regexp(t, `hunter@\d+\s+main exploiter\s`, out.String())
	require.Equal(t, "hunter", agentOf(&messages.Member{Name: w.ladder.Agents[0].Name}),
		"the strongest agent is first, whatever its role")

	told := map[string]int{}
	for _, points := range w.published {
		for _, p := range points.Points {
			told[p.Series]++
		}
	}
	for _, agent := range []string{"hunter", "rover"} { // all versions that were followed
		require.Equal(t, owners[agent]-1, told["rating/"+agent], agent)
		require.Equal(t, owners[agent]-1, told["exploit_share/"+agent], agent)
	}
	w.step(finish{})
	for !w.done {
		w.playAll()
		w.tick()
	}
	for _, agent := range []string{"hunter", "rover"} { // and at the end the last one
		require.Len(t, w.plotted()["rating/"+agent], owners[agent], agent)
	}

	again := newTestCore(w.core.config, 2, false)
	w.tellResets(again)
	require.Equal(t, document(t, ladderOf(t, w.core)), document(t, replay(t, again, w.members, w.promoted, w.results, 1)))
}

// The past of each agent is thinned by itself: agents that join in turn do not crowd each other out.
func TestEachLineageIsThinned(t *testing.T) {
	config := testConfig()
	config.Agents = []Agent{{Name: "main", Role: Main}, {Name: "hunter", Role: MainExploiter}}
	config.KeepMembers, config.Pool, config.Population, config.LadderMembers = 8, 1, 1, 1
	c := newTestCore(config, 2, false)
	alone := newTestCore(config, 2, false)
	var gone []*messages.Member
	for i := range uint64(400) {
		m := &messages.Member{Name: messages.MemberName([]string{"main", "hunter"}[i%2], i+1), Order: i + 1}
		mustStep(t, c, memberKnown{m})
		if i%2 == 0 {
			mustStep(t, alone, memberKnown{&messages.Member{Name: messages.MemberName("main", i/2+1), Order: i/2 + 1}})
		}
		for _, x := range []*core{c, alone} {
			old := x.superfluous()
			mustStep(t, x, membersDropped{old})
			if x == c {
				gone = append(gone, old...)
			}
		}
	}
	require.InDelta(t, len(alone.members), len(c.lineages["main"]), 1)
	require.InDelta(t, len(alone.members), len(c.lineages["hunter"]), 1)
	require.Greater(t, len(alone.members), 20)

	again := newTestCore(config, 2, false)
	mustStep(t, again, membersDropped{gone})
	for _, m := range c.members {
		mustStep(t, again, memberKnown{m})
	}
	require.Empty(t, again.superfluous(), "a league that starts again keeps the same")
}

// Each role has its rule.
func TestOpponentsByRole(t *testing.T) {
	w := exploited(t)
	for range 4 {
		w.learn(64)
		w.learnAs("hunter", 64, 0)
		w.learnAs("rover", 64, 0)
		w.playAll()
	}
	w.tick()
	everybody := map[string]bool{}
	for _, m := range w.members {
		everybody[m.Name] = true
	}
	for agent, selfPlay := range map[string]float64{"main": w.core.config.SelfPlay, "hunter": 0, "rover": 0} {
		require.Equal(t, selfPlay, w.tables[agent].SelfPlay, agent)
		require.Equal(t, agent, w.tables[agent].Learner)
		for name := range weightsOf(w.tables[agent]) {
			require.True(t, everybody[name], "%s plays against %s", agent, name)
		}
	}
	require.Len(t, weightsOf(w.tables["main"]), len(w.members))
	require.Len(t, weightsOf(w.tables["rover"]), len(w.members))
	require.Equal(t, map[string]float64{w.core.newest().Name: 1}, weightsOf(w.tables["hunter"]))

	w = exploited(t)
	w.strength["hunter"] = -9
	for range 4 {
		w.learn(64)
		w.learnAs("hunter", 64, 0)
		w.playAll()
	}
	w.tick()
	weights := weightsOf(w.tables["hunter"])
	require.Len(t, weights, len(w.core.lineages["main"]),
		"its target is too strong, and so it meets all of the main agent's versions")
	require.Greater(t, weights["main@1"], weights[w.core.newest().Name], "most of all its equals")
}

// Of older members than those of the pool the hardest are met, whichever they are.
func TestOpponentsOfThePast(t *testing.T) {
	config := testConfig()
	config.Pool, config.History = 2, 1
	c := leagueOf(t, config, 5)
	mustStep(t, c, arrival(1, resultWith(c.Match(rating.NewKey("main@5", "main@2"), rating.Span{First: 0, End: 100}, 0),
		0.9, 0.1, 0.1)))
	mustStep(t, c, arrival(2, resultWith(c.Match(rating.NewKey("main@5", "main@1"), rating.Span{First: 0, End: 100}, 0),
		0.1, 0.9, 0.1)))
	mustStep(t, c, tick{})
	hardest := "main@1"
	if c.chanceOf("main@5", "main@2") < c.chanceOf("main@5", "main@1") {
		hardest = "main@2"
	}
	weights := weightsOf(c.tables()[0])
	require.Len(t, weights, 3)
	for _, name := range []string{"main@4", "main@5", hardest} {
		require.Contains(t, weights, name)
	}
}

// An exploiter that beats its target begins again, once for each time that its learner has obeyed; so does one that has
// learnt for long enough. The main agent never does.
func TestResets(t *testing.T) {
	w := exploited(t)
	w.learn(64)
	w.learnAs("hunter", 64, 0)
	w.playAll()
	w.tick()
	require.Empty(t, w.resets, "it is the main agent's equal")

	w.strength["hunter"] = 6
	w.learnAs("hunter", 256, 0)
	w.playAll()
	w.tick()
	require.Len(t, w.resets, 1)
	first := w.core.newestOf("hunter").Name
	require.Equal(t, []any{"hunter", uint64(1), first}, []any{w.resets[0].Agent, w.resets[0].Number, w.resets[0].Member})
	require.Regexp(t, first+` comes out ahead of main@\d+ with a chance of [01]\.`, w.resets[0].Why)
	w.learnAs("hunter", 256, 0) // it has not heard yet
	w.playAll()
	w.tick()
	require.Len(t, w.resets, 1, "told once")

	w.strength["hunter"] = -9
	w.learnAs("hunter", 256, 1)
	w.playAll()
	w.tick()
	require.Len(t, w.resets, 1)
	require.EqualValues(t, 1, w.core.newestOf("hunter").Resets)
	w.learnAs("hunter", 10_000, 1)
	w.playAll()
	w.tick()
	require.Len(t, w.resets, 2)
	require.Regexp(t, `has learnt for 10\d\d\d updates`, w.resets[1].Why)

	again := newTestCore(w.core.config, 2, false) // a league that starts again, and has read the last reset
	mustStep(t, again, resetKnown{w.resets[1]})
	replay(t, again, w.members, w.promoted, w.results, 1)
	mustStep(t, again, pointerMoved{w.others["hunter"]})
	require.Nil(t, again.nextReset())
	mustStep(t, again, tick{2})
	require.Nil(t, again.nextReset())
}

// Resets are put down once, through a broker that takes nothing and through starts of the league.
func TestResetOnTheBroker(t *testing.T) {
	inCluster(t, func(c *cluster) {
		o := c.options()
		o.Config.Agents = []Agent{{Name: "main", Role: Main}, {Name: "hunter", Role: MainExploiter}}
		r := &messages.Reset{Agent: "hunter", Number: 1, Member: "hunter@3", Why: "it wins"}
		first, err := New(o)
		require.NoError(t, err)
		require.NoError(t, first.beginAgain(c.t.Context(), r))
		require.EqualValues(t, 1, first.core.resetsOf("hunter"))

		o.Registerer = c.options().Registerer
		second, err := New(o)
		require.NoError(t, err)
		second.core.resetting["hunter"] = true
		require.NoError(t, second.beginAgain(c.t.Context(), r))
		require.False(t, second.core.resetting["hunter"], "it is tried again, if it is still due")
		require.EqualValues(t, 1, second.core.resetsOf("hunter"), "the one that stands")
		r = &messages.Reset{Agent: "hunter", Number: 2, Member: "hunter@3", Why: "it wins"}
		require.NoError(t, second.beginAgain(c.t.Context(), r))

		o.Registerer = c.options().Registerer
		third, err := New(o)
		require.NoError(t, err)
		require.NoError(t, third.readResets(c.t.Context()))
		require.EqualValues(t, 2, third.core.resetsOf("hunter"))
		_, err = c.bus.State().Put(c.t.Context(), messages.ResetKey("hunter"),
			[]byte(`{"agent": "rover", "number": 9, "member": "rover@1"}`))
		require.NoError(t, err)
		require.NoError(t, third.readResets(c.t.Context()))
		require.EqualValues(t, 2, third.core.resetsOf("hunter"))
		require.Contains(t, c.log.String(), "reset refused")
	})
}

// On a small machine the arena plays few of the matches that it would like to. What is newest of each agent is placed
// all the same, and a version of an exploiter has a point against its target, but for the one that came while
// references met.
func TestExploitersAreRatedWhereLittleIsPlayed(t *testing.T) {
	w := exploited(t)
	for range 30 {
		w.learn(16)
		w.learnAs("hunter", 16, 0)
		w.learnAs("rover", 16, 0)
		for range 3 {
			w.tick()
			if len(w.queue) > 0 {
				w.play(0)
			}
		}
	}
	owners := map[string]int{}
	for _, m := range w.members {
		owners[agentOf(m)]++
	}
	placed := map[string]int{}
	for _, a := range w.ladder.Agents {
		if order, ok := rating.MemberOrder(a.Name); ok && a.Games > 0 {
			placed[agentOf(w.core.members[order-1])]++
		}
	}
	for _, agent := range []string{"hunter", "rover"} {
		require.Greater(t, owners[agent], 2, "%s continues", agent)
		require.GreaterOrEqual(t, placed[agent], owners[agent]-1, "%s: all but the newest are placed", agent)
		require.GreaterOrEqual(t, len(w.plotted()["exploit_share/"+agent]), owners[agent]-2, agent)
	}
	require.GreaterOrEqual(t, placed["main"], owners["main"]-1)
	require.NotEmpty(t, w.bests, "the gate works too")
}

// An arena that plays nothing does not keep exploiters from becoming versions, of whom the main agent learns.
func TestExploitersAreFrozenWithoutAnArena(t *testing.T) {
	w := exploited(t)
	w.learn(0)
	for range 40 {
		w.learnAs("hunter", 64, 0)
		w.tick()
	}
	require.GreaterOrEqual(t, len(w.core.lineages["hunter"]), 3)
}

// The last reset of each exploiter is on the ladder, with its reason.
func TestResetsAreShown(t *testing.T) {
	w := exploited(t)
	w.learn(0)
	w.tick()
	require.Empty(t, w.ladder.Resets)
	for n := range uint64(2) {
		w.step(resetKnown{&messages.Reset{Agent: "hunter", Number: n + 1, Member: "hunter@3", Why: "it wins"}})
	}
	w.tick()
	require.Equal(t, []messages.Reset{{Agent: "hunter", Number: 2, Member: "hunter@3", Why: "it wins"}}, w.ladder.Resets)
	var out bytes.Buffer
	require.NoError(t, rating.Render(&out, w.ladder, rating.Style{}))
	require.Contains(t, out.String(), "hunter has begun again, 2 times so far, last after hunter@3: it wins\n")
}
