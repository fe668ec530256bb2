// Command croupier trains game-playing agents by distributed self-play.
package main

import (
	"os"

	"croupier"
	"croupier/games/standard"
)

func main() {
	app := croupier.New(standard.Games)
	os.Exit(app.Main(os.Args[1:]))
}
