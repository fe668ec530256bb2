// Package table writes the strategies of Banluck with one player as a table of texts, for CSV
// files, and reads players from it.
package table

import (
	"fmt"
	"iter"

	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
)

// Columns names the columns of [Strategies].
var Columns = []string{
	"solution", "seat", "hand", "cards", "total", "soft", "player_cards", "hit", "stand", "ev_hit", "ev_stand", "reach",
}

// Strategies yields a row of texts for each hand of each seat: the player's in the baselines
// and the equilibrium, and the dealer's in the equilibrium by the number of the player's cards;
// at last the dealer's hard 15, where to hit means not to surrender. The last column is how often
// the seat gets to choose there, in a hand.
func Strategies(study *banluck.Study) iter.Seq[[]string] {
	return func(yield func(row []string) bool) {
		for _, b := range study.Baselines {
			if !playerRows(study, b.Dealer.String(), b.Solution, yield) {
				return
			}
		}
		_ = playerRows(study, "equilibrium", study.Equilibrium, yield) && dealerRows(study, yield) &&
			surrenderRows(study, yield)
	}
}

func playerRows(study *banluck.Study, solution string, s *banluck.Solution, yield func([]string) bool) bool {
	for _, h := range study.HeadsUp.PlayerHands() {
		hits, v, _ := s.Player(h)
		if !yield(strategyRow(study, solution, "player", h, "", hits, v, s.PlayerReach(h))) {
			return false
		}
	}
	return true
}

func dealerRows(study *banluck.Study, yield func([]string) bool) bool {
	for cards := 2; cards <= game.MaxCards; cards++ {
		for _, d := range study.HeadsUp.DealerHands() {
			hits, v, _ := study.Equilibrium.Dealer(d, cards)
			if !yield(strategyRow(study, "equilibrium", "dealer", d, fmt.Sprint(cards), hits, v,
				study.Equilibrium.DealerReach(d, cards))) {
				return false
			}
		}
	}
	return true
}

func surrenderRows(study *banluck.Study, yield func([]string) bool) bool {
	for _, d := range study.HeadsUp.Surrenderable() {
		goesOn, v, _ := study.Equilibrium.GoesOn(d)
		if !yield(strategyRow(study, "equilibrium", "dealer", d, "", goesOn, v, v.Chance)) {
			return false
		}
	}
	return true
}

func strategyRow(
	study *banluck.Study, solution, seat string, hand game.Hand, playerCards string, hits float64, v banluck.Worth,
	reach float64,
) []string {
	w := study.Game.Worth(hand)
	return []string{
		solution, seat, hand.String(), fmt.Sprint(hand.Size()), fmt.Sprint(w.Total), fmt.Sprint(w.Soft), playerCards,
		fmt.Sprint(hits), fmt.Sprint(1 - hits), fmt.Sprint(v.Hit), fmt.Sprint(v.Stop), fmt.Sprint(reach),
	}
}
