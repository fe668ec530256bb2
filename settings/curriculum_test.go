package settings

import (
	"encoding/json"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"
)

// changed returns the default configuration of a game with the changes of a document.
func changed(t *testing.T, game, changes string) *Config {
	t.Helper()
	c, err := Default(standard.Games, game)
	require.NoError(t, err)
	require.NoError(t, c.Merge([]byte(changes), "changes"))
	return c
}

func TestStageRules(t *testing.T) {
	c := changed(t, "tysiac", `
rules: {bidding: {jump_bids: false}, bombing: {bombs_per_player: 1}}
curriculum:
  - {until: 0.2, game: tysiac-hand, rules: {bombing: {enabled: false}, hand: {dealer: 1}}}
  - {until: 0.4, rules: {game: {target_score: 300}}}`)
	game, stages, err := c.Games()
	require.NoError(t, err)
	require.Equal(t, "tysiac", game.Spec().Name)
	rules := func(i int) string {
		doc, err := json.Marshal(stages[i].Game.Rules())
		require.NoError(t, err)
		return stages[i].Game.Spec().Name + string(doc)
	}
	for _, want := range []string{
		"tysiac-hand{", `"jump_bids":false`, `"bombing":{"enabled":false,"bombs_per_player":1}`, `"dealer":1`,
	} {
		require.Contains(t, rules(0), want)
	}
	for _, want := range []string{
		"tysiac{", `"target_score":300,"lock_score":800`, `"jump_bids":false`,
		`"bombing":{"enabled":true,"bombs_per_player":1}`,
	} {
		require.Contains(t, rules(1), want)
	}

	// A saved configuration gives the same games again, and nothing else is added.
	doc, err := c.Encode()
	require.NoError(t, err)
	again, err := Load(standard.Games, doc, "saved")
	require.NoError(t, err)
	_, saved, err := again.Games()
	require.NoError(t, err)
	for i := range stages {
		require.Equal(t, stages[i].Until, saved[i].Until)
		require.Equal(t, stages[i].Game.Rules(), saved[i].Game.Rules())
	}
	none := changed(t, "tysiac", "curriculum: []")
	doc, err = none.Encode()
	require.NoError(t, err)
	again, err = Load(standard.Games, doc, "saved")
	require.NoError(t, err)
	require.Empty(t, again.Curriculum)
}

func TestCurriculumErrorsNameLineAndField(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{"curriculum:\n  - {until: 0.3, gme: x}",
			`mine:2: curriculum[0].gme: unknown key (did you mean game?); the keys are until, game, rules`},
		{"curriculum:\n  - {until: soon}", `mine:2: curriculum[0].until: "soon" is not a number`},
		{"curriculum: {until: 0.3}", "mine:1: curriculum: a mapping is not a list"},
		{"curriculum:\n  - {until: 0.3, game: chess}", `mine:2: curriculum[0].game: unknown game "chess"`},
		{"curriculum:\n  - {until: 0.3, game: kuhn}", "mine:2: curriculum[0].game: kuhn has 2 actions, tysiac 112"},
		{"curriculum:\n  - {until: 0.3}\n  - {until: 0.2}",
			"mine:3: curriculum[1].until: 0.2 is not above 0.3 and at most 1"},
		{"curriculum:\n  - {until: 0.3}\n  - {until: 0.4, rules: {bombing: {enable: false}}}",
			`mine:3: curriculum[1].rules.bombing.enable: unknown key (did you mean enabled?); ` +
				`the keys are enabled, bombs_per_player`},
		{"curriculum:\n  - {until: 0.4,\n     rules: {bombs: 1}}",
			`mine:3: curriculum[0].rules.bombs: unknown key; the keys are game, bidding`},
		{"curriculum:\n  - {until: 0.4, rules: {contract: {max: 4}}}",
			"mine:2: curriculum[0].rules.contract.max: 4 is not in 100..400"},
		{"curriculum:\n  - {until: 0.4, rules: none}",
			"mine:2: curriculum[0].rules: \"none\" is not a mapping"},
		{"curriculum:\n  - {until: 0.4, game: tysiac-hand, rules: {hand: {scores: [1, 2, 3]}}}",
			"mine:2: curriculum[0].rules.hand.scores: 3 values, there must be 2"},
	} {
		c, err := Default(standard.Games, "tysiac")
		require.NoError(t, err)
		err = c.Merge([]byte(test.doc), "mine")
		require.ErrorContains(t, err, test.want, test.doc)
	}
}
