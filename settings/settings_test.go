package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/family"
	"croupier/games/pig"
	"croupier/internal/rundir"
	"croupier/nn"
)

// A saved configuration is complete: what it leaves empty does not come back from the
// defaults when it is read again.
func TestSavedConfigurationOfTheLargeTysiacNetwork(t *testing.T) {
	for _, game := range []string{"tysiac", "tysiac-hand"} {
		c, err := Default(standard.Games, game)
		require.NoError(t, err)
		require.NotEmpty(t, c.Network.Dense, "the changes must have something to remove")
		changes := Changes{File: filepath.Join("..", "deploy", "training", "tysiac-attention.yaml")}
		require.NoError(t, changes.Apply(t.Context(), c))
		g, err := c.Build()
		require.NoError(t, err)
		doc, err := c.Encode()
		require.NoError(t, err)
		read, err := Load(standard.Games, doc, "saved")
		require.NoError(t, err)
		_, err = read.Build()
		require.NoError(t, err)

		want, err := nn.NewLayout(c.Network, g.Spec())
		require.NoError(t, err)
		got, err := nn.NewLayout(read.Network, g.Spec())
		require.NoError(t, err)
		require.True(t, want.Same(got))
		require.Len(t, want.Layers.Trunk, 2, "the LSTM layers, without dense ones")
		require.Equal(t, 8, want.Layers.Branches[3].Layers[0].(*nn.AttentionLayer).Features)
		require.Equal(t, 2*(256+256), want.StateSize)
		require.Len(t, want.Layers.Heads, 2, "the bids, and everything else as one layer")
		require.Equal(t, 128, want.Layers.Heads[0].Layers[0].Dimensions().Out)
		require.Len(t, want.Layers.Heads[1].Layers, 1)
	}

	c, err := Default(standard.Games, "tysiac")
	require.NoError(t, err)
	require.NoError(t, c.Set("network.attention={segments: [hand], tokens: 24, size: 4, heads: 2, output: 1}"))
	require.NoError(t, c.Set("network.attention.size=6"))
	require.Equal(t, &nn.Attention{Segments: []string{"hand"}, Tokens: 24, Size: 6, Heads: 2, Output: 1},
		c.Network.Attention)
	require.NoError(t, c.Set("network.attention=null"))
	require.Nil(t, c.Network.Attention)
}

// A game that brings no settings gets those for what it declares: where it is a game of bluff, past versions and little
// entropy would lead away from the equilibrium.
func TestGeneralDefaultsFollowFromTheGame(t *testing.T) {
	for file, specs := range map[string][]engine.Spec{
		"defaults/hidden.yaml":  {{}, {Covert: true, Temperature: 1}},
		"defaults/default.yaml": {{PerfectInformation: true}, {Determinisable: true}},
	} {
		for _, spec := range specs {
			require.Equal(t, file, generalDefaults(&spec))
		}
	}
	for _, game := range []string{"kuhn", "leduc", "banluck"} {
		c, err := Default(standard.Games, game)
		require.NoError(t, err)
		doc, err := defaults.ReadFile("defaults/hidden.yaml")
		require.NoError(t, err)
		require.NoError(t, c.Merge(doc, "hidden.yaml"))
		g, err := c.Build()
		require.NoError(t, err)
		require.True(t, g.Spec().Bluffs())
		require.Equal(t, 1.0, g.Spec().Temperature)
		require.Equal(t, 1.0, c.League.SelfPlay)
		require.Equal(t, "average", c.Learner.PPO.Magnet)
	}
}

func TestSingleRulesAddUp(t *testing.T) {
	c, err := Default(standard.Games, "bank")
	require.NoError(t, err)
	doc := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(doc, []byte("rules: {players: 5, rounds: 4}\n"), 0o600))
	changes := Changes{File: doc, Set: []string{"rules.rounds=2", "rules.repoll=false"}}
	require.NoError(t, changes.Apply(t.Context(), c))
	g, err := c.Build()
	require.NoError(t, err)
	rules, err := json.Marshal(g.Rules())
	require.NoError(t, err)
	require.JSONEq(t, `{"players": 5, "rounds": 2, "roller": "round_robin", "repoll": false}`, string(rules))
}

func TestGameUnderSaysWhichFileIsWrong(t *testing.T) {
	game, err := GameUnder(t.Context(), standard.Games, "pig", "")
	require.NoError(t, err)
	require.Equal(t, "pig", game.Spec().Name)
	path := filepath.Join(t.TempDir(), "rules.yaml")
	_, err = GameUnder(t.Context(), standard.Games, "pig", path)
	require.ErrorContains(t, err, "--rules: open "+path)
	require.NoError(t, os.WriteFile(path, []byte("\ntarget: 0"), 0o644))
	_, err = GameUnder(t.Context(), standard.Games, "pig", path)
	require.ErrorContains(t, err, "--rules "+path+": pig: rules: line 2: target: 0 is not in 1..10000")
	require.NoError(t, os.WriteFile(path, []byte("target: 30"), 0o644))
	game, err = GameUnder(t.Context(), standard.Games, "pig", path)
	require.NoError(t, err)
	require.Equal(t, pig.Rules{Target: 30}, game.Rules())
}

