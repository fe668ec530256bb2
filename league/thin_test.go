package league

import (
	"flag"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/internal/nightly"
	"croupier/league/rating"
	"croupier/messages"
)

// A member that is dropped was not kept at any later time, and of n there are keep and half as many for each doubling.
func TestThinningKeepsFewerTheOlderTheyAre(t *testing.T) {
	for _, keep := range []uint64{1, 5, 64} {
		kept := map[uint64]bool{}
		for newest := uint64(1); newest <= 8000; newest++ {
			kept[newest] = true
			for n := range kept {
				if !keeps(n, newest, keep) {
					delete(kept, n)
				}
			}
		}
		want, doublings := 0, 0
		for n := uint64(1); n <= 8000; n++ {
			if keeps(n, 8000, keep) {
				want++
			}
		}
		for n := keep; n < 8000; n *= 2 {
			doublings++
		}
		require.Len(t, kept, want, "keep %d", keep)
		require.True(t, kept[1])
		require.LessOrEqual(t, len(kept), int(keep)+doublings*(int(keep)/2+1)+1, "keep %d", keep)
		for n := 8000 - keep + 1; n <= 8000; n++ {
			require.True(t, kept[n], n)
		}
	}
}

// drawTwins returns two leagues in the same world, of which one drops members as soon as it may.
func drawTwins(t *rapid.T) (all, few *world) {
	config := testConfig()
	config.Agents = drawAgents(t)
	config.FreezeUpdates = 8
	config.Population = rapid.IntRange(1, 4).Draw(t, "population")
	config.LadderMembers = rapid.IntRange(1, 4).Draw(t, "ladder_members")
	config.Pool = rapid.IntRange(1, 4).Draw(t, "pool")
	config.KeepMembers = 1000
	seats := rapid.IntRange(2, 3).Draw(t, "seats")
	seed := rapid.Uint64().Draw(t, "seed")
	all = newWorld(t, config, seats, seed)
	config.KeepMembers = 1
	few = newWorld(t, config, seats, seed)
	return all, few
}

// resume replaces the core by one that has an old snapshot (nil: none), and then the journal.
func (w *world) resume(document []byte) {
	published := w.core.published()
	entries := []entry{{Progress: &published}}
	w.core = newTestCore(w.core.config, w.core.Spec.Seats, false)
	if document != nil {
		_, err := w.core.restoreFrom(document)
		require.NoError(w.t, err)
	}
	for _, m := range w.issued {
		entries = append(entries, entry{Issued: issuedAs(m)}, entry{Sent: []string{m.Id}})
	}
	for i, r := range w.results {
		if i == len(w.counted) {
			counted, err := withoutEvidence(r)
			require.NoError(w.t, err)
			w.counted = append(w.counted, counted)
		}
		entries = append(entries, entry{Result: w.counted[i], Place: &mark{Sequence: uint64(i + 1)}})
	}
	require.Zero(w.t, w.core.replay(entries))
	w.step(membersDropped{w.droppedMembers()})
	for _, m := range w.members {
		w.step(memberKnown{m})
	}
	for _, p := range w.promoted {
		w.step(promotionKnown{p})
	}
	w.followAgain()
}

// checks has properties looked at in fewer random cases, unless -rapid.checks says how many or it is night.
func checks(t *testing.T, cases int) {
	f := flag.Lookup("rapid.checks")
	if usual := f.Value.String(); usual == f.DefValue && !nightly.On {
		require.NoError(t, f.Value.Set(strconv.Itoa(cases)))
		t.Cleanup(func() { require.NoError(t, f.Value.Set(usual)) })
	}
}

// Ladder, table, curves, promotions and matches are the same to the last bit, whether members are dropped or
// not, also after a restart with an old snapshot. One in 70 of these leagues had a target dropped whose point was not
// out (TestMetTargetsStayUntilTheirPointIsOut): what is as rare is found in some days, what is ten times as frequent at
// once.
func TestThinningChangesNothingElse(t *testing.T) {
	checks(t, 40)
	dropped := 0
	rapid.Check(t, func(t *rapid.T) {
		all, few := drawTwins(t)
		worlds := []*world{all, few}
		for _, w := range worlds {
			w.step(caughtUp{})
		}
		var kept [2][]byte
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			what := rapid.SampledFrom([]string{"learn", "learn", "rest", "play", "save", "crash"}).Draw(t, "what")
			match := rapid.IntRange(0, 100).Draw(t, "match")
			agent := rapid.IntRange(0, len(all.core.agents)-1).Draw(t, "agent")
			for i, w := range worlds {
				switch what {
				case "learn":
					if name := w.core.agents[agent].Name; agent > 0 {
						w.learnAs(name, 64, w.ordered(name))
					} else {
						w.learn(64)
					}
					w.tick()
				case "rest":
					w.playAll()
				case "play":
					w.tick()
					if len(w.queue) > 0 {
						w.play(match % len(w.queue))
					}
				case "save":
					document, err := w.core.encodeSnapshot()
					require.NoError(t, err)
					kept[i] = document
				case "crash":
					w.resume(kept[i])
				}
				w.tick()
			}
			require.Equal(t, matchIDs(all.issued), matchIDs(few.issued))
			require.Equal(t, document(t, all.ladder), document(t, few.ladder))
			for agent, table := range all.tables {
				require.Equal(t, table.String(), few.tables[agent].String())
			}
			require.Equal(t, all.promoted, few.promoted)
			require.Equal(t, all.resets, few.resets)
			requirePointsOf(t, all, few)
			require.Empty(t, all.dropped)
			for k := range few.core.Pairs {
				require.False(t, few.core.ofDropped(k))
			}
		}
		dropped += len(few.dropped)
	})
	require.Positive(t, dropped)
}

