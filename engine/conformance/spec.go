package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"croupier/engine"
)

// checkSpec: numbers are in range, and segments and action groups cover everything, in order.
func (c *suite) checkSpec(t *trial) {
	s := c.spec
	require.Regexp(t, `^[a-z][a-z0-9-]*$`, s.Name)
	require.Equal(t, s.Name, c.game.Bots().Game, "errors about bots name the game")
	require.NotEmpty(t, s.Title)
	require.NotEmpty(t, s.Summary)
	require.Contains(t, []int{0, s.Seats}, len(s.Roles))
	require.NotContains(t, s.Summary, "\n")
	require.GreaterOrEqual(t, s.Seats, 1)
	require.LessOrEqual(t, s.Seats, 8)
	require.Positive(t, s.Actions)
	require.GreaterOrEqual(t, s.Outcomes, 0)
	require.Positive(t, s.MaxHistory)
	require.Positive(t, s.MaxReturn)
	require.NotEmpty(t, s.Unit)
	require.GreaterOrEqual(t, s.Temperature, 0.0)
	if s.Bluffs() {
		require.Positive(t, s.Temperature, "a greedy player of a game of bluff is exploited")
	}
	require.Equal(t, *s, *c.game.Spec(), "Spec changes between two calls")

	offset, names := 0, map[string]bool{}
	for _, segment := range s.Segments {
		require.False(t, names[segment.Name], "two segments named %q", segment.Name)
		require.Equal(t, offset, segment.Offset, "offset of segment %q", segment.Name)
		require.Positive(t, segment.Size, "size of segment %q", segment.Name)
		names[segment.Name] = true
		offset += segment.Size
	}
	require.Equal(t, s.ObservationSize, offset, "sum of the segments")

	first, names := 0, map[string]bool{}
	for _, group := range s.ActionGroups {
		require.False(t, names[group.Name], "two action groups named %q", group.Name)
		require.Equal(t, first, group.First, "first action of group %q", group.Name)
		require.Positive(t, group.Count, "count of group %q", group.Name)
		names[group.Name] = true
		first += group.Count
	}
	require.Equal(t, s.Actions, first, "sum of the action groups")
}

// checkRules: the rules survive JSON and YAML, and an unknown key is refused.
func (c *suite) checkRules(t *trial, newGame New) {
	rules := c.game.Rules()
	for _, format := range []struct {
		name    string
		marshal func(any) ([]byte, error)
	}{{"JSON", json.Marshal}, {"YAML", yaml.Marshal}} {
		document, err := format.marshal(rules)
		require.NoError(t, err, format.name)
		again, err := newGame(document)
		require.NoError(t, err, "%s rules: %s", format.name, document)
		require.Equal(t, rules, again.Rules(), format.name)
		require.Equal(t, *c.spec, *again.Spec(), format.name)
		require.Equal(t, engine.RulesHash(c.game), engine.RulesHash(again), format.name)
	}
	_, err := newGame([]byte(`{"no_such_key": 1}`))
	require.ErrorContains(t, err, "no_such_key")
	c.checkRuleBook(t, newGame)
}

// checkRuleBook: the book explains exactly the rules that there are, a number or text outside what
// it says is refused, and its presets are possible.
func (c *suite) checkRuleBook(t *trial, newGame New) {
	document, err := yaml.Marshal(c.game.Rules())
	require.NoError(t, err)
	var root yaml.Node
	require.NoError(t, yaml.Unmarshal(document, &root))
	kinds := map[string]yaml.Node{}
	ruleKinds(root.Content[0], "", kinds)
	if c.spec.Rules == nil {
		require.Empty(t, kinds, "rules without a RuleBook")
		return
	}
	for _, rule := range c.spec.Rules.Rules {
		kind, found := kinds[rule.Key]
		require.True(t, found, "there is no rule %s, or it is explained twice", rule.Key)
		delete(kinds, rule.Key)
		require.Regexp(t, `^[A-Z].*[^.]$`, rule.Help, rule.Key)
		wrong := "absurd"
		switch {
		case kind.ShortTag() == "!!bool":
			continue
		case kind.Kind == yaml.SequenceNode:
			wrong = fmt.Sprintf("[%d, %d]", rule.Low, rule.High+1)
		case kind.ShortTag() == "!!int":
			wrong = strconv.Itoa(rule.High + 1)
		}
		_, err := newGame([]byte(nested(rule.Key, wrong)))
		require.ErrorContains(t, err, rule.Key)
	}
	require.Empty(t, kinds, "rules that are not explained")
	for _, preset := range c.spec.Rules.Presets {
		g, err := newGame([]byte(preset.Document))
		require.NoError(t, err, preset.Name)
		require.NotEmpty(t, preset.Name)
		require.Regexp(t, `^[A-Z].*[^.]$`, preset.Help, preset.Name)
		require.Equal(t, c.spec.Name, g.Spec().Name)
	}
}

// ruleKinds collects the values of a rules document by key.
func ruleKinds(n *yaml.Node, path string, kinds map[string]yaml.Node) {
	if n.Kind != yaml.MappingNode {
		kinds[strings.TrimPrefix(path, ".")] = *n
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		ruleKinds(n.Content[i+1], path+"."+n.Content[i].Value, kinds)
	}
}

// nested returns a document that gives one key a value.
func nested(key, value string) string {
	for _, name := range slices.Backward(strings.Split(key, ".")) {
		value = "{" + strconv.Quote(name) + ": " + value + "}"
	}
	return value
}

