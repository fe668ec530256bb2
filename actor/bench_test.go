package actor

import (
	"testing"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/nn"
	"croupier/player"
)

// BenchmarkSelfPlay is play on one core: tables, encoding, inference and sampling,
// without the broker; training games, and measured ones as in the arena.
func BenchmarkSelfPlay(b *testing.B) {
	for _, c := range []struct {
		name, game  string
		description nn.Description
		measured    bool
	}{
		{"bank/2x64", "bank", nn.Description{Dense: []int{64, 64}}, false},
		{"bank/2x64/measured", "bank", nn.Description{Dense: []int{64, 64}}, true},
		{"bank/R128", "bank", nn.Description{Dense: []int{128}, LSTM: []int{128}}, false},
		{"pig/2x64", "pig", nn.Description{Dense: []int{64, 64}}, false},
		{"pig/2x64/measured", "pig", nn.Description{Dense: []int{64, 64}}, true},
		{"kuhn/2x64", "kuhn", nn.Description{Dense: []int{64, 64}}, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			game, err := standard.Games.New(c.game, nil)
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
			p := &player.Player{Name: "main", Learning: true, Network: network}
			seats := make([]*player.Player, game.Spec().Seats)
			for i := range seats {
				seats[i] = p
			}
			r := newRoom(DefaultConfig().Tables, game)
			done := func(*episode) {}
			number := uint64(0)
			next := func() (assignment, bool) {
				number++
				return assignment{seed: engine.GameSeed(1, "bench", number), seats: seats, measured: c.measured, finish: done}, true
			}
			decisions := 0
			b.ReportAllocs()
			for b.Loop() {
				decisions += r.step(b.Context(), next)
			}
			b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
		})
	}
}
