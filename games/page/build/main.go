// Command build writes the WebAssembly of the games for a program that has it embedded, from the sources in the present
// folder; deploy/build.sh runs it.
package main

import (
	"context"
	"fmt"
	"os"

	"croupier/games/page"
)

func main() {
	module, err := page.Build(context.Background(), ".")
	if err == nil {
		err = os.WriteFile(os.Args[1], module, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}
