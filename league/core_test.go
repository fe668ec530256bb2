package league

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

// A short run from the first weights to Finish.
func TestRun(t *testing.T) {
	w := newWorld(t, testConfig(), 3, 1)
	w.learn(0)
	require.Empty(t, w.members, "nothing is decided before the past is known")
	w.step(caughtUp{})
	require.Len(t, w.members, 1, "the first weights are frozen at once")
	w.tick()
	require.Equal(t, w.core.config.SelfPlay, w.table.SelfPlay)
	require.InDelta(t, 1, sumOf(w.table), 1e-9)
	require.NotEmpty(t, w.queue)
	for range 40 {
		w.learn(16)
		w.tick()
		for range min(3, len(w.queue)) {
			w.play(0)
		}
	}
	require.Greater(t, len(w.members), 3)
	w.playAll()
	_, finishing := w.core.lastRating()
	require.False(t, finishing)
	w.step(finish{})
	w.finishCounting()

	newest := w.members[len(w.members)-1]
	require.Equal(t, w.pointer.Sha256, newest.Sha256, "the newest weights are rated")
	last := w.published[len(w.published)-1]
	require.Equal(t, newest.Samples, last.Samples)
	require.Equal(t, newest.Seconds, last.Seconds)
	require.Equal(t, []string{
		"win_share/random", "win_share/threshold(100)", "rating/newest", "rating/best",
	}, seriesOf(last))
	for _, r := range w.core.references {
		require.GreaterOrEqual(t, w.core.Focal(newest.Name, r).Sets, w.core.config.FinalSets)
	}
	require.Equal(t, "main@1", w.bests[0])
	require.Greater(t, len(w.bests), 1, "stronger versions pass the gate")
}

// Each version is probed: one match with each reference comes before all others that it is to play, and is reported at
// once. The reference of rating 0 is the first, before references meet one another.
func TestVersionsAreProbed(t *testing.T) {
	w := newWorld(t, testConfig(), 3, 1)
	w.step(caughtUp{})
	w.learn(0)
	for version := range 3 {
		for _, series := range []string{"probe/win_share/threshold(100)", "probe/win_share/random"} {
			for before := len(w.published); len(w.published) == before; {
				w.tick()
				w.play(0)
				require.Less(t, len(w.results), 200)
			}
			probe := w.published[len(w.published)-1]
			require.Equal(t, []string{series}, seriesOf(probe))
			require.Equal(t, w.members[version].Samples, probe.Samples)
		}
		if version == 0 {
			require.NotEqual(t, "random", w.results[0].Match.A)
			require.NotEqual(t, "random", w.results[0].Match.B, "it is not reported before the first")
		}
		for _, r := range w.core.references {
			require.Less(t, w.core.Focal(w.core.player(w.core.newest()), r).Sets, w.core.config.ReferenceSets)
		}
		for range 100 { // then it is measured
			w.tick()
			if len(w.queue) > 0 {
				w.play(0)
			}
		}
		require.True(t, slices.ContainsFunc(w.published, func(p *messages.Points) bool {
			return p.Samples == w.members[version].Samples && slices.Contains(seriesOf(p), "win_share/random")
		}))
		w.learn(1 << 20)
	}
}

// finishCounting plays to the end of a run, and requires of each result that it is counted and
// leaves less to be played, down to nothing, unless more has come to be wanted: a new best has its
// gain measured.
func (w *world) finishCounting() {
	began, played := w.now, uint64(0)
	for len(w.queue) > 0 || !w.done {
		before, finishing := w.core.lastRating()
		require.True(w.t, finishing)
		require.Equal(w.t, played, before.played)
		require.Equal(w.t, w.now-began, before.length)
		if len(w.queue) == 0 {
			w.tick()
			continue
		}
		m, bests := w.queue[0], len(w.promoted)
		w.play(0)
		played += w.core.Games(uint64(m.Sets))
		after, _ := w.core.lastRating()
		if len(w.promoted) == bests && len(w.core.suspects()) == 0 {
			require.LessOrEqual(w.t, after.left, before.left)
		}
		if len(w.queue) == 0 {
			require.Zero(w.t, after.left, "nothing is asked for any more")
		}
	}
}

// drawAgents returns the main agent and up to two exploiters that soon begin again, or none at all: the main agent
// alone.
func drawAgents(t *rapid.T) []Agent {
	length := rapid.SampledFrom([]uint64{10, 60, 500}).Draw(t, "reset_updates")
	agents := []Agent{
		{Name: "main", Role: Main}, {Name: "hunter", Role: MainExploiter, ResetAbove: 0.55, ResetUpdates: length},
		{Name: "rover", Role: LeagueExploiter, ResetAbove: 0.95, ResetUpdates: length},
	}
	return agents[:rapid.SampledFrom([]int{0, 2, 3}).Draw(t, "agents")]
}