// checkBotTable: the bots belong to this game, and each has a help text and is listed in the error
// for an unknown one.
func (c *suite) checkBotTable(t *trial) {
	bots := c.game.Bots()
	require.Equal(t, c.spec.Name, bots.Game)
	_, unknown := bots.New("no-such-bot")
	require.Error(t, unknown)
	for _, bot := range bots.Table {
		require.Regexp(t, `^[a-z][a-z0-9-]*(\([A-Z]+(,[A-Z]+)*\))?$`, bot.Call)
		require.NotRegexp(t, `^random\b`, bot.Call, "random is not a game's bot, see package policy")
		require.Regexp(t, `^[a-z].*[^.]$`, bot.Help, "help of %s", bot.Call)
		require.ErrorContains(t, unknown, bot.Call, "the error for an unknown bot does not list this one")
	}
}

// checkBots: every reference bot exists, plays legally to the end, repeats itself given the
// same random bits, and changes nothing.
func (c *suite) checkBots(t *trial) {
	c.checkBotTable(t)
	for _, name := range c.game.Bots().References {
		bot, err := c.game.Bots().New(name)
		require.NoError(t, err)
		s := c.game.NewState()
		for seed := range uint64(5) {
			rng := engine.NewRNG(seed, 0)
			s.Reset()
			steps := 0
			for ; s.Player() != engine.Terminal; steps++ {
				require.Less(t, steps, c.spec.MaxHistory, "the game of %s does not end", name)
				step := NextStep(s, rng)
				if s.Player() >= 0 {
					step = c.chooseTwice(t, name, bot, s, uint64(steps))
				}
				require.NoError(t, s.Apply(step))
			}
		}
	}
}

func (c *suite) chooseTwice(t *trial, name string, bot engine.Bot, s engine.State, seed uint64) int {
	before, legal := c.position(s), s.LegalActions(nil)
	action := bot.Choose(s, legal, engine.NewRNG(seed, 0))
	require.Contains(t, before.Legal, action, "%s chose an illegal action", name)
	require.Equal(t, before.Legal, legal, "%s changed the list of legal actions", name)
	require.Equal(t, before, c.position(s), "%s changed the state", name)
	require.Equal(t, action, bot.Choose(s, legal, engine.NewRNG(seed, 0)),
		"%s chose another action with the same random bits", name)
	return action
}

// checkNodes: at every node the moves meet the contract.
func (c *suite) checkNodes(t *trial) {
	c.visit(t, 3000, func(s engine.State, past []int) {
		where := after(past)
		player := s.Player()
		require.True(t, player >= engine.Terminal && player < c.spec.Seats, "%s: player %d", where, player)
		legal := s.LegalActions([]int{-7})
		require.Equal(t, -7, legal[0], "%s: LegalActions must append", where)
		outcomes := s.Outcomes([]engine.Outcome{{Index: -7}})
		require.Equal(t, -7, outcomes[0].Index, "%s: Outcomes must append", where)
		require.Equal(t, player >= 0, len(legal) > 1, "%s: legal actions %v of player %d", where, legal[1:], player)
		require.Equal(t, player == engine.Chance, len(outcomes) > 1,
			"%s: outcomes %v of player %d", where, outcomes[1:], player)
		requireAscending(t, legal[1:], c.spec.Actions, where)
		requireNames(t, legal[1:], s.ActionName, where)
		c.requireDistribution(t, s, outcomes[1:], where)
		require.NotEmpty(t, s.String(), where)
	})
}

func requireAscending(t *trial, steps []int, limit int, where fmt.Stringer) {
	before := -1
	for _, step := range steps {
		require.True(t, before < step && step < limit, "%s: %v do not ascend within 0..%d", where, steps, limit-1)
		before = step
	}
}

func requireNames(t *trial, steps []int, name func(int) string, where fmt.Stringer) {
	names := map[string]bool{}
	for _, step := range steps {
		n := name(step)
		require.NotEmpty(t, strings.TrimSpace(n), "%s: name of %d", where, step)
		require.False(t, names[n], "%s: two steps are named %q", where, n)
		names[n] = true
	}
}

// requireResults checks the returns and scores of a state.
func (c *suite) requireResults(t *trial, s engine.State, where fmt.Stringer) {
	p := c.position(s)
	require.Equal(t, append([]int64{-7}, p.Scores...), s.Scores([]int64{-7}), "%s: Scores must append", where)
	require.Contains(t, []int{0, c.spec.Seats}, len(p.Scores), "%s: number of scores", where)
	sum := 0.0
	for seat, r := range p.Returns {
		sum += r
		require.LessOrEqual(t, max(r, -r), c.spec.MaxReturn, "%s: return of seat %d", where, seat)
		if s.Player() != engine.Terminal {
			require.Zero(t, r, "%s: return of seat %d before the end", where, seat)
		}
	}
	require.InDelta(t, 0, sum, 1e-9, "%s: returns %v of a zero-sum game", where, p.Returns)
	if s.Player() == engine.Terminal {
		c.requireShares(t, p.Returns, where)
	}
}

func (c *suite) requireShares(t *trial, returns []float64, where fmt.Stringer) {
	shares := make([]float64, c.spec.Seats)
	c.spec.Shares(returns, shares)
	sum := 0.0
	for _, share := range shares {
		require.True(t, share >= 0 && share <= 1, "%s: shares %v", where, shares)
		sum += share
	}
	require.InDelta(t, 1, sum, 1e-9, "%s: shares %v", where, shares)
}
