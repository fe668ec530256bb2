//go:build wasip1

// Command page is the WebAssembly module that plays the program's games in pages (games/page builds it).
package main

import (
	"croupier/engine/wasm/inpage"
	"croupier/games/bank"
	bankcards "croupier/games/bank-cards"
	"croupier/games/banluck"
	"croupier/games/kuhn"
	langestrasse "croupier/games/lange-strasse"
	"croupier/games/leduc"
	"croupier/games/pig"
	"croupier/games/tysiac"
)

func init() {
	inpage.Start(map[string]inpage.New{
		"bank": bank.New, "bank-cards": bankcards.New, "banluck": banluck.New, "kuhn": kuhn.New,
		"lange-strasse": langestrasse.New, "leduc": leduc.New, "pig": pig.New, "tysiac": tysiac.New,
		"tysiac-hand": tysiac.NewHand,
	})
}

func main() {}