// drawLearning has one of the learning agents come to new weights. An exploiter has or has not yet heard of its last
// reset, and is then weak at first.
func (w *world) drawLearning(t *rapid.T) {
	agents := w.core.agents
	a := agents[rapid.IntRange(0, len(agents)-1).Draw(t, "agent")]
	updates := rapid.Uint64Range(0, 40).Draw(t, "updates")
	if a.Role == Main {
		w.learn(updates)
		return
	}
	resets := w.others[a.Name].GetResets()
	if rapid.Bool().Draw(t, "obeys") && w.ordered(a.Name) > resets {
		resets++
		w.strength[a.Name] = -2
	}
	w.strength[a.Name] += float64(updates) / 10
	w.learnAs(a.Name, updates, resets)
}

// ordered is how many resets of an agent there were.
func (w *world) ordered(agent string) (resets uint64) {
	for _, r := range w.resets {
		if r.Agent == agent {
			resets++
		}
	}
	return resets
}

// plotted are the points of each series, which has each version once.
func (w *world) plotted() map[string][]uint64 {
	plotted := map[string][]uint64{}
	for _, points := range w.published {
		for _, p := range points.Points {
			plotted[p.Series] = append(plotted[p.Series], uint64(points.Seconds))
		}
	}
	return plotted
}

// drawRun plays a random run of a random league: weights, ticks, results and
// crashes come in any order.
func drawRun(t *rapid.T) *world {
	config := testConfig()
	config.Agents = drawAgents(t)
	config.Population = rapid.IntRange(1, 4).Draw(t, "population")
	config.LadderMembers = rapid.IntRange(1, 4).Draw(t, "ladder_members")
	config.MatchSets = rapid.Uint64Range(1, 8).Draw(t, "match_sets")
	seats := rapid.IntRange(2, 3).Draw(t, "seats")
	w := newWorld(t, config, seats, rapid.Uint64().Draw(t, "seed"))
	w.step(caughtUp{})
	var kept []byte // the last snapshot
	var at int
	for range rapid.IntRange(1, 100).Draw(t, "steps") {
		switch rapid.SampledFrom([]string{"learn", "tick", "play", "play", "play", "save", "crash"}).Draw(t, "what") {
		case "learn":
			w.drawLearning(t)
		case "tick":
			w.tick()
		case "play":
			if len(w.queue) > 0 {
				w.play(rapid.IntRange(0, len(w.queue)-1).Draw(t, "match"))
			}
		case "save":
			document, err := w.core.encodeSnapshot()
			require.NoError(t, err)
			kept, at = document, len(w.results)
		case "crash":
			w.restart(kept, at)
		}
	}
	w.tick() // may freeze a version, which is on the ladder from the next tick on, as a reset is
	for known := -1; known != len(w.resets); {
		known = len(w.resets)
		w.tick()
	}
	return w
}

// Through crashes each reset is ordered once, after the one before it was obeyed; each version has one point in each
// curve, and only the main agent's are promoted.
func TestExploitersThroughCrashes(t *testing.T) {
	resets, told := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawRun(t)
		numbers := map[string]uint64{}
		for _, r := range w.resets {
			numbers[r.Agent]++
			require.Equal(t, numbers[r.Agent], r.Number)
			require.Contains(t, r.Member, r.Agent+"@")
		}
		for _, a := range w.core.agents[1:] {
			require.LessOrEqual(t, w.others[a.Name].GetResets(), w.ordered(a.Name))
		}
		for i, m := range w.members {
			require.EqualValues(t, i+1, m.Order)
		}
		for _, p := range w.promoted {
			require.Regexp(t, `^(greedy:)?main@`, p.Agent)
		}
		for series, versions := range w.plotted() {
			if strings.HasPrefix(series, probePrefix) { // after a crash it may be told again
				require.IsNonDecreasing(t, versions, series)
				continue
			}
			require.IsIncreasing(t, versions, "%s: a version has one point", series)
			told += len(versions)
		}
		resets += len(w.resets)
	})
	require.Positive(t, resets)
	require.Positive(t, told)
}

