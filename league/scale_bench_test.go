package league

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

// large is a core with 500 agents, all active and rated, each two of whom have 80 results of ten sets: ten million
// results in all. One result of each pair is played and counted 80 times.
func large(b *testing.B) (*core, *ratingtest.Simulation) {
	const agents, results, sets = 500, 80, 10
	config := DefaultConfig()
	config.Population, config.LadderMembers, config.KeepMembers = agents, agents, agents
	config.Precision, config.MaxSets = 1, 10_000
	c := newTestCore(config, 2, false)
	mustDo(b, c, caughtUp{})
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(2), Theta: map[string]float64{}, RNG: engine.NewRNG(1, 1)}
	for i := range uint64(agents - len(c.references)) {
		name, sum := messages.MemberName("main", i+1), sha256.Sum256(fmt.Append(nil, i))
		m := &messages.Member{Name: name, Order: i + 1, Sha256: sum[:], Object: messages.MemberObject("main", i+1, sum)}
		c.join(m)
		s.Theta[c.player(m)] = float64(i) / agents
	}
	c.promote(&messages.Promotion{Number: 1, Agent: c.player(c.members[0])})
	names := append(c.references[:len(c.references):len(c.references)], c.active()...)
	var pairs []rating.StoredPair
	for i, x := range names {
		for _, y := range names[:i] {
			k := c.Key(x, y)
			r := s.Play(c.Match(k, rating.Span{First: 0, End: sets}, 0))
			p := rating.StoredPair{Agents: k.Agents(), Done: []rating.Span{{First: 0, End: results * sets}}}
			one := rating.NewSums(r, c.Spec)
			for range results {
				p.Rated.Add(one)
			}
			pairs = append(pairs, p)
		}
	}
	if err := c.RestorePairs(pairs); err != nil {
		b.Fatal(err)
	}
	c.reported = c.newestOrder()
	return c, s
}

// BenchmarkScale is what a league of 500 agents and ten million results costs.
func BenchmarkScale(b *testing.B) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c, s := large(b)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.Run("rate", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.reconsider(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB_heap")
	})
	if _, err := c.reconsider(); err != nil {
		b.Fatal(err)
	}
	b.Run("choose", func(b *testing.B) { // all matches that may be without a result, after a rating
		for b.Loop() {
			clear(c.outstanding)
			if n := len(c.schedule()); n < c.config.Outstanding {
				b.Fatal("too few matches", n)
			}
		}
	})
	b.Run("result", func(b *testing.B) { // a result, and the match that takes its place
		for b.Loop() {
			o := c.outstanding[c.outstandingIDs()[0]]
			mustDo(b, c, arrival(1, s.Play(c.Match(o.key, o.sets, 0))))
			if len(c.outstanding) != c.config.Outstanding {
				b.Fatal("another match should have been asked for")
			}
		}
	})
	b.Run("idle", func(b *testing.B) { // a second without a result
		c.dirty = false
		for b.Loop() {
			mustDo(b, c, tick{})
		}
	})
	b.Run("observe", func(b *testing.B) {
		for b.Loop() {
			c.SetVarianceRatio()
		}
	})
	b.Run("publish", func(b *testing.B) {
		doc, err := c.standing.Ladder.Within(messages.MaxMessage)
		for b.Loop() {
			doc, err = c.standing.Ladder.Within(messages.MaxMessage)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(doc))/1e6, "MB_ladder")
	})
	document, err := c.encodeSnapshot()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("snapshot", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.encodeSnapshot(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(document))/1e6, "MB_snapshot")
	})
	b.Run("replay", func(b *testing.B) { // a journal of 10,000 results
		fresh, dir := newTestCore(c.config, 2, false), b.TempDir()
		j, _, _, err := openJournal(dir)
		if err != nil {
			b.Fatal(err)
		}
		k := rating.NewKey(c.references[0], c.references[1])
		for i := range uint64(10_000) {
			r, err := withoutEvidence(s.Play(fresh.Match(k, rating.Span{First: 10 * i, End: 10*i + 10}, 0)))
			if err == nil {
				err = j.add(entry{Result: r, Place: &mark{i + 1, i + 1}})
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		if err := j.flush(); err != nil {
			b.Fatal(err)
		}
		j.close()
		for b.Loop() {
			j, entries, damaged, err := openJournal(dir)
			if err != nil || damaged+newTestCore(c.config, 2, false).replay(entries) > 0 {
				b.Fatal(damaged, err)
			}
			j.close()
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1e4, "µs/result")
		b.ReportMetric(float64(j.size)/1e4, "B/result")
	})
	b.Run("restore", func(b *testing.B) {
		for b.Loop() {
			fresh := newTestCore(c.config, 2, false)
			if _, err := fresh.restoreFrom(document); err != nil {
				b.Fatal(err)
			}
		}
	})
}
