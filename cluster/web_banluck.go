package cluster

import (
	"context"
	"sync"

	"croupier/engine"
	game "croupier/engine/banluck"
	"croupier/solver/banluck"
	"croupier/web"
)

// banluckTables returns what fills the page of Banluck where the game is Banluck with one
// player, else nil. The game is solved at the first call.
func banluckTables(g engine.Game) func() (*web.BanluckTables, error) {
	b, ok := g.(*game.Game)
	if !ok || b.Rules().(game.Rules).Players != 1 {
		return nil
	}
	return sync.OnceValues(func() (*web.BanluckTables, error) {
		t, err := banluck.NewHeadsUp(b)
		if err != nil {
			return nil, err
		}
		s, err := t.Equilibrium(context.Background(), banluck.DefaultOptions())
		if err != nil {
			return nil, err
		}
		return newBanluckTables(b, t, s), nil
	})
}

func newBanluckTables(g *game.Game, t *banluck.HeadsUp, s *banluck.Solution) *web.BanluckTables {
	tables := &web.BanluckTables{EV: s.EV, StdDev: s.StdDev}
	add := func(seat string, h game.Hand, against int, takes, stops string, share float64, v banluck.Worth) {
		w := g.Worth(h)
		tables.Hands = append(tables.Hands, web.BanluckHand{
			Seat: seat, Against: against, Hand: h.String(), Total: int(w.Total), Soft: w.Soft,
			Takes: takes, Stops: stops, Share: share, EVTakes: v.Hit, EVStops: v.Stop, Bust: min(v.BustIfHits, 1),
		})
	}
	for _, h := range t.PlayerHands() {
		hits, v, _ := s.Player(h)
		add("player", h, 0, "hit", "stand", hits, v)
	}
	for cards := 2; cards <= game.MaxCards; cards++ {
		stops := "stand"
		if cards > 2 && g.Rules().(game.Rules).Reveal {
			stops = "stand or reveal"
		}
		for _, d := range t.DealerHands() {
			hits, v, _ := s.Dealer(d, cards)
			add("dealer", d, cards, "hit", stops, hits, v)
		}
	}
	for _, d := range t.Surrenderable() {
		goesOn, v, _ := s.GoesOn(d)
		add("dealer", d, 0, "continue", "surrender", goesOn, v)
	}
	return tables
}
