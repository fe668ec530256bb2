// Command train trains an agent of Nim, rates it against the game's bots and its exact answer, and shows the run on a page:
//
//	go run ./train -for 1m -listen 127.0.0.1:8080
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"croupier"
	"example.org/nim"
)

func main() {
	length := flag.Duration("for", time.Minute, "length of the training")
	dir := flag.String("run", "", "run directory; a new one below runs")
	listen := flag.String("listen", "", "address of the page, such as 127.0.0.1:8080")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := train(ctx, *length, *dir, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func train(ctx context.Context, length time.Duration, dir, listen string) error {
	app := croupier.New(nil, nim.Entry)
	run, err := app.Train(ctx, croupier.Run{
		Game: "nim", Dir: dir, For: length, Listen: listen, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	ladder, err := run.Ladder()
	if err != nil {
		return err
	}
	for _, a := range ladder.Agents {
		fmt.Printf("%-20s %6.0f (%.0f to %.0f)\n", a.Name, a.Rating, a.Low, a.High)
	}
	best, err := run.Best(ctx)
	if err != nil {
		return err
	}
	decision, err := best.Choose([]byte(`{"piles": [3, 4, 5], "seat": 0}`), 1)
	if err != nil {
		return err
	}
	fmt.Printf("%s would %s\n", best.Name(), decision.Name)
	return nil
}
