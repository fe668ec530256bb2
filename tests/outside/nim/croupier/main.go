// Command croupier is the command line of croupier with Nim in it, the page included:
//
//	go run ./croupier train nim --for 1m
//	go run ./croupier solve nim
package main

import (
	"os"

	"croupier"
	"croupier/games/standard"
	"example.org/nim"
)

func main() {
	app := croupier.New(standard.Games, croupier.Game(nim.Entry))
	os.Exit(app.Main(os.Args[1:]))
}
