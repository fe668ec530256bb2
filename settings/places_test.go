package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"
)

// badValues has, for fields that are checked after a file was read, a value that is refused.
var badValues = `
game: pig
rules.players: 9
rules.repoll: maybe
curriculum: [{until: 2}]
network.outputs: luck
network.dueling: true
network.dense: [0]
network.lstm: [0]
network.policy_hidden: [0]
network.value_hidden: [-1]
network.encoders: [{segments: [nothing], dense: [8]}]
network.heads: [{groups: [nothing], dense: [8]}]
network.attention: {segments: [nothing], tokens: 24, size: 4, heads: 2, output: 1}
learner.algorithm: luck
learner.gamma: 0
learner.sequence_length: 0
learner.learning_rate_start: 0
learner.learning_rate_end: -1
learner.gradient_norm: 0
learner.optimiser: luck
learner.adam_beta1: 0.8
learner.adam_beta2: 0.99
learner.adam_epsilon: 1e-8
learner.average: 2
learner.precision: fp16
learner.horizon: 0
learner.checkpoint_interval: 0s
learner.checkpoints_kept: 9
learner.workers: -1
learner.group: luck
learner.group_iterations: 65
learner.shaping.luck: 1
learner.ppo.samples: 0
learner.ppo.epochs: 0
learner.ppo.minibatch: 0
learner.ppo.clip_start: 0
learner.ppo.clip_end: 0
learner.ppo.value_clip: 0.2
learner.ppo.value_coefficient: -1
learner.ppo.entropy_start: -1
learner.ppo.entropy_end: -1
learner.ppo.magnet: luck
learner.ppo.magnet_coefficient: -1
learner.ppo.magnet_rate: 2
learner.ppo.teacher: luck
learner.ppo.teacher_coefficient: -1
learner.ppo.teacher_until: 2
learner.ppo.teacher_share: 2
learner.ppo.gae_lambda: 2
learner.ppo.kl_stop: -1
learner.dqn.samples: 0
learner.dqn.replay_ratio: 0
learner.dqn.minibatch: 0
learner.dqn.replay_decisions: 0
learner.dqn.replay_megabytes: 0
learner.dqn.n_step: 0
learner.dqn.target_interval: 0
learner.dqn.priority_exponent: 2
learner.dqn.correction_start: 2
learner.dqn.correction_end: 2
learner.dqn.exploration_start: 2
learner.dqn.exploration_end: 2
learner.dqn.exploration_fraction: 0
league.agents: [{name: main, role: luck}]
league.freeze_updates: 0
league.population: 0
league.ladder_members: 0
league.keep_members: 0
league.self_play: 2
league.priority_power: -1
league.pool: 0
league.history: -1
league.opponents: [""]
league.references: [""]
league.outstanding: 0
league.match_sets: 0
league.reference_sets: 0
league.gate_sets: 0
league.gate_max_sets: 0
league.gate_gain: 0
league.gate_error: 0
league.setback_loss: -1
league.setback_error: 0
league.final_sets: 0
league.max_sets: 0
league.aim: luck
league.precision: 0
league.money_precision: 0
league.match_timeout: 0s
league.curve_nodes: 0
league.journal_bytes: 0
league.result_bytes: 0
actor.tables: 0
actor.arena_share: 0
actor.backlog: 0
archive.max_bytes: 1
archive.training_share: 2
archive.training_per_second: -1
archive.arena_per_second: -1
archive.judged_games: -1
streams.experience_bytes: 1
streams.experience_age: 0s
streams.kept_bytes: 1
streams.match_bytes: 1
streams.result_bytes: 1
streams.curve_bytes: 1
streams.object_bytes: 1
streams.state_bytes: 1
disk.min_free_bytes: -1
conduct.offences: -1
conduct.window: 0s
conduct.audit_share: 2
`

// applied builds the settings of Bank with those of a file, and then with assignments.
func applied(t *testing.T, doc string, set ...string) (path string, err error) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(path, []byte(doc), 0o644))
	c, err := Default(standard.Games, "bank")
	require.NoError(t, err)
	if err = (&Changes{File: path, Set: set}).Apply(t.Context(), c); err == nil {
		_, err = c.Build()
	}
	return path, err
}

// nested writes a value under the keys of its path, each on a line, after a first line of comment.
func nested(field, value string) (doc string, line int) {
	keys := strings.Split(field, ".")
	doc = "# mine\n"
	for i, key := range keys {
		doc += strings.Repeat("  ", i) + key + ":"
		if i+1 < len(keys) {
			doc += "\n"
		}
	}
	return doc + " " + value + "\n", len(keys) + 1
}

func TestErrorsNameFileLineAndField(t *testing.T) {
	for row := range strings.Lines(strings.TrimSpace(badValues)) {
		field, value, _ := strings.Cut(strings.TrimSpace(row), ": ")
		doc, line := nested(field, value)
		path, err := applied(t, doc)
		require.Error(t, err, row)
		require.Regexp(t, fmt.Sprintf(`^%s:%d: %s[^ ]*: `, regexp.QuoteMeta(path), line, regexp.QuoteMeta(field)),
			err.Error())

		// One assignment on the command line is no file.
		if field != "game" {
			_, err = applied(t, "", field+"="+value)
			require.Regexp(t, fmt.Sprintf(`^--set %s: %s[^ ]*: `, regexp.QuoteMeta(field+"="+value), regexp.QuoteMeta(field)),
				err.Error())
		}
	}
}

// Where two fields do not go together, the place is that of the one that was changed last.
func TestErrorsOfTwoFields(t *testing.T) {
	for _, test := range []struct {
		doc  string
		set  []string
		want string
	}{
		{"league:\n  gate_sets: 7000", nil, "FILE:2: league.gate_max_sets: 6000 is less than gate_sets, 7000"},
		{"league:\n  gate_sets: 500\n  gate_max_sets: 600", []string{"league.gate_sets=700"},
			"--set league.gate_sets=700: league.gate_max_sets: 600 is less than gate_sets, 700"},
		{"league:\n  gate_sets: 500\n  gate_max_sets: 400", []string{"league.pool=3"},
			"FILE:3: league.gate_max_sets: 400 is less than gate_sets, 500"},
		{"streams:\n  result_bytes: 300000000", nil, "FILE:2: league.result_bytes: 268435456 is more than half of"},
		{"learner:\n  gamma: 0\n  horizon: 0", nil,
			"FILE:2: learner.gamma: 0 is not above 0 and at most 1; FILE:3: learner.horizon: 0 is not a positive number"},
		{"learner:\n  ppo:\n    chance_correction: true\nnetwork: {lstm: [8]}", nil,
			"FILE:3: learner.ppo.chance_correction: "},
		{"league:\n  agents:\n  - {name: main, role: main}\n  - name: x", nil, "FILE:4: league.agents[1].role: "},
		{"network:\n  attention:\n    segments: [hand]", nil, "FILE:3: network.attention.segments[0]: bank has no segment"},
	} {
		path, err := applied(t, test.doc, test.set...)
		require.ErrorContains(t, err, strings.ReplaceAll(test.want, "FILE", path), test.doc)
	}
}
