package actor

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/games/leduc"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/roles"
)

// TestLockStep plays two versions twice: each time the same games come, and of each version just as many as the learner
// needs for an iteration, though many tables end their games in the same step.
func TestLockStep(t *testing.T) { synctest.Test(t, lockStep) }

func lockStep(t *testing.T) {
	const samples = 40
	game, err := leduc.New(nil)
	require.NoError(t, err)
	rounds := func() (histories []string) {
		b := memory.New(bus.Options{})
		defer b.Close()
		a, err := New(Options{
			Common: roles.Common{
				Bus: b, Game: game, Run: testRun, RunSeed: testSeed, Registerer: prometheus.NewRegistry(),
				Log: slog.New(slog.DiscardHandler),
			},
			Resolver: players{}, Config: DefaultConfig(), ID: "actor-t", Start: "1",
			Agents: []Agent{{"main", 1}}, Workers: 2, LockStep: &LockStep{Samples: samples, MaxLag: 16},
		})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- a.Run(ctx) }()
		c, err := b.Consume(ctx, bus.Experience, messages.LearnerOf("main"), messages.ExperienceFilter("main"))
		require.NoError(t, err)
		defer c.Close()
		v := messages.NewVerifier(game, testRun, testSeed)
		for version := uint64(1); version <= 2; version++ {
			publishWeights(t, b, game, version)
			got, last := 0, 0
			for _, x := range drain(t, c, game, func(*messages.Experience) bool { return false }) {
				for i, ep := range x.Episodes {
					require.Less(t, got, samples, "version %d: a game too many", version)
					last = got
					r := v.Episode(x, i)
					for r.Next() {
						if len(r.Legal()) > 1 && r.Agent.Learning {
							got++
						}
					}
					require.NoError(t, r.Err())
					histories = append(histories, string(ep.History))
				}
			}
			require.GreaterOrEqual(t, got, samples, "version %d: %d before the last game", version, last)
		}
		cancel()
		require.NoError(t, <-done)
		return histories
	}
	require.Equal(t, rounds(), rounds())
}