// restart replaces the core by one that knows an old snapshot (nil: none) and the
// bus. The queue stays as it is.
func (w *world) restart(document []byte, at int) {
	published := w.core.published()
	w.core = newTestCore(w.core.config, w.core.Spec.Seats, false)
	if document != nil {
		_, err := w.core.restoreFrom(document)
		require.NoError(w.t, err)
		require.EqualValues(w.t, at, w.core.place.Sequence)
	}
	w.core.hasPublished(published) // as the journal has it
	for _, m := range w.members {
		w.step(memberKnown{m})
	}
	for _, p := range w.promoted {
		w.step(promotionKnown{p})
	}
	for _, m := range w.issued { // as the journal has it
		if k := w.core.Key(m.A, m.B); !w.played[m.Id] {
			w.core.recall(k, rating.Span{First: m.FirstSet - k.Base(), End: m.FirstSet - k.Base() + uint64(m.Sets)}, m.Attempt,
				true)
		}
	}
	for i := int(w.core.place.Sequence); i < len(w.results); i++ {
		w.step(arrival(uint64(i+1), w.results[i]))
	}
	w.followAgain()
}

// followAgain tells a new core what the broker has of the learners: weights, and the last reset of each.
func (w *world) followAgain() {
	for _, r := range w.resets {
		w.step(resetKnown{r})
	}
	if w.pointer != nil {
		w.step(pointerMoved{w.pointer})
	}
	for _, agent := range slices.Sorted(maps.Keys(w.others)) {
		w.step(pointerMoved{w.others[agent]})
	}
	w.step(caughtUp{})
}

// Whatever happens, and in whatever order results come, each set of each pair counts
// once, and the ladder is that of the results.
func TestLadderIsThatOfTheResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawRun(t)
		want := document(t, w.core.standing.Ladder)
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "order"), 0)
		other := newTestCore(w.core.config, w.core.Spec.Seats, false)
		w.tellResets(other)
		any := replay(t, other,
			shuffled(rng, w.members), w.promoted, shuffled(rng, cloneResults(w.results)), 1)
		require.Equal(t, want, document(t, any))

		games := uint64(0)
		for _, r := range w.results {
			games += r.OneA.Games
		}
		counted := uint64(0)
		for _, p := range w.core.Pairs {
			for _, s := range p.Done {
				counted += (s.End - s.First) * uint64(w.core.Spec.Seats)
			}
		}
		require.Equal(t, games, counted, "no result lost, none counted twice")
	})
}

func TestSnapshotAndRestGiveTheSameLadder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawRun(t)
		cut := rapid.IntRange(0, len(w.results)).Draw(t, "cut")
		early := newTestCore(w.core.config, w.core.Spec.Seats, false)
		w.tellResets(early)
		replay(t, early, w.members, w.promoted, w.results[:cut], 1)
		snapshot, err := early.encodeSnapshot()
		require.NoError(t, err)
		late := newTestCore(w.core.config, w.core.Spec.Seats, false)
		_, err = late.restoreFrom(snapshot)
		require.NoError(t, err)
		w.tellResets(late)
		ladder := replay(t, late, w.members, w.promoted, w.results[cut:], uint64(cut)+1)
		require.Equal(t, document(t, w.core.standing.Ladder), document(t, ladder))
		again, err := late.encodeSnapshot()
		require.NoError(t, err)
		_, err = newTestCore(w.core.config, w.core.Spec.Seats, false).restoreFrom(again)
		require.NoError(t, err)
	})
}

// The same state asks for the same matches.
func TestSchedulingIsDeterministic(t *testing.T) {
	ids := func() []string {
		w := newWorld(t, testConfig(), 3, 5)
		w.step(caughtUp{})
		var out []string
		for range 30 {
			w.learn(8)
			w.tick()
			for len(w.queue) > 1 {
				out = append(out, w.queue[0].Id)
				w.play(0)
			}
		}
		return out
	}
	require.Equal(t, ids(), ids())
}

func TestArenaComesToRest(t *testing.T) {
	w := newWorld(t, testConfig(), 3, 2)
	w.step(caughtUp{})
	w.learn(0)
	w.playAll()
	for _, p := range w.core.Pairs {
		require.LessOrEqual(t, p.Total().Sets, w.core.config.MaxSets+w.core.config.MatchSets)
	}
	require.Empty(t, w.core.outstanding)
}

