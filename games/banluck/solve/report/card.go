package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
)

// The parts of the card.
var (
	//go:embed card.html
	cardPage string
	//go:embed card.css
	cardStyle string
	//go:embed card.js
	cardScript string

	cardTemplate = template.Must(template.New("card").Parse(cardPage))
)

// WriteCard writes the equilibrium of a study as one HTML file, in which a hand is tapped to learn
// what to do. The file holds everything that it needs and asks for nothing from a network.
func WriteCard(w io.Writer, study *banluck.Study) error {
	g := study.Game
	tables := tablesOf(g, study.HeadsUp, study.Equilibrium)
	rows := make([][]any, len(tables.Hands))
	for i, h := range tables.Hands {
		rows[i] = []any{
			number(h.Seat == "dealer"), h.Against, h.Hand, h.Total, number(h.Soft),
			rounded(h.Share), rounded(h.EVTakes), rounded(h.EVStops), rounded(h.Bust),
		}
	}
	return cardTemplate.Execute(w, map[string]any{
		"Style": template.CSS(cardStyle), "Script": template.JS(cardScript), "Hands": rows,
		"Rules": cardRules(g.Rules().(game.Rules)), "Cost": fmt.Sprintf("%.1f %%", -100*tables.EV),
	})
}

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

// rounded keeps four decimals, which is a hundredth of a percent of a bet.
func rounded(v float64) float64 { return math.Round(1e4*v)/1e4 + 0 }

// cardRules puts the rules into words.
func cardRules(r game.Rules) []string {
	may := map[bool]string{true: "may", false: "may not"}
	aces := "Aces count whatever is best."
	if r.Ace == game.AceGreedy {
		aces = "Aces count high one by one, as long as that does not bust."
	}
	return []string{
		fmt.Sprintf("The dealer %s surrender a hard 15, and %s reveal at 16 and 17.", may[r.Surrender], may[r.Reveal]),
		aces,
		fmt.Sprintf("Ban Ban pays %d, Ban Luck %d, 777 %d, five cards %d, five cards with 21 %d.",
			r.Payouts.BanBan, r.Payouts.BanLuck, r.Payouts.Sevens, r.Payouts.FiveCard, r.Payouts.FiveCard21),
		"Standing on 15 or less loses. The dealer draws up to 15 and stands from 18 on.",
	}
}
