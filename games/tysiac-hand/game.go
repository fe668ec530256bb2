//go:build !wasip1

// Package tysiachand is the game of one deal of Tysiąc, whose rules are in package tysiac.
package tysiachand

import (
	"embed"

	"croupier/catalog"
	"croupier/games/tysiac"
)

var (
	//go:embed README.md
	manual []byte
	//go:embed defaults.yaml
	defaults []byte
	//go:embed board
	board embed.FS
	//go:embed trained/network.safetensors
	network []byte
	//go:embed trained/comparison.json
	comparison []byte
)

// Entry is the game as the catalog has it.
var Entry = catalog.Game{
	Name: "tysiac-hand", New: tysiac.NewHand, Manual: manual, Steps: steps,
	Defaults: defaults, Board: catalog.Folder(board, "board"), Network: network, Comparison: comparison,
}

// steps explain the rules to a beginner.
var steps = append([]catalog.Step{{Text: "One deal of Tysiąc, played for the change of the scores."}},
	tysiac.DealSteps()...)