// In games for money the arena rests when all differences are known to within a sum of money:
// half of it takes four times the sets.
func TestPrecisionIsInTheGamesUnit(t *testing.T) {
	sets := func(precision float64) (n uint64) {
		config := testConfig()
		config.MoneyPrecision, config.MaxSets = precision, 5000
		w := newWorld(t, config, 3, 2)
		w.sim.Spec = ratingtest.MoneySpec(3)
		w.core.Results = rating.NewResults(w.sim.Spec, "run", ratingtest.Rules, config.gate())
		w.sim.Theta["threshold(100)"] = 0.3
		w.step(caughtUp{})
		for w.tick(); len(w.queue) > 0; w.tick() {
			w.play(0)
		}
		r, rated := w.core.standing.Rating("random")
		require.True(t, rated)
		require.LessOrEqual(t, (r.High-r.Low)/2, precision)
		require.InDelta(t, -1.3, r.Value, 2*precision)
		return w.core.Pair("random", "threshold(100)").Total().Sets
	}
	fine, coarse := sets(0.05), sets(0.1)
	require.InDelta(t, 4, float64(fine)/float64(coarse), 1)
}

func TestLostMatchIsPublishedAgain(t *testing.T) {
	w := newWorld(t, testConfig(), 3, 2)
	w.step(caughtUp{})
	w.tick()
	first := w.queue
	require.NotEmpty(t, first)
	w.queue = nil
	w.tick()
	require.Empty(t, w.queue)
	w.now += w.core.config.MatchTimeout
	w.tick()
	require.Len(t, w.queue, len(first))
	for i, m := range w.queue {
		require.EqualValues(t, 1, m.Attempt)
		require.Equal(t, m.Id, matchIDs(first)[slices.IndexFunc(first, func(o *messages.Match) bool {
			return o.Id+"-1" == m.Id
		})]+"-1", i)
	}
}

func matchIDs(matches []*messages.Match) []string {
	var out []string
	for _, m := range matches {
		out = append(out, m.Id)
	}
	return out
}

// A version is not followed by the next before it is rated, unless that takes too long.
func TestFreezingWaitsForTheArena(t *testing.T) {
	w := newWorld(t, testConfig(), 3, 2)
	w.step(caughtUp{})
	w.learn(0)
	gap := w.core.config.freezeGap(1)
	w.learn(4*gap - 1)
	require.Len(t, w.members, 1)
	for !w.core.rooted("main@1") {
		w.tick()
		w.play(0)
	}
	w.tick()
	require.Len(t, w.published, 1, "its first look")
	require.Equal(t, []string{"probe/win_share/threshold(100)"}, seriesOf(w.published[0]))
	w.learn(1)
	require.Len(t, w.members, 2)
	require.Len(t, w.published, 2, "what is known of the first version")
	require.Contains(t, seriesOf(w.published[1]), "win_share/threshold(100)")
	for w.core.reported < 2 || w.core.candidate() != nil {
		w.tick()
		w.play(0)
	}
	w.learn(w.core.config.freezeGap(2) - 1)
	require.Len(t, w.members, 2)
	w.learn(1)
	require.Len(t, w.members, 3)
}

// On a slow machine the first match of a version is over when the next version is there. It is reported all the same.
func TestVersionsThatWereFollowedAreProbed(t *testing.T) {
	w := newWorld(t, testConfig(), 3, 3)
	w.step(caughtUp{})
	w.learn(0)
	w.tick()
	w.learn(4 * w.core.config.freezeGap(1))
	require.Len(t, w.members, 2)
	require.Empty(t, w.published)
	for len(w.published) == 0 {
		w.tick()
		w.play(0)
	}
	require.Equal(t, []string{"probe/win_share/threshold(100)"}, seriesOf(w.published[0]))
	require.Equal(t, w.members[0].Samples, w.published[0].Samples)
	ofTheSecond := func(p *messages.Points) bool { return p.Samples == w.members[1].Samples }
	for range w.core.mostOutstanding() + 1 { // behind those that were asked for before
		w.tick()
		w.play(0)
	}
	require.True(t, slices.ContainsFunc(w.published, ofTheSecond))
}

func TestFreezeGaps(t *testing.T) {
	c := DefaultConfig()
	var gaps []uint64
	for k := range uint64(8) {
		gaps = append(gaps, c.freezeGap(k+1))
	}
	require.Equal(t, []uint64{6, 12, 25, 50, 100, 200, 200, 200}, gaps)
	c.FreezeUpdates = 1
	require.EqualValues(t, 1, c.freezeGap(1))
}

func TestWeightsThatAreGoneAreNotTriedAgain(t *testing.T) {
	c := newTestCore(testConfig(), 2, false)
	mustStep(t, c, caughtUp{})
	w := newWorld(t, testConfig(), 2, 0)
	w.learn(0)
	first := mustStep(t, c, pointerMoved{w.pointer})
	require.IsType(t, freeze{}, first[0])
	require.Empty(t, mustStep(t, c, pointerMoved{w.pointer}), "one attempt at a time")
	require.Empty(t, mustStep(t, c, freezeFailed{pointer: w.pointer}))
	require.IsType(t, freeze{}, mustStep(t, c, pointerMoved{w.pointer})[0])
	require.Empty(t, mustStep(t, c, freezeFailed{pointer: w.pointer, gone: true}))
	require.Empty(t, mustStep(t, c, pointerMoved{w.pointer}))
	w.learn(1)
	require.IsType(t, freeze{}, mustStep(t, c, pointerMoved{w.pointer})[0])
}

