package settings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/games/standard"
)

// Each setting that is gone is left out where it asks for what is done anyway, however that is written, and is refused
// where it does not: in the configuration of a run of before, in a file and on the command line.
func TestSettingsThatAreGone(t *testing.T) {
	others := map[string]string{
		"learner.optimiser": "muon", "learner.muon_momentum": "0.9", "learner.adam_beta1": "0.8",
		"learner.adam_beta2": "0.99", "learner.adam_epsilon": "1e-8", "learner.checkpoints_kept": "10",
		"learner.dqn.cut_returns": "true", "learner.dqn.correction_start": "1", "learner.dqn.correction_end": "0.9",
		"learner.ppo.critic": "[64]", "learner.ppo.boundary_value": "[64]", "learner.ppo.choice_correction": "true",
		"learner.ppo.normalise_advantages": "false", "learner.ppo.value_clip": "0.2",
	}
	require.Len(t, others, len(withdrawn))
	for path, usual := range withdrawn {
		require.Contains(t, strings.Fields(released), path, "version 0.1 has it")
		doc, line := nested(path, usual)
		c, err := Load(standard.Games, []byte("game: bank\n"+doc), "theirs")
		require.NoError(t, err)
		require.Empty(t, c.Foreign(), path)
		shared, err := c.EncodeShared()
		require.NoError(t, err)
		require.NotContains(t, string(shared), path[strings.LastIndexByte(path, '.')+1:])
		_, err = applied(t, doc, path+"="+usual)
		require.NoError(t, err)

		const want = "this setting of version 0.1 is gone, and with it all that it could be but "
		doc, _ = nested(path, others[path])
		_, err = Load(standard.Games, []byte("game: bank\n"+doc), "theirs")
		require.EqualError(t, err, fmt.Sprintf("theirs:%d: %s: %s%s", line+1, path, want, usual))
		file, err := applied(t, doc)
		require.EqualError(t, err, fmt.Sprintf("%s:%d: %s: %s%s", file, line, path, want, usual))
		_, err = applied(t, "", path+"="+others[path])
		require.EqualError(t, err, fmt.Sprintf("--set %s=%s: %s: %s%s", path, others[path], path, want, usual))
	}
	_, err := Load(standard.Games, []byte("game: bank\nlearner: {adam_epsilon: 0.00001, ppo: {value_clip: 0.0}}"),
		"theirs")
	require.NoError(t, err)
}

// Settings that another version has written are kept where they are and have no effect. What people write is read
// strictly, and so is what all processes of a run have to know of the game and the network.
func TestSettingsOfAnotherVersion(t *testing.T) {
	const newer = `game: bank
learner: {luck: 3, ppo: {epochs: 2, charm: {a: [1, 2]}}}
league:
  agents:
  - {name: main, role: main}
  - {name: x, role: main_exploiter, mood: grim}
quests: {many: true}
`
	c, err := Load(standard.Games, []byte(newer), "the run's configuration")
	require.NoError(t, err)
	require.Equal(t, []string{"learner.luck", "learner.ppo.charm", "league.agents[1].mood", "quests"}, c.Foreign())
	require.Equal(t, 2, c.Learner.PPO.Epochs)
	_, err = c.Build()
	require.NoError(t, err)
	require.NoError(t, c.Set("learner.ppo.epochs=3"))
	require.ErrorContains(t, c.Set("learner.luck=4"), "--set learner.luck=4: learner.luck: unknown key")
	doc, err := c.EncodeShared()
	require.NoError(t, err)
	again, err := Load(standard.Games, doc, "again")
	require.NoError(t, err)
	require.ElementsMatch(t, c.Foreign(), again.Foreign())
	require.Equal(t, 3, again.Learner.PPO.Epochs)
	var written struct {
		Learner struct {
			Luck int
			PPO  struct{ Charm map[string][]int }
		}
		League struct{ Agents []struct{ Mood string } }
		Quests map[string]bool
	}
	require.NoError(t, yaml.Unmarshal(doc, &written))
	require.Equal(t, 3, written.Learner.Luck)
	require.Equal(t, map[string][]int{"a": {1, 2}}, written.Learner.PPO.Charm)
	require.Equal(t, "grim", written.League.Agents[1].Mood)
	require.Equal(t, map[string]bool{"many": true}, written.Quests)

	mine, err := Default(standard.Games, "bank")
	require.NoError(t, err)
	require.ErrorContains(t, mine.Merge([]byte(newer), "mine"), "mine:2: learner.luck: unknown key")
	for doc, want := range map[string]string{
		"rules: {luck: 1}":                        "theirs:2: rules.luck: unknown key",
		"network: {luck: 1}":                      "theirs:2: network.luck: unknown key",
		"curriculum: [{until: 0.5, luck: 1}]":     "theirs:2: curriculum[0].luck: unknown key",
		"learner: {luck: 1, ppo: {epochs: many}}": `theirs:2: learner.ppo.epochs: "many" is not`,
	} {
		_, err := Load(standard.Games, []byte("game: bank\n"+doc), "theirs")
		require.ErrorContains(t, err, want)
	}
}

