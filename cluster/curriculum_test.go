package cluster

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"croupier/actor"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/settings"
)

// changed returns the default configuration of a game with the changes of a document.
func changed(t *testing.T, game, changes string) *settings.Config {
	t.Helper()
	c, err := settings.Default(standard.Games, game)
	require.NoError(t, err)
	require.NoError(t, c.Merge([]byte(changes), "changes"))
	return c
}

// A learner and an actor on a bus in memory pass through a curriculum of two stages: games
// of both are consumed, and every game is accounted for, at one table and at those of a family.
func TestTrainingGoesThroughTheCurriculum(t *testing.T) {
	for name, rules := range map[string]string{
		"one table": "{game: {max_hands: 1}}",
		"a family":  "{game: {max_hands: 1}, family: {bombing.enabled: any, trick_rules.must_overtake: any}}",
	} {
		t.Run(name, func(t *testing.T) { trainInStages(t, rules) })
	}
}

// trainInStages trains first on single hands of Tysiąc without bombs, then under its own rules.
func trainInStages(t *testing.T, rules string) {
	b := memory.New(bus.Options{})
	defer b.Close()
	s := &node{bus: b, dir: t.TempDir(), registry: newRegistry(), log: slog.New(slog.DiscardHandler)}
	s.config = changed(t, "tysiac", `
run: staged
rules: `+rules+`
curriculum: [{until: 0.5, game: tysiac-hand, rules: {bombing: {enabled: false}}}]
network: {encoders: [], dense: [8]}
learner: {ppo: {samples: 500, epochs: 1, minibatch: 250}}
actor: {tables: 8}`)
	var err error
	s.game, err = s.config.Build()
	require.NoError(t, err)
	var half atomic.Bool
	l, err := s.newTrainee(t.Context(), s.config.League.Learning()[0], training{progress: func() float64 {
		if half.Load() {
			return 0.5
		}
		return 0
	}})
	require.NoError(t, err)
	a, err := s.newActor(2)
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	playing, stopPlaying := context.WithCancel(ctx)
	learning, stopLearning := context.WithCancel(ctx)
	var roles errgroup.Group
	roles.Go(func() error { return l.Run(learning) })
	played := make(chan error, 1)
	go func() { played <- a.Run(playing) }()

	// A rollout begun in one stage ends in the next: only what exceeds two rollouts is
	// certain to belong to the stage.
	const rollouts = 4 * 500
	await := func(stage uint32, samples uint64) uint64 {
		t.Helper()
		pointers, err := b.State().Watch(ctx, messages.PointerKey(messages.LearningAgent))
		require.NoError(t, err)
		for e := range pointers {
			p := &messages.Pointer{}
			if e.Value == nil {
				continue
			}
			require.NoError(t, messages.Decode(e.Value, p))
			if p.Stage == stage && p.Samples >= samples {
				return p.Samples
			}
		}
		t.Fatal("the stage never comes")
		return 0
	}
	await(1, rollouts)
	half.Store(true)
	await(0, await(0, 0)+rollouts)
	stopPlaying()
	require.NoError(t, <-played)

	// The learner runs until it has seen the closing batches.
	produced := map[string]uint64{}
	files, err := filepath.Glob(filepath.Join(s.dir, "actors", "*.json"))
	require.NoError(t, err)
	for _, file := range files {
		doc, err := os.ReadFile(file)
		require.NoError(t, err)
		var p actor.Produced
		require.NoError(t, json.Unmarshal(doc, &p))
		require.True(t, p.Closed)
		produced[p.Actor] = p.Episodes
	}
	require.Len(t, produced, 2)
	ledger := func(actor string) *messages.Ledger {
		l := &messages.Ledger{}
		if e, err := b.State().Get(ctx, messages.LedgerKey(actor, messages.LearningAgent)); err == nil {
			require.NoError(t, messages.Decode(e.Value, l))
		}
		return l
	}
	for name, episodes := range produced {
		require.Eventually(t, func() bool { return ledger(name).Episodes == episodes }, time.Minute, 10*time.Millisecond)
		account := ledger(name)
		require.Equal(t, episodes, account.Consumed+account.Stale)
		require.Positive(t, account.Consumed)
	}
	stopLearning()
	require.NoError(t, roles.Wait())
}
