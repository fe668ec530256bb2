package league

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"
	"time"

	"croupier/engine"
	"croupier/internal/sealed"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

// grown is a core that has lived for as many members, each of which has met the references and the members
// before it as far as they were active then, and was dropped when its time had come.
func grown(b *testing.B, config Config, members int) (*core, *ratingtest.Simulation, []messages.DroppedMember) {
	c := newTestCore(config, 2, false)
	mustDo(b, c, caughtUp{})
	c.trusting = true
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(2), Theta: map[string]float64{}, RNG: engine.NewRNG(1, 1)}
	var dropped []messages.DroppedMember
	for i := range members {
		order := uint64(i + 1)
		sum := sha256.Sum256(fmt.Append(nil, order))
		m := &messages.Member{Name: messages.MemberName("main", order), Order: order, Sha256: sum[:],
			Object: messages.MemberObject("main", order, sum)}
		rivals := append(c.references[:len(c.references):len(c.references)], c.active()...)
		c.join(m)
		for _, other := range rivals {
			if other == c.player(m) {
				continue
			}
			k := c.Key(c.player(m), other)
			if err := c.Apply(s.Play(c.Match(k, rating.Span{First: 0, End: 5}, 0))); err != nil {
				b.Fatal(err)
			}
		}
		if i%100 == 0 {
			c.promote(&messages.Promotion{Number: uint64(i/100 + 1), Agent: c.player(m), Over: c.best})
		}
		for _, m := range c.superfluous() {
			dropped = append(dropped, messages.DroppedMember{Member: m})
			c.drop([]*messages.Member{m})
		}
	}
	return c, s, dropped
}

func mustDo(b *testing.B, c *core, e event) {
	if _, err := c.step(e); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkGrowth is what a league costs that has frozen 8,000 members: the second in which a result has come,
// another result in it, and what is written of it.
func BenchmarkGrowth(b *testing.B) {
	for _, rated := range []int{DefaultConfig().LadderMembers, 500} {
		b.Run(fmt.Sprintf("rated=%d", rated), func(b *testing.B) {
			config := DefaultConfig()
			config.LadderMembers, config.KeepMembers = rated, max(config.KeepMembers, uint64(rated))
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			c, s, dropped := grown(b, config, 8000)
			runtime.GC()
			runtime.ReadMemStats(&after)
			snapshot, err := c.encodeSnapshot()
			if err != nil {
				b.Fatal(err)
			}
			list, err := messages.FormatMembers(messages.MemberList{Kept: c.members, Dropped: dropped})
			if err != nil {
				b.Fatal(err)
			}
			k := c.Key(c.player(c.newest()), c.references[0])
			first := uint64(100)
			var counting time.Duration
			var line []byte
			for b.Loop() {
				began := time.Now()
				r := s.Play(c.Match(k, rating.Span{First: first, End: first + 5}, 0))
				mustDo(b, c, arrival(first, r))
				first += 5
				counted, err := withoutEvidence(r)
				if err == nil {
					line, err = sealed.Line(entry{Result: counted, Place: &mark{first, first}})
				}
				if err != nil {
					b.Fatal(err)
				}
				counting += time.Since(began)
				mustDo(b, c, tick{})
			}
			doc, err := c.standing.Ladder.JSON()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(counting.Seconds()*1e6/float64(b.N), "µs/result")
			b.ReportMetric(float64(len(line)), "B_journal/result")
			b.ReportMetric(float64(len(c.members)), "members")
			b.ReportMetric(float64(len(c.Pairs)), "pairs")
			b.ReportMetric(float64(len(doc))/1e3, "kB_ladder")
			b.ReportMetric(float64(len(snapshot))/1e3, "kB_snapshot")
			b.ReportMetric(float64(len(list))/1e3, "kB_list")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB_heap")
		})
	}
}
