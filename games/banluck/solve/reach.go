package solve

import (
	"cmp"
	"slices"

	"croupier/games/banluck"
)

// PlayerReach is the probability that the player of the solution has the hand and may choose.
func (s *Solution) PlayerReach(h banluck.Hand) float64 {
	t, plan := s.game, &playerFlow{}
	t.flowPlayer(&s.profile.Player, plan)
	return plan.reach[h] * t.meets(h, s.profile.GoesOn)
}

// reached is, by the player's cards − 2, how often the dealer of the solution gets to each hand
// once the player has stopped and is not bust.
func (s *Solution) reached() (reach [sizes][hands]float64) {
	t, plan := s.game, &playerFlow{}
	t.flowPlayer(&s.profile.Player, plan)
	dealer := t.flowOf(s.profile)
	for k := range sizes {
		for _, d := range t.dealers {
			if p := dealer.reach[k][d]; p > 0 {
				reach[k][d] = p * t.stays(plan, k, d)
			}
		}
	}
	return reach
}

// DealerReach is the probability that the dealer of the solution has the hand while the player
// has stopped with some number of cards and is not bust.
func (s *Solution) DealerReach(d banluck.Hand, playerCards int) float64 {
	return s.reach()[playerCards-dealt][d]
}

// DealerTotal is what the dealer does with the hands of a total and softness.
type DealerTotal struct {
	Total int     `json:"total"` // 22 and more are busts
	Soft  bool    `json:"soft"`
	Does  string  `json:"does"`  // hits, chooses, stands, bust
	Reach float64 `json:"reach"` // expected number of times in a hand
	Hits  float64 `json:"hit"`   // share of hits
}

// DealerTotals lists all totals that the dealer gets to after the player has stopped without a
// bust, the lowest first.
func (s *Solution) DealerTotals() (list []DealerTotal) {
	t, reach := s.game, s.reach()
	type key struct {
		total int
		soft  bool
		does  role
	}
	sums := map[key]*DealerTotal{}
	for k := range sizes {
		for _, d := range t.dealers {
			w, p := t.game.Worth(d), reach[k][d]
			if p == 0 {
				continue
			}
			at := key{int(w.Total), w.Soft, t.dealer[d]}
			if sums[at] == nil {
				sums[at] = &DealerTotal{Total: at.total, Soft: at.soft, Does: s.does(d)}
			}
			sums[at].Reach += p
			switch t.dealer[d] {
			case draws:
				sums[at].Hits += p
			case choice:
				sums[at].Hits += p * s.profile.Dealer[k][d]
			}
		}
	}
	for _, sum := range sums {
		sum.Hits /= sum.Reach
		list = append(list, *sum)
	}
	slices.SortFunc(list, func(a, b DealerTotal) int {
		return cmp.Or(cmp.Compare(a.Total, b.Total), cmp.Compare(indicator(a.Soft), indicator(b.Soft)),
			cmp.Compare(a.Does, b.Does))
	})
	return list
}

func (s *Solution) does(d banluck.Hand) string {
	switch {
	case s.game.game.Worth(d).Total > limit:
		return "bust"
	case s.game.dealer[d] == draws:
		return "hits"
	case s.game.dealer[d] == choice:
		return "chooses"
	}
	return "stands"
}
