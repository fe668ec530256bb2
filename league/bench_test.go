package league

import (
	"fmt"
	"testing"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

// BenchmarkReconsider is the work of a second with a full ladder.
func BenchmarkReconsider(b *testing.B) {
	c := newTestCore(DefaultConfig(), 3, false)
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(3), Theta: map[string]float64{"random": -0.9, "main@1": -0.3,
		"main@2": 0.6, "main@3": 1.1}, RNG: engine.NewRNG(1, 1)}
	for i := range c.config.LadderMembers {
		c.join(&messages.Member{Name: fmt.Sprintf("main@%d", i+1), Order: uint64(i + 1)})
		rivals := append([]string{}, c.references...)
		for j := max(0, i-12); j < i; j++ {
			rivals = append(rivals, c.members[j].Name)
		}
		for _, other := range rivals {
			if err := c.Apply(s.Play(c.Match(rating.NewKey(c.members[i].Name, other), rating.Span{First: 0, End: 50},
				0))); err != nil {
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
