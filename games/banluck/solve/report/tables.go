package report

import (
	"context"

	"croupier/engine"
	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
)

// Tables is the equilibrium with one player, as the page shows it. The page requests its JSON.
type Tables struct {
	EV     float64 `json:"ev"` // of the player, units a hand
	StdDev float64 `json:"stddev"`
	Hands  []Hand  `json:"hands"` // all at which a seat can choose
}

// Hand is a hand and what its choices are worth to the seat, in units.
type Hand struct {
	Seat    string  `json:"seat"`    // player, dealer
	Against int     `json:"against"` // the number of the player's cards that the dealer sees; 0: none
	Hand    string  `json:"hand"`    // ranks ascending: "5-A"
	Total   int     `json:"total"`
	Soft    bool    `json:"soft"`
	Takes   string  `json:"takes"` // the names of the choices: hit or continue,
	Stops   string  `json:"stops"` // stand, stand or reveal, or surrender
	Share   float64 `json:"share"` // how often it takes
	EVTakes float64 `json:"ev_takes"`
	EVStops float64 `json:"ev_stops"`
	Bust    float64 `json:"bust"` // the probability of ending with more than 21 after taking
}

// NewTables solves a game, which must be Banluck with one player, within a few seconds. If ctx
// ends first, that is an error.
func NewTables(ctx context.Context, g engine.Game) (*Tables, error) {
	t, err := banluck.NewHeadsUp(g)
	if err != nil {
		return nil, err
	}
	s, err := t.Equilibrium(ctx, banluck.DefaultOptions())
	if err != nil {
		return nil, err
	}
	return tablesOf(g.(*game.Game), t, s), nil
}

func tablesOf(g *game.Game, t *banluck.HeadsUp, s *banluck.Solution) *Tables {
	tables := &Tables{EV: s.EV, StdDev: s.StdDev}
	add := func(seat string, h game.Hand, against int, takes, stops string, share float64, v banluck.Worth) {
		w := g.Worth(h)
		tables.Hands = append(tables.Hands, Hand{
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