// A document without an end is refused for its length.
func TestEndlessDocuments(t *testing.T) {
	_, err := GameUnder(t.Context(), standard.Games, "pig", "/dev/zero")
	require.ErrorContains(t, err, "--rules /dev/zero: pig: rules: 65537 bytes is more than the limit of 65536")
	c, err := Default(standard.Games, "pig")
	require.NoError(t, err)
	require.ErrorContains(t, (&Changes{File: "/dev/zero"}).Apply(t.Context(), c),
		"65537 bytes is more than the limit of 65536")
}

func TestSizesOfStreamsAreSettings(t *testing.T) {
	c, err := Default(standard.Games, "kuhn")
	require.NoError(t, err)
	require.NoError(t, c.Set("streams.object_bytes=1073741824"))
	require.NoError(t, c.Set("streams.experience_age=5s"))
	_, err = c.Build()
	require.NoError(t, err)
	document, err := c.Encode()
	require.NoError(t, err)
	saved, err := Load(standard.Games, document, "saved")
	require.NoError(t, err)
	require.EqualValues(t, 1<<30, saved.Streams.ObjectBytes)
	require.Equal(t, 5*time.Second, saved.Streams.ExperienceAge)
	for assignment, says := range map[string]string{
		"streams.state_bytes=5":            "streams.state_bytes: 5 is not in 1048576..",
		"streams.experience_age=0s":        "streams.experience_age: 0s is not in 1s..1h",
		"streams.result_bytes=300000000":   "league.result_bytes: 268435456 is more than half of streams.result_bytes, 150000000",
		"league.result_bytes=900000000000": "is more than half of streams.result_bytes",
	} {
		c, err := Default(standard.Games, "kuhn")
		require.NoError(t, err)
		require.NoError(t, c.Set(assignment))
		_, err = c.Build()
		require.ErrorContains(t, err, says)
	}
}

// A value is a document of its own: what follows a comma is part of it, and no key.
func TestSetTakesTheWholeValue(t *testing.T) {
	c, err := Default(standard.Games, "kuhn")
	require.NoError(t, err)
	require.EqualError(t, c.Set("learner.learning_rate_start=0,002"),
		"--set learner.learning_rate_start=0,002: 0,002 is not a number; a decimal point is a point, as in 0.002")
	require.ErrorContains(t, c.Set("learner.ppo.epochs=3, gamma: 1"), "learner.ppo.epochs")
	require.ErrorContains(t, c.Set("learner.ppo.epochs=3}, gamma: {1"), "--set learner.ppo.epochs=3}, gamma: {1: ")
	require.NoError(t, c.Set("learner.ppo.epochs=7"))
	require.Equal(t, 7, c.Learner.PPO.Epochs)
	require.NoError(t, c.Set("league.references=[random(1,2), b]"))
}

// A run whose two files contradict each other is refused; what is left out in one of them contradicts nothing.
func TestRunFilesMustAgree(t *testing.T) {
	c, err := Default(standard.Games, "pig")
	require.NoError(t, err)
	c.Seed = 7
	info := rundir.Info{ID: "evening", Game: "pig", Seed: 7}
	require.NoError(t, c.CheckRun(info))
	c.Run = "morning"
	require.ErrorContains(t, c.CheckRun(info), "its run is evening, by config.yaml morning")
	c.Run, info.Game = "evening", "kuhn"
	require.ErrorContains(t, c.CheckRun(info), "its game is kuhn, by config.yaml pig")
	info.Game, info.Seed = "pig", 8
	require.ErrorContains(t, c.CheckRun(info), "its seed is 8, by config.yaml 7")
}

// Rules of a file are those of the training, whether of one table or of a family; --family asks for the usual one once.
func TestRulesAndFamiliesAsChanges(t *testing.T) {
	file := func(rules string) string {
		path := filepath.Join(t.TempDir(), "rules.yaml")
		require.NoError(t, os.WriteFile(path, []byte(rules), 0o600))
		return path
	}
	change := func(changes Changes) (*Config, error) {
		c, err := Default(standard.Games, "bank")
		require.NoError(t, err)
		return c, changes.Apply(t.Context(), c)
	}
	c, err := change(Changes{Rules: file("players: 5\n")})
	require.NoError(t, err)
	g, err := c.Build()
	require.NoError(t, err)
	require.Equal(t, 5, g.Spec().Seats)
	for _, changes := range []Changes{{Family: true}, {Rules: file("players: 4\nfamily:\n  players: 2..4\n")}} {
		c, err = change(changes)
		require.NoError(t, err)
		game, err := c.trainingGame()
		require.NoError(t, err)
		require.IsType(t, &family.Game{}, game)
	}
	_, err = change(Changes{Family: true, Rules: file("family:\n  players: 2..4\n")})
	require.ErrorContains(t, err, "the rules describe a family already")
	_, err = change(Changes{Rules: file("players: 99\n")})
	require.ErrorContains(t, err, "players")
	_, err = change(Changes{Rules: filepath.Join(t.TempDir(), "none.yaml")})
	require.ErrorContains(t, err, "--rules")
}
