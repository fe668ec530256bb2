package solve

import (
	"cmp"
	"slices"

	"croupier/games/banluck"
)

// Cell is what a seat does with all hands of a total, number of cards and softness.
type Cell struct {
	Cards, Total int
	Soft         bool
	Hits         float64        // share of hits, with hands weighted by their probability in a full deck
	Mixed        bool           // a hand is hit sometimes: otherwise each is always hit or never
	Exceptions   []banluck.Hand // the hands played differently from the likelier ones
}

// mixing is the least share of each action for which a hand counts as mixed.
const mixing = 1e-4

// Mixes reports whether a hand that is hit with the given frequency is played both ways.
func Mixes(hits float64) bool { return hits > mixing && hits < 1-mixing }

// HitsMostly reports whether most of the hands of a cell are hit.
func (c *Cell) HitsMostly() bool { return c.Hits > even }

// PlayerChart returns the player's strategy by cells, sorted by number of cards, hard
// before soft, and total.
func (s *Solution) PlayerChart() []Cell {
	return s.game.chart(s.game.PlayerHands(), func(h banluck.Hand) float64 { return s.profile.Player[h] })
}

// DealerChart returns the dealer's strategy against a player with some number of cards.
func (s *Solution) DealerChart(playerCards int) []Cell {
	hits := func(d banluck.Hand) float64 { return s.profile.Dealer[playerCards-dealt][d] }
	return s.game.chart(s.game.DealerHands(), hits)
}

func (t *HeadsUp) chart(list []banluck.Hand, hits func(banluck.Hand) float64) (chart []Cell) {
	type key struct {
		cards, total int
		soft         bool
	}
	cells := map[key][]banluck.Hand{}
	for _, h := range list {
		w := t.game.Worth(h)
		k := key{h.Size(), int(w.Total), w.Soft}
		cells[k] = append(cells[k], h)
	}
	for k, members := range cells {
		cell := Cell{Cards: k.cards, Total: k.total, Soft: k.soft}
		chance := 0.0
		for _, h := range members {
			cell.Hits += t.Chance(h) * hits(h)
			chance += t.Chance(h)
			cell.Mixed = cell.Mixed || Mixes(hits(h))
		}
		cell.Hits /= chance
		for _, h := range members {
			if (hits(h) > even) != (cell.Hits > even) {
				cell.Exceptions = append(cell.Exceptions, h)
			}
		}
		chart = append(chart, cell)
	}
	slices.SortFunc(chart, func(a, b Cell) int {
		return cmp.Or(
			cmp.Compare(a.Cards, b.Cards), cmp.Compare(indicator(a.Soft), indicator(b.Soft)), cmp.Compare(a.Total, b.Total),
		)
	})
	return chart
}
