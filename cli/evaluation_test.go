package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/banluck/solve/report"
	"croupier/games/standard"
	"croupier/nn"
	"croupier/settings"
	"croupier/solver"
)

// untrained returns the file of an untrained network of the description.
func untrained(t testing.TB, g engine.Game, d nn.Description) []byte {
	t.Helper()
	layout, err := nn.NewLayout(d, g.Spec())
	require.NoError(t, err)
	network, err := nn.NewNetwork(layout, layout.Init(1))
	require.NoError(t, err)
	file, err := nn.NewFile(network, g, nil)
	require.NoError(t, err)
	data, err := file.Encode()
	require.NoError(t, err)
	return data
}

// The curve of a version and croupier solve banluck --agent say the same of a network.
func TestBanluckVersionsAreMeasured(t *testing.T) {
	g, err := standard.Games.New("banluck", nil)
	require.NoError(t, err)
	dense := nn.Description{Dense: []int{16}}
	data := untrained(t, g, dense)
	evaluate, err := installed.agentsOf(g, "").Evaluation(dense, solver.MaxNodes)
	require.NoError(t, err)
	curves, err := evaluate(t.Context(), data)
	require.NoError(t, err)
	require.Len(t, curves, 3)
	require.Greater(t, curves["exploitability"], 0.01)
	require.InDelta(t, curves["exploitability"], (curves["exploitability/player"]+curves["exploitability/dealer"])/2,
		1e-12)

	path := filepath.Join(t.TempDir(), "untrained.safetensors")
	require.NoError(t, os.WriteFile(path, data, 0o644))
	var a report.Answer
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "solve", "banluck", "--json", "--agent", "file:"+path)), &a))
	require.Equal(t, "file:"+path, a.Agent.Name)
	require.InDelta(t, curves["exploitability"], a.Agent.Exploitability, 1e-12)
	require.InDelta(t, curves["exploitability/player"], a.Agent.PlayerLoss, 1e-12)
	require.InDelta(t, curves["exploitability/dealer"], a.Agent.DealerLoss, 1e-12)
	require.Contains(t, refused(t, 1, "solve", "banluck", "--set", "rules.surrender=false", "--agent", "file:"+path),
		"it is for banluck")
}

// What cannot be measured has no curve, and reports why where it is asked for.
func TestWhatIsNotMeasured(t *testing.T) {
	one, err := standard.Games.New("banluck", nil)
	require.NoError(t, err)
	two, err := standard.Games.New("banluck", []byte("players: 2"))
	require.NoError(t, err)
	recurrent := nn.Description{LSTM: []int{8}}
	_, err = installed.agentsOf(one, "").Evaluation(recurrent, solver.MaxNodes)
	require.Error(t, err)
	_, err = installed.agentsOf(two, "").Evaluation(nn.Description{Dense: []int{8}}, solver.MaxNodes)
	require.ErrorContains(t, err, "it is computed in games for two, and banluck has 3 seats")

	path := filepath.Join(t.TempDir(), "recurrent.safetensors")
	require.NoError(t, os.WriteFile(path, untrained(t, one, recurrent), 0o644))
	require.Contains(t, refused(t, 1, "solve", "banluck", "--agent", "file:"+path), "memory")
	require.Contains(t, refused(t, 2, "solve", "banluck", "--run", "runs/x"), "--agent")
	require.Contains(t, refused(t, 2, "solve", "banluck", "--agent", "main@3"), "needs --run")
}

func TestSolveBanluckMeasuresAnAgentForPeople(t *testing.T) {
	out := succeed(t, "", "solve", "banluck", "--agent", "stand(16)")
	require.Contains(t, out, "stand(16) against itself")
	require.Contains(t, out,
		"stand(16) is exploitable by 0.0527 units a hand: a best response costs it 0.0293 as the player "+
			"and 0.0761 as the dealer.")
}

// BenchmarkBanluckVersion measures a network of the default size.
func BenchmarkBanluckVersion(b *testing.B) {
	g, err := standard.Games.New("banluck", nil)
	require.NoError(b, err)
	config, err := settings.Default(standard.Games, "banluck")
	require.NoError(b, err)
	evaluate, err := installed.agentsOf(g, "").Evaluation(config.Network, config.League.CurveNodes)
	require.NoError(b, err)
	data := untrained(b, g, config.Network)
	for b.Loop() {
		_, err := evaluate(b.Context(), data)
		require.NoError(b, err)
	}
}
