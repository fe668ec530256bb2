package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/bank"
	"croupier/games/kuhn"
	"croupier/games/standard"
	"croupier/nn"
)

// A run that begins with a network's weights has them as its first version, and on a family it plays by them at the
// network's own table as the network does.
func TestTrainFromANetwork(t *testing.T) {
	t.Parallel()
	file := func(name string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	own := file("kuhn.safetensors", kuhn.Entry.Network)
	begun := func(args ...string) (dir string, first *nn.Network) {
		dir = filepath.Join(t.TempDir(), "run")
		train := []string{"train", "--run", dir, "--games", "1", "--listen", "off", "-q", "--rate", "1s"}
		status, _, stderr := croupier("", append(train, args...)...)
		require.Zero(t, status, stderr)
		decoded, _, err := nn.Decode(readFile(t, filepath.Join(dir, "population", "main@1.safetensors")), standard.Games.New)
		require.NoError(t, err)
		return dir, decoded.Network
	}
	shipped, _, err := nn.Decode(kuhn.Entry.Network, standard.Games.New)
	require.NoError(t, err)
	dir, first := begun("kuhn", "--from", own)
	require.Equal(t, shipped.Network.Weights, first.Weights)
	_, first = begun("kuhn", "--from", "trained")
	require.Equal(t, shipped.Network.Weights, first.Weights)
	_, random := begun("kuhn")
	require.NotEqual(t, random.Weights, first.Weights)

	_, first = begun("bank", "--family", "--from", file("bank.safetensors", bank.Entry.Network))
	plain, game, err := nn.Decode(bank.Entry.Network, standard.Games.New)
	require.NoError(t, err)
	require.Greater(t, first.Layout.Size, plain.Network.Layout.Size)
	carried, err := first.Layout.Carry(plain.Network)
	require.NoError(t, err)
	require.Equal(t, carried, first.Weights)
	require.Equal(t, 3, game.Spec().Seats)

	text := file("text", []byte("hello"))
	for want, args := range map[string][]string{
		"--from: a run that is resumed continues with its own weights": {"train", "--resume", "--run", dir, "--from", own},
		"it is for kuhn, and the run is of bank":                       {"train", "bank", "--from", own},
		"the network of the run is another one: it has other layers": {"train", "kuhn", "--from", own, "--set",
			"network.dense=[7]"},
		"the network of the run is another one: one has action values": {"train", "kuhn", "--from", own, "--algo", "dqn"},
		"too short for a safetensors file":                             {"train", "kuhn", "--from", text},
	} {
		require.Contains(t, refused(t, 2, args...), want)
	}
	said := refused(t, 1, "train", "kuhn", "--from", "nowhere.safetensors")
	require.Contains(t, said, "--from: open nowhere.safetensors: no such file")
}
