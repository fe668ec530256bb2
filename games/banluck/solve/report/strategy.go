package report

import (
	"fmt"

	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
)

// strategy is what a seat does, by cells, for printing and drawing.
type strategy struct {
	file    string // its name, without extension
	title   string
	against int // the number of the player's cards, in a strategy of the dealer
	cells   []banluck.Cell
}

// strategies lists the strategies of a study: of both seats in equilibrium, then of the player
// in the baselines.
func strategies(study *banluck.Study) []strategy {
	list := []strategy{{"player-equilibrium", "The player in equilibrium", 0, study.Equilibrium.PlayerChart()}}
	for cards := 2; cards <= game.MaxCards; cards++ {
		list = append(list, strategy{
			fmt.Sprintf("dealer-equilibrium-%d", cards), "The dealer in equilibrium", cards,
			study.Equilibrium.DealerChart(cards),
		})
	}
	for _, b := range study.Baselines {
		reveal, surrender := onOff(b.Dealer.Reveal), always(b.Dealer.Surrender)
		list = append(list, strategy{
			fmt.Sprintf("player-baseline-reveal-%s-surrender-%s", reveal, surrender),
			fmt.Sprintf("The player against the fixed dealer, reveal %s, surrender %s", reveal, surrender), 0,
			b.Solution.PlayerChart(),
		})
	}
	return list
}

// totals returns the lowest and the highest total of the cells.
func totals(cells []banluck.Cell) (low, high int) {
	low, high = cells[0].Total, cells[0].Total
	for _, c := range cells {
		low, high = min(low, c.Total), max(high, c.Total)
	}
	return low, high
}

// softness is "soft" if the hands of a cell have an ace that counts its higher value, else
// "hard".
func softness(c banluck.Cell) string {
	if c.Soft {
		return "soft"
	}
	return "hard"
}
