package league

import (
	"fmt"
	"testing"

	"croupier/engine"
	"croupier/messages"
)

// BenchmarkReconsider is the work of a second with a full ladder.
func BenchmarkReconsider(b *testing.B) {
	c := newTestCore(DefaultConfig(), 3, false)
	s := &simulation{spec: testSpec(3), theta: strengths, rng: engine.NewRNG(1, 1)}
	for i := range c.config.LadderMembers {
		c.join(&messages.Member{Name: fmt.Sprintf("main@%d", i+1), Order: uint64(i + 1)})
		rivals := append([]string{}, c.references...)
		for j := max(0, i-12); j < i; j++ {
			rivals = append(rivals, c.members[j].Name)
		}
		for _, other := range rivals {
			if err := c.apply(s.play(c.match(newPairKey(c.members[i].Name, other), span{0, 50}, 0))); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		if _, err := c.reconsider(); err != nil {
			b.Fatal(err)
		}
	}
}
