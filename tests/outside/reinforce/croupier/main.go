// Command croupier is the command line of croupier with REINFORCE in it, the page included:
//
//	go run ./croupier train pig --algo reinforce --for 1m
package main

import (
	"os"

	"croupier"
	"croupier/games/standard"
	"example.org/reinforce"
)

func main() {
	app := croupier.New(standard.Games, croupier.Algorithm(reinforce.Algorithm))
	os.Exit(app.Main(os.Args[1:]))
}
