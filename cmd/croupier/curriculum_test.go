package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"croupier/actor"
	"croupier/messages"
	"croupier/messages/bus"
)

// changed returns the default configuration of a game with changes as a file has them.
func changed(t *testing.T, game, changes string) *runConfig {
	t.Helper()
	c, err := defaultConfig(game)
	require.NoError(t, err)
	require.NoError(t, c.merge([]byte(changes), "changes"))
	return c
}

// A learner and an actor on a bus in memory go through a curriculum of two stages:
// games of both are consumed, and every game is accounted for.
func TestTrainingGoesThroughTheCurriculum(t *testing.T) {
	b := bus.NewMemory(bus.Options{})
	defer b.Close()
	s := &site{bus: b, dir: t.TempDir(), registry: newRegistry(), log: slog.New(slog.DiscardHandler)}
	s.config = changed(t, "tysiac", `
run: staged
rules: {game: {max_hands: 1}}
curriculum: [{until: 0.5, game: tysiac-hand, rules: {bombing: {enabled: false}}}]
network: {encoders: [], dense: [8]}
learner: {ppo: {samples: 500, epochs: 1, minibatch: 250}}
actor: {tables: 8}`)
	var err error
	s.game, err = s.config.build()
	require.NoError(t, err)
	var half atomic.Bool
	l, err := s.newLearner(false, func() float64 {
		if half.Load() {
			return 0.5
		}
		return 0
	})
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

	// A rollout that is begun in one stage ends in the next: only what goes beyond two
	// of them is certainly of the stage.
	const rollouts = 4 * 500
	await := func(stage uint32, samples uint64) uint64 {
		t.Helper()
		pointers, err := b.State().Watch(ctx, messages.PointerKey(learningAgent))
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
		t.Fatal("the stage does not come")
		return 0
	}
	await(1, rollouts)
	half.Store(true)
	await(0, await(0, 0)+rollouts)
	stopPlaying()
	require.NoError(t, <-played)

	// The learner goes on until it has seen the closing batches.
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
		if e, err := b.State().Get(ctx, messages.LedgerKey(actor)); err == nil {
			require.NoError(t, messages.Decode(e.Value, l))
		}
		return l
	}
	for name, episodes := range produced {
		require.Eventually(t, func() bool { return ledger(name).Episodes == episodes }, 20*time.Second, 10*time.Millisecond)
		account := ledger(name)
		require.Equal(t, episodes, account.Consumed+account.Stale)
		require.Positive(t, account.Consumed)
	}
	stopLearning()
	require.NoError(t, roles.Wait())
}

func TestStageRules(t *testing.T) {
	c := changed(t, "tysiac", `
rules: {bidding: {jump_bids: false}, bombing: {bombs_per_player: 1}}
curriculum:
  - {until: 0.2, game: tysiac-hand, rules: {bombing: {enabled: false}, hand: {dealer: 1}}}
  - {until: 0.4, rules: {game: {target_score: 300}}}`)
	game, stages, err := c.games()
	require.NoError(t, err)
	require.Equal(t, "tysiac", game.Spec().Name)
	rules := func(i int) string {
		doc, err := json.Marshal(stages[i].Game.Rules())
		require.NoError(t, err)
		return stages[i].Game.Spec().Name + string(doc)
	}
	for _, want := range []string{"tysiac-hand{", `"jump_bids":false`, `"bombing":{"enabled":false,"bombs_per_player":1}`, `"dealer":1`} {
		require.Contains(t, rules(0), want)
	}
	for _, want := range []string{"tysiac{", `"target_score":300,"lock_score":800`, `"jump_bids":false`, `"bombing":{"enabled":true,"bombs_per_player":1}`} {
		require.Contains(t, rules(1), want)
	}

	// What is saved gives the same games again, and nothing else comes in.
	doc, err := c.encode()
	require.NoError(t, err)
	again, err := loadConfig(doc, "saved")
	require.NoError(t, err)
	_, saved, err := again.games()
	require.NoError(t, err)
	for i := range stages {
		require.Equal(t, stages[i].Until, saved[i].Until)
		require.Equal(t, stages[i].Game.Rules(), saved[i].Game.Rules())
	}
	none := changed(t, "tysiac", "curriculum: []")
	doc, err = none.encode()
	require.NoError(t, err)
	again, err = loadConfig(doc, "saved")
	require.NoError(t, err)
	require.Empty(t, again.Curriculum)
}

func TestCurriculumErrorsNameStageAndKey(t *testing.T) {
	for doc, want := range map[string]string{
		"curriculum:\n  - {until: 0.3, gme: x}":                                                `mine: line 2: unknown key "gme"`,
		"curriculum:\n  - {until: soon}":                                                       `mine: line 2: "soon" is not a number`,
		"curriculum: {until: 0.3}":                                                             "mine: line 1: a mapping is not a list",
		"curriculum:\n  - {until: 0.3, game: chess}":                                           `mine: curriculum: stage 1: game: unknown game "chess"`,
		"curriculum:\n  - {until: 0.3, game: kuhn}":                                            "mine: curriculum: stage 1: game: kuhn has 2 actions, tysiac 112",
		"curriculum:\n  - {until: 0.3}\n  - {until: 0.2}":                                      "mine: curriculum: stage 2: until: 0.2 is not above 0.3 and at most 1",
		"curriculum:\n  - {until: 0.3}\n  - {until: 0.4, rules: {bombing: {enable: false}}}":   `mine: curriculum: stage 2: tysiac: rules: line 3: unknown key "enable"`,
		"curriculum:\n  - {until: 0.4,\n     rules: {bombs: 1}}":                               `mine: curriculum: stage 1: tysiac: rules: line 3: unknown key "bombs"`,
		"curriculum:\n  - {until: 0.4, rules: {contract: {max: 4}}}":                           "mine: curriculum: stage 1: tysiac: rules: contract.max is 4, not in 280..400",
		"curriculum:\n  - {until: 0.4, rules: none}":                                           "mine: curriculum: stage 1: tysiac: rules: line 2: they must be a mapping",
		"curriculum:\n  - {until: 0.4, game: tysiac-hand, rules: {hand: {scores: [1, 2, 3]}}}": "mine: curriculum: stage 1: tysiac-hand: rules: line 2: 3 values where there are 2 seats",
	} {
		c, err := defaultConfig("tysiac")
		require.NoError(t, err)
		err = c.merge([]byte(doc), "mine")
		require.ErrorContains(t, err, want, doc)
	}
}

func TestConfigShowsTheCurriculum(t *testing.T) {
	status, stdout, stderr := croupier("", "config", "tysiac")
	require.Equal(t, 0, status, stderr)
	require.Contains(t, stdout, "\ncurriculum:\n  - until: ")
	require.Contains(t, stdout, "    game: tysiac-hand\n    rules: {bombing: {enabled: false}}\n")
	file := filepath.Join(t.TempDir(), "tysiac.yaml")
	require.NoError(t, os.WriteFile(file, []byte(stdout), 0o600))
	status, again, stderr := croupier("", "config", "tysiac", "--config", file)
	require.Equal(t, 0, status, stderr)
	require.Equal(t, stdout, again)
	status, none, stderr := croupier("", "config", "tysiac", "--config", file, "--set", "curriculum=[]")
	require.Equal(t, 0, status, stderr)
	require.True(t, strings.Contains(none, "\ncurriculum: []\n"), none)
}
