package report

import (
	"croupier/catalog"
	"croupier/engine"
	banluck "croupier/games/banluck/solve"
	"croupier/games/banluck/solve/table"
)

// Exact is what the catalog has of Banluck.
var Exact = catalog.Exact{
	Solutions: []catalog.Solution{
		catalog.Tables(catalog.Equilibrium, banluck.SolveTables, banluck.EquilibriumOf).WithBound(),
	},
	Formats: []catalog.Format{{Text: true, Is: table.IsTable, Read: table.ReadPlayer}},
	Measure: func(g engine.Game) (catalog.Measure, error) {
		meter, err := banluck.NewMeter(g)
		if err != nil {
			return nil, err
		}
		return meter.Measure, nil
	},
	Command: inFull.command(),
}

// Page is the page of Banluck as it stands in the catalog.
var Page = catalog.Page{
	Name: "banluck", Path: "/banluck", Title: "Banluck", Topic: "games/banluck", Template: pageTemplate, Assets: assets, API: newAPI,
}