func mustStep(t *testing.T, c *core, e event) []effect {
	effects, err := c.step(e)
	require.NoError(t, err)
	return effects
}

func TestEveryMainVersionIsEvaluatedOnce(t *testing.T) {
	c := newTestCore(testConfig(), 2, true)
	mustStep(t, c, caughtUp{})
	one := &messages.Member{Name: "main@1", Order: 1}
	two := &messages.Member{Name: "main@2", Order: 2}
	require.Contains(t, mustStep(t, c, memberKnown{one}), evaluate{one})
	require.Empty(t, mustStep(t, c, memberKnown{two}))
	require.Equal(t, []effect{evaluate{two}}, mustStep(t, c, evaluated{order: 1}))
	require.Empty(t, mustStep(t, c, evaluated{order: 2}))
	require.Empty(t, mustStep(t, c, memberKnown{two}))
	three := &messages.Member{Name: "hunter@3", Order: 3}
	require.NotContains(t, mustStep(t, c, memberKnown{three}), evaluate{three}, "the curve is the main agent's")
}

// Weights that cannot be frozen do not keep the last rating from its end.
func TestFinishWithWeightsThatCannotBeFrozen(t *testing.T) {
	c := newTestCore(testConfig(), 2, false)
	mustStep(t, c, caughtUp{})
	w := newWorld(t, testConfig(), 2, 0)
	w.learn(0)
	first := mustStep(t, c, pointerMoved{w.pointer})
	require.IsType(t, freeze{}, first[0])
	mustStep(t, c, finish{within: 10 * time.Second})
	ends := func(effects []effect) bool {
		return slices.ContainsFunc(effects, func(e effect) bool { _, end := e.(finished); return end })
	}
	freezes := func(effects []effect) bool {
		return slices.ContainsFunc(effects, func(e effect) bool { _, again := e.(freeze); return again })
	}
	for s := range 10 { // of the given time
		mustStep(t, c, freezeFailed{pointer: w.pointer})
		effects := mustStep(t, c, tick{now: time.Duration(s) * time.Second})
		require.True(t, freezes(effects), "it is tried again")
		require.False(t, ends(effects))
	}
	require.False(t, ends(mustStep(t, c, tick{now: 11 * time.Second})), "one may succeed yet")
	mustStep(t, c, freezeFailed{pointer: w.pointer})
	require.True(t, ends(mustStep(t, c, tick{now: 12 * time.Second})))
}

func TestFinishWithoutWeights(t *testing.T) {
	w := newWorld(t, testConfig(), 2, 0)
	w.step(caughtUp{})
	w.step(finish{})
	w.step(tick{time.Second})
	require.True(t, w.done)
}

// The compiler lets nothing but events into step and nothing but effects out of it.
// That the switches over them forget none, it does not see.
func TestSwitchesKnowEveryEventAndEffect(t *testing.T) {
	files := token.NewFileSet()
	parse := func(name string) *ast.File {
		file, err := parser.ParseFile(files, name, nil, 0)
		require.NoError(t, err)
		return file
	}
	marked, handled := map[string][]string{}, map[string][]string{}
	for _, name := range []string{"events.go", "core.go", "effects.go"} {
		for _, d := range parse(name).Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			marked[f.Name.Name] = append(marked[f.Name.Name], types.ExprString(f.Recv.List[0].Type))
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.TypeSwitchStmt); ok {
					for _, c := range s.Body.List {
						for _, e := range c.(*ast.CaseClause).List {
							handled[f.Name.Name] = append(handled[f.Name.Name], types.ExprString(e))
						}
					}
				}
				return true
			})
		}
	}
	require.NotEmpty(t, marked["isEvent"])
	require.NotEmpty(t, marked["isEffect"])
	require.ElementsMatch(t, marked["isEvent"], handled["step"])
	require.ElementsMatch(t, marked["isEffect"], handled["carryOut"])
}

// restoreFrom restores a core from a document.
func (c *core) restoreFrom(document []byte) (complete bool, err error) {
	s, err := c.readSnapshot(document)
	if err != nil {
		return false, err
	}
	return c.restore(s)
}
