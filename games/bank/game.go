//go:build !wasip1

package bank

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
	//go:embed trained/family.safetensors
	family []byte
	//go:embed trained/comparison.json
	comparison []byte
	//go:embed trained/tables.jsonl
	tables []byte
)

// Entry is BANK! with dice as the catalog has it.
var Entry = catalog.Game{
	Name: "bank", New: New, Manual: manual, Steps: steps, Defaults: defaults, Board: catalog.Folder(board, "board"),
	Network: network,
	Family:  family, Comparison: comparison, Tables: tables,
}
