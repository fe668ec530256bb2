package settings

import (
	"encoding/json"
	"testing"

	"croupier/engine"
	"croupier/engine/family"
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
	_, saved, err := savedAndLoaded(t, c).Games()
	require.NoError(t, err)
	for i := range stages {
		require.Equal(t, stages[i].Until, saved[i].Until)
		require.Equal(t, stages[i].Game.Rules(), saved[i].Game.Rules())
	}
	require.Empty(t, savedAndLoaded(t, changed(t, "tysiac", "curriculum: []")).Curriculum)
}

func savedAndLoaded(t *testing.T, c *Config) *Config {
	t.Helper()
	doc, err := c.Encode()
	require.NoError(t, err)
	again, err := Load(standard.Games, doc, "saved")
	require.NoError(t, err)
	return again
}

// In a run on a family the same rules vary in a stage as in the run, but those that the stage names.
func TestStagesOfAFamily(t *testing.T) {
	c := changed(t, "tysiac", `
rules: {game: {target_score: 500},
  family: {default: 0.4, game.target_score: [300, 500], bombing.enabled: any, bidding.jump_bids: any}}
curriculum:
  - {until: 0.2, game: tysiac-hand, rules: {bombing: {enabled: false}, hand: {dealer: 1}}}
  - {until: 0.4, rules: {game: {target_score: 300}}}`)
	game, stages, err := c.Games()
	require.NoError(t, err)
	var rules []map[string]any
	for i, tables := range []int{8, 4, 4} {
		g := game.(*family.Game)
		if i > 0 {
			g = stages[i-1].Game.(*family.Game)
		}
		require.Len(t, g.Tables(), tables)
		require.Equal(t, game.Spec().Segments, g.Spec().Segments)
		for _, table := range g.Tables() {
			document, err := json.Marshal(table.Rules())
			require.NoError(t, err)
			rules = append(rules, map[string]any{})
			require.NoError(t, json.Unmarshal(document, &rules[len(rules)-1]))
		}
	}
	for _, r := range rules[8:12] {
		require.Equal(t, false, r["bombing"].(map[string]any)["enabled"])
		require.Equal(t, 1.0, r["hand"].(map[string]any)["dealer"])
	}
	for _, r := range rules[12:] {
		require.Equal(t, 300.0, r["game"].(map[string]any)["target_score"])
	}

	_, saved, err := savedAndLoaded(t, c).Games()
	require.NoError(t, err)
	for i := range stages {
		require.Equal(t, engine.RulesHash(stages[i].Game), engine.RulesHash(saved[i].Game))
	}

	for stage, want := range map[string]string{
		"{until: 0.1, rules: {family: usual}}":             "mine:2: curriculum[0].rules.family: what varies is that of the run",
		"{until: 0.1, game: bank}":                         "curriculum[0].game: bank has no rule bidding.jump_bids, which varies",
		"{until: 0.1, rules: {game: {target_score: 400}}}": "the default table is not in it",
	} {
		err := c.Merge([]byte("curriculum:\n  - "+stage), "mine")
		require.ErrorContains(t, err, want, stage)
	}
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
