package history

import (
	"context"
	"fmt"
	"io"

	"croupier/engine"
)

// Player chooses for one seat. Reset is called when a new game begins. Every policy.Policy
// is a Player.
type Player interface {
	engine.Bot
	Reset()
}

// Write plays games 0 to n-1 of a seed, with players[i] in seat i, and writes their histories.
// The same arguments give the same bytes, provided that the players' choices depend only on the
// game and its random numbers.
func Write(ctx context.Context, w io.Writer, g engine.Game, players []Player, n, seed uint64) error {
	simulator, err := NewSimulator(g)
	if err != nil {
		return err
	}
	bots := make([]engine.Bot, len(players))
	for i, p := range players {
		bots[i] = p
	}
	var (
		rec  Record
		line []byte
	)
	for i := range n {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped after %d of %d games", i, n)
		}
		for _, p := range players {
			p.Reset()
		}
		if err := simulator.Play(SeedOf(seed, i), bots, &rec); err != nil {
			return err
		}
		line = Append(line[:0], &rec)
		if _, err := w.Write(line); err != nil {
			return fmt.Errorf("writing game %d: %w", i, err)
		}
	}
	return nil
}

// SeedOf returns the seed of game i that [Write] plays: 53 bits, which are exact even for
// readers that keep JSON numbers as doubles.
func SeedOf(seed, i uint64) uint64 {
	return engine.GameSeed(seed, "simulate", i) >> 11
}
