package rundir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const someConfig = "seed: 1\nlearner:\n  gamma: 1\n  agents: [{name: main}, {name: x}]\n"

func TestConfigIsUsedOnlyAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, ConfigFile), filepath.Join(dir, ConfigCopy)
	require.NoError(t, WriteConfig(dir, []byte(someConfig)))
	c, err := ReadConfig(dir)
	require.NoError(t, err)
	require.Equal(t, someConfig, string(c.Text))
	require.Empty(t, c.Changed)
	written, err := os.ReadFile(path)
	require.NoError(t, err)

	for i := range written {
		damaged := append([]byte{}, written...)
		damaged[i] ^= 1 << (i % 8)
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		_, err := ReadConfig(dir)
		require.ErrorContains(t, err, path+": ", "byte %d", i)
	}

	change := func(of, into string) { // everything before the checksum, and that if of names it
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(written), of, into, 1)), 0o600))
	}
	for _, test := range []struct{ of, into, want string }{
		{"gamma: 1", "gamma: 0.5", "learner.gamma is 0.5 and was 1; copy config-copy.yaml over it"},
		{"  gamma: 1\n", "", "learner.gamma is missing and was 1; "},
		{"seed: 1\n", "seed: 1\nrun: x\n", "run is x and was missing; "},
		{"name: x", "name: y", "learner.agents[1].name is y and was x; "},
		{"seed: 1", "seed: [", "it cannot be read: "},
		{"seed: 1", "seed:  1", "no setting differs; "},
	} {
		change(test.of, test.into)
		_, err := ReadConfig(dir)
		require.ErrorContains(t, err, test.want)
		require.ErrorContains(t, err, `make "# changed by hand" its last line`)
	}

	// Half a file, which ends between two lines, is not what somebody wants.
	require.NoError(t, os.WriteFile(path, []byte("seed: 1\n"), 0o600))
	_, err = ReadConfig(dir)
	require.ErrorContains(t, err, "learner.gamma is missing and was 1")

	// Version 0.1 was at work in between, and has added settings that are gone.
	for old, changed := range map[string][]string{someConfig: nil,
		someConfig + "optimiser: adam\n": {"optimiser is adam and was missing"}} {
		require.NoError(t, os.WriteFile(path, []byte(old), 0o600))
		c, err = ReadConfig(dir)
		require.NoError(t, err)
		require.Equal(t, old, string(c.Text))
		require.Equal(t, changed, c.Changed)
	}

	// Somebody wants it so.
	mine := strings.Replace(someConfig, "gamma: 1", "gamma: 0.5", 1) + ByHand + "\n"
	require.NoError(t, os.WriteFile(path, []byte(mine), 0o600))
	c, err = ReadConfig(dir)
	require.NoError(t, err)
	require.Equal(t, mine, string(c.Text))
	require.Equal(t, []string{"learner.gamma is 0.5 and was 1"}, c.Changed)

	// Without the copy, it is not known what was changed.
	require.NoError(t, os.WriteFile(copied, []byte("{"), 0o600))
	c, err = ReadConfig(dir)
	require.NoError(t, err)
	require.Contains(t, c.Changed[0], ConfigCopy)
	change("gamma: 1", "gamma: 0.5")
	_, err = ReadConfig(dir)
	require.ErrorContains(t, err, "and so was config-copy.yaml")
	require.NoError(t, os.WriteFile(path, written, 0o600))
	_, err = ReadConfig(dir)
	require.NoError(t, err, "a damaged copy is no reason to stop")
}

// Version 0.1 wrote neither checksums nor a copy.
func TestFilesWithoutChecksumsAreRead(t *testing.T) {
	dir := t.TempDir()
	for file, text := range map[string]string{
		ConfigFile:  someConfig,
		infoFile:    "{\n  \"id\": \"evening\",\n  \"game\": \"pig\",\n  \"seed\": 5,\n  \"order\": 7,\n  \"version\": \"0.1.0\"\n}\n",
		SessionFile: `{"schema":1,"began":"2026-11-29T09:49:43.620424277Z"}` + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	c, err := ReadConfig(dir)
	require.NoError(t, err)
	require.Equal(t, someConfig, string(c.Text))
	info, err := ReadInfo(dir)
	require.NoError(t, err)
	require.Equal(t, Info{ID: "evening", Game: "pig", Seed: 5, Order: 7, Version: "0.1.0"}, info)
	s, err := ReadSession(dir)
	require.NoError(t, err)
	require.Equal(t, 2026, s.Began.Year())
}

// A bit that is flipped in what a run is, or in when it was at work, is not believed.
func TestDamagedDocumentsAreRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, create(dir, Info{ID: "evening", Game: "pig", Seed: 5, Version: "v"}))
	require.NoError(t, Begin(dir, "1h"))
	for file, read := range map[string]func() error{
		infoFile:    func() error { _, err := ReadInfo(dir); return err },
		SessionFile: func() error { _, err := ReadSession(dir); return err },
	} {
		path := filepath.Join(dir, file)
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, read())
		for i := range whole {
			damaged := append([]byte{}, whole...)
			damaged[i] ^= 1
			require.NoError(t, os.WriteFile(path, damaged, 0o600))
			require.ErrorContains(t, read(), path, "byte %d", i)
		}
		require.NoError(t, os.WriteFile(path, whole, 0o600))
	}
}
