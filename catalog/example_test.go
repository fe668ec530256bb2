package catalog_test

import (
	"fmt"
	"log"

	"croupier/catalog"
	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/games/pig"
)

// What a program knows of games is a value: games of its own are added to those of others.
func ExampleCatalog_With() {
	short := catalog.Game{Name: "short-pig", New: func(rules []byte) (engine.Game, error) {
		return pig.New([]byte("target: 10"))
	}}
	games := catalog.New(kuhn.Entry).With(short)
	fmt.Println(games.Names())
	game, err := games.New("short-pig", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(game.Rules())
	_, err = games.Find("khun")
	fmt.Println(err)
	// Output:
	// [kuhn short-pig]
	// {10}
	// unknown game "khun" (did you mean kuhn?); the games are kuhn, short-pig
}
