package cluster

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/messages"
	"croupier/nn"
	"croupier/nn/kernel"
	"croupier/settings"
)

// trainedNetworks are networks for Tysiąc: together they have each part that a description can have.
var trainedNetworks = map[string]nn.Description{
	"linear": {},
	"dense":  {Dense: []int{16, 16}, PolicyHidden: []int{8}, ValueHidden: []int{8}},
	"encoders and heads": {
		Encoders: []nn.Encoder{{Segments: []string{"hand", "known"}, Dense: []int{8}}}, Dense: []int{16},
		Heads: []nn.Head{{Groups: []string{"bid"}, Dense: []int{8}}},
	},
	"attention": {
		Attention: &nn.Attention{
			Segments: []string{"hand", "returned", "musik", "led", "played_own", "played_other", "known", "possible"},
			Tokens:   24, Size: 32, Heads: 4, Output: 8,
		},
		Dense: []int{16},
	},
	"lstm":                  {Dense: []int{16}, LSTM: []int{16}},
	"dueling action values": {Dense: []int{16}, Dueling: true},
	"action values with attention": {
		Attention: &nn.Attention{Segments: []string{"hand", "led"}, Tokens: 24, Size: 8, Heads: 2, Output: 4},
		Outputs:   nn.ActionValueOutputs,
	},
}

// TestEveryKindOfNetworkTrains: two workers play and two learn with each network of deploy/training, and with one of
// each kind; games are learnt from, none is refused, and the run ends.
func TestEveryKindOfNetworkTrains(t *testing.T) {
	var parts nn.Description
	for name, d := range trainedNetworks {
		merge(reflect.ValueOf(&parts).Elem(), reflect.ValueOf(d))
		t.Run(name, func(t *testing.T) {
			doc, err := yaml.Marshal(map[string]any{"network": d})
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "network.yaml")
			require.NoError(t, os.WriteFile(file, doc, 0o600))
			requireTrains(t, file, d.ActionValues(), "fp32")
			if kernel.HasBF16() {
				requireTrains(t, file, d.ActionValues(), "bf16")
			}
		})
	}
	for i := range reflect.TypeFor[nn.Description]().NumField() {
		require.False(t, reflect.ValueOf(parts).Field(i).IsZero(),
			"none of the networks has %s", reflect.TypeFor[nn.Description]().Field(i).Name)
	}
	files, err := filepath.Glob("../deploy/training/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { requireTrains(t, file, false, "fp32") })
	}
}

// merge sets the fields of to that are zero to those of from.
func merge(to, from reflect.Value) {
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}

// requireTrains trains with the settings in a file on some games of a single deal of Tysiąc.
func requireTrains(t *testing.T, file string, actionValues bool, precision string) {
	changes := settings.Changes{File: file, Set: []string{
		"curriculum=[]", "actor.tables=8", "learner.workers=2", "learner.precision=" + precision,
		"learner.ppo.samples=512", "learner.ppo.minibatch=256", "learner.ppo.epochs=1",
		"learner.dqn.samples=512", "learner.dqn.minibatch=256", "learner.dqn.replay_ratio=1",
	}}
	if actionValues {
		changes.Algorithm = "dqn"
	}
	plan, err := Run{Catalog: standard.Games, Dir: filepath.Join(t.TempDir(), "run"), Game: "tysiac-hand",
		Changes: changes}.Plan(t.Context())
	require.NoError(t, err)
	c, err := Open(t.Context(), plan, Options{Workers: 2, Games: 30, Unrated: true})
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.Run(t.Context()))
	games, _ := c.Trained()
	require.GreaterOrEqual(t, games, uint64(30))
	entry, err := c.bus.State().Get(t.Context(), messages.PointerKey(messages.LearningAgent))
	require.NoError(t, err)
	var pointer messages.Pointer
	require.NoError(t, messages.Decode(entry.Value, &pointer))
	require.GreaterOrEqual(t, pointer.Version, uint64(2), "the first is that of the beginning, and later ones have learnt")
	_, refusal := c.agents[0].learner.Progress()
	require.NoError(t, refusal)
}
