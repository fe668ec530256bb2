// Package standard is the list of the games that come with the program.
package standard

import (
	"croupier/catalog"
	"croupier/games/bank"
	bankcards "croupier/games/bank-cards"
	banksolve "croupier/games/bank/solve"
	"croupier/games/banluck"
	"croupier/games/banluck/solve/report"
	"croupier/games/kuhn"
	langestrasse "croupier/games/lange-strasse"
	langestrassesolve "croupier/games/lange-strasse/solve"
	"croupier/games/leduc"
	"croupier/games/page"
	"croupier/games/pig"
	pigsolve "croupier/games/pig/solve"
	"croupier/games/tysiac"
	tysiachand "croupier/games/tysiac-hand"
	tysiacsolve "croupier/games/tysiac/solve"
	"croupier/solver"
)

// equilibrium is found on the whole tree of a game.
var equilibrium = catalog.Exact{Solutions: []catalog.Solution{solver.Equilibrium}}

// Games are all of them, in the order in which they are shown.
var Games = catalog.New(inPages(
	bank.Entry.With(banksolve.Exact),
	pig.Entry.With(pigsolve.Exact),
	kuhn.Entry.With(equilibrium),
	leduc.Entry.With(equilibrium),
	tysiac.Entry.With(tysiacsolve.Exact),
	tysiachand.Entry,
	banluck.Entry.With(report.Exact, report.Page),
	langestrasse.Entry.With(langestrassesolve.Exact),
	bankcards.Entry,
)...)

// inPages returns the games with the module that plays them in pages.
func inPages(games ...catalog.Game) []catalog.Game {
	for i := range games {
		games[i].Module = page.Module
	}
	return games
}
