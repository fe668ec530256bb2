package actor

import (
	"testing"

	"croupier/engine"
	"croupier/engine/games"
	"croupier/nn"
)

// BenchmarkSelfPlay is training play on one core: tables, encoding, inference and
// sampling, without the broker.
func BenchmarkSelfPlay(b *testing.B) {
	for _, c := range []struct {
		name, game  string
		description nn.Description
	}{
		{"bank/2x64", "bank", nn.Description{Dense: []int{64, 64}}},
		{"bank/R128", "bank", nn.Description{Dense: []int{128}, LSTM: []int{128}}},
		{"pig/2x64", "pig", nn.Description{Dense: []int{64, 64}}},
		{"kuhn/2x64", "kuhn", nn.Description{Dense: []int{64, 64}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			game, err := games.New(c.game, nil)
			if err != nil {
				b.Fatal(err)
			}
			layout, err := nn.NewLayout(c.description, game.Spec())
			if err != nil {
				b.Fatal(err)
			}
			network, err := nn.NewNetwork(layout, layout.Init(1))
			if err != nil {
				b.Fatal(err)
			}
			p := &Player{Name: "main", Learning: true, Network: network}
			seats := make([]*Player, game.Spec().Seats)
			for i := range seats {
				seats[i] = p
			}
			r := newRoom(game, DefaultConfig().Tables)
			done := func(*record) {}
			number := uint64(0)
			next := func(int) (assignment, bool) {
				number++
				return assignment{seed: engine.GameSeed(1, "bench", number), seats: seats, finish: done}, true
			}
			decisions := 0
			b.ReportAllocs()
			for b.Loop() {
				decisions += r.step(next)
			}
			b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
		})
	}
}
