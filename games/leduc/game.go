//go:build !wasip1

package leduc

import (
	"embed"

	"croupier/catalog"
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

// Entry is Leduc hold'em as the catalog has it.
var Entry = catalog.Game{
	Name: "leduc", New: New, Manual: manual, Steps: steps, Defaults: defaults, Board: catalog.Folder(board, "board"),
	Network:    network,
	Comparison: comparison,
}
