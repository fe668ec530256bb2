package cluster

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

// playedMatch returns the result of one arena match, in bytes, played by an actor with the
// given settings, and the run's rules hash.
func playedMatch(t *testing.T, changes string) (result []byte, hash [8]byte) {
	t.Helper()
	b := memory.New(bus.Options{})
	defer b.Close()
	s := &node{bus: b, registry: newRegistry(), log: slog.New(slog.DiscardHandler),
		config: changed(t, "tysiac-hand", changes)}
	s.config.Run = "shaped"
	var err error
	s.game, err = s.config.Build()
	require.NoError(t, err)
	hash = engine.RulesHash(s.game)
	a, err := s.newActor(1)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	defer func() { cancel(); require.NoError(t, <-done) }()

	match, err := messages.Encode(&messages.Match{
		Schema: messages.SchemaVersion, Run: "shaped", Id: "m1", RulesHash: hash[:],
		A: "heuristic", B: "greedy", Sets: 20,
	})
	require.NoError(t, err)
	require.NoError(t, b.Publish(ctx, bus.Matches, "m1", match))
	results, err := b.Read(ctx, bus.Results, 1)
	require.NoError(t, err)
	for m := range results {
		if m != nil {
			return m.Data(), hash
		}
	}
	t.Fatal("no result")
	return nil, hash
}

// Shaping and curriculum concern only training: the same match has the same result.
func TestMatchesKnowNothingOfShaping(t *testing.T) {
	plain, rules := playedMatch(t, "curriculum: []")
	shaped, same := playedMatch(t, `
learner: {shaping: {valid_meld: 0.5, wasted_bomb: -0.5, precise_contract: 0.5}}
curriculum: [{until: 0.5, rules: {bombing: {enabled: false}}}]`)
	require.Equal(t, rules, same)
	require.Equal(t, plain, shaped)
}