// requirePointsOf has both worlds publish the same points of curves, values and intervals included.
func requirePointsOf(t require.TestingT, all, few *world) {
	require.Len(t, few.published, len(all.published))
	for i, points := range all.published {
		require.Equal(t, points.String(), few.published[i].String())
	}
}

// The target that an exploiter has met last stays until the exploiter's point of it is out, also when the main agent
// has left it behind. If it went, the point would tell of an older target, or, where the exploiter has met no other,
// would be missing.
func TestMetTargetsStayUntilTheirPointIsOut(t *testing.T) {
	config := testConfig()
	config.Agents = []Agent{{Name: "main", Role: Main}, {Name: "hunter", Role: MainExploiter, ResetUpdates: 10_000}}
	config.FreezeUpdates, config.Population, config.LadderMembers, config.Pool = 8, 1, 1, 1
	for name, rest := range map[string]func(w *world){
		"has met others": (*world).playAll,
		"has met nobody else": func(w *world) {
			hunt := w.core.Key("hunter@4", "main@3")
			for w.tick(); w.core.planned(hunt, 0) > w.core.PairOf(hunt).Total().Sets; {
				w.play(0)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var worlds []*world
			for _, config.KeepMembers = range []uint64{1000, 1} {
				w := newWorld(t, config, 2, 1)
				worlds = append(worlds, w)
				w.step(caughtUp{})
				for range 3 { // the first stays, as the best; neither of the others passes the gate
					w.learn(64)
					w.playAll()
					w.strength["main"] = -3
				}
				w.learnAs("hunter", 64, 0)
				rest(w)
				for range 3 {
					w.learn(64) // faster than they can be rated
					w.tick()
					w.tick()
				}
				w.learnAs("hunter", 64, 0)
				require.Len(t, w.plotted()["exploit_share/hunter"], 1)
				w.playAll()
			}
			requirePointsOf(t, worlds[0], worlds[1])
			require.True(t, worlds[1].core.dropped[3], "dropped all the same, once its point is out")
		})
	}
}

// However long it runs, a league has no more members and pairs than the rule says.
func TestALongRunStaysSmall(t *testing.T) {
	config := testConfig()
	config.FreezeUpdates, config.Population, config.LadderMembers, config.Pool, config.KeepMembers = 1, 2, 3, 2, 4
	config.ReferenceSets, config.GateSets, config.GateMaxSets, config.FinalSets, config.MaxSets = 5, 5, 10, 5, 10
	w := newWorld(t, config, 2, 1)
	w.step(caughtUp{})
	pairs := 0
	for n := range 300 {
		w.learn(64)
		w.playAll()
		if n == 100 {
			pairs = len(w.core.Pairs)
		}
	}
	require.GreaterOrEqual(t, len(w.members), 300)
	require.Less(t, len(w.core.members), 60)
	require.Less(t, len(w.core.Pairs), 2*pairs, "with twice as many members")
	require.Len(t, w.dropped, len(w.members)-len(w.core.members))
	rated := 0
	for _, m := range w.dropped {
		if m.Games > 0 {
			rated++
			require.Less(t, m.Low, m.Rating)
		}
	}
	require.Greater(t, rated, len(w.dropped)/2, "with what they came to")
}

// What an actor sends late of a member that is gone is no offence.
func TestLateResultOfADroppedMember(t *testing.T) {
	w := asked(t, false)
	late := arrival(1, w.sim.Play(w.core.Match(w.core.Key("main@1", "random"), rating.Span{First: 0, End: 5}, 0)))
	mustStep(t, w.core, membersDropped{[]*messages.Member{{Name: "main@1", Order: 1}}})
	_, err := outcome(t, w.core, late)
	require.ErrorIs(t, err, rating.ErrDuplicate)
	require.Empty(t, w.core.Pairs)
	mustStep(t, w.core, memberKnown{&messages.Member{Name: "main@1", Order: 1}})
	require.NotContains(t, w.core.members, &messages.Member{Name: "main@1", Order: 1})
}