// Readers that refuse what they do not know are not given it, as long as it is at its default.
func TestSettingsForStrictReaders(t *testing.T) {
	known := slices.DeleteFunc(strings.Fields(released), func(path string) bool {
		return path == "learner.gamma" || path == "learner.ppo.teacher" || strings.HasPrefix(path, "conduct.")
	})
	encoded := func(set ...string) *Config {
		c, err := Default(standard.Games, "leduc")
		require.NoError(t, err)
		for _, s := range set {
			require.NoError(t, c.Set(s))
		}
		_, err = c.Build()
		require.NoError(t, err)
		doc, err := c.encodeFor(known)
		require.NoError(t, err)
		read := &Config{}
		require.NoError(t, yaml.Unmarshal(doc, read))
		return read
	}
	read := encoded()
	require.Zero(t, read.Learner.Gamma)
	require.Zero(t, read.Conduct)
	require.NotZero(t, read.Learner.PPO.GAELambda)
	read = encoded("learner.gamma=0.5", "learner.ppo.teacher=tight", "conduct.offences=7")
	require.Equal(t, 0.5, read.Learner.Gamma)
	require.Equal(t, "tight", read.Learner.PPO.Teacher)
	require.Equal(t, 7, read.Conduct.Offences)
	require.Zero(t, read.Conduct.Window)
}

// What a run with the defaults of this version has is what programs of 0.1 know, and all that they write is known here.
func TestSettingsOfReleasedPrograms(t *testing.T) {
	known := strings.Fields(released)
	for i := range standard.Games.Games() {
		name := standard.Games.Games()[i].Name
		c, err := Default(standard.Games, name)
		require.NoError(t, err)
		_, err = c.Build()
		require.NoError(t, err)
		c.Run = "evening"
		doc, err := c.EncodeShared()
		require.NoError(t, err)
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal(doc, &document))
		for _, path := range leaves(document.Content[0], "", known) {
			require.Contains(t, known, path, name)
		}
	}
	for _, path := range known {
		c, err := Load(standard.Games, []byte("game: bank\n"+strings.TrimPrefix(emptied(path), "# mine\n")), path)
		require.NoError(t, err)
		require.Empty(t, c.Foreign(), path)
	}
}

// emptied is a document with nothing under a path.
func emptied(path string) string {
	if path == "game" {
		return ""
	}
	doc, _ := nested(path, "~")
	return doc
}

// leaves are the paths of the settings of a mapping: those that are known, and what is in no mapping.
func leaves(n *yaml.Node, path string, known []string) (paths []string) {
	if slices.Contains(known, path) || n.Kind != yaml.MappingNode {
		return []string{path}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		paths = append(paths, leaves(n.Content[i+1], strings.TrimPrefix(path+"."+n.Content[i].Value, "."), known)...)
	}
	return paths
}
