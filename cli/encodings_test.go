package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// Every command that reads a file of text says of a compressed one that it is compressed.
func TestCompressedTextsAreNamed(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte("target: 30\n"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	dir := t.TempDir()
	file := filepath.Join(dir, "packed")
	require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o600))
	for _, line := range slices.Concat(readers, refusers, makers) {
		if strings.HasPrefix(line, "sweep show") || strings.HasPrefix(line, "archive dataset") ||
			strings.Contains(line, "--run FILE") {
			continue // it reads a directory
		}
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			fresh := filepath.Join(dir, "new")
			args := strings.Fields(strings.NewReplacer("FILE", file, "DIR", fresh, "NEW", fresh).Replace(line))
			_, out, said := croupier("12345678\n", args...)
			require.Contains(t, said, "it is compressed with gzip: unpack it first")
			require.Contains(t, said, file)
			require.Empty(t, out)
		})
	}
}

// A text that a program of Windows has saved means what it meant before.
func TestTextsOfWindowsAreRead(t *testing.T) {
	t.Chdir(t.TempDir())
	save := func(data []byte) {
		require.NoError(t, os.WriteFile("file", data, 0o600))
	}
	position := succeed(t, "", "advise", "pig", "--example")
	games := succeed(t, "", "simulate", "pig", "--games", "2")
	tysiac := succeed(t, "", "simulate", "tysiac", "--policy", "heuristic")
	succeed(t, "", "solve", "banluck", "--out", "strategy.csv")
	strategy, err := os.ReadFile("strategy.csv")
	require.NoError(t, err)
	for line, content := range map[string]string{
		"config pig --config file": "seed: 7\n", "config pig --rules file": "target: 30\n",
		"config pig --league file":          "precision: 9\n",
		"advise pig --rules file --example": "target: 30\n", "advise pig --run none --position file": position,
		"simulate pig --rules file": "target: 30\n", "replay file": games, "solve tysiac --melds file": tysiac,
		"arena --game pig --games 2 --json --agents file":       "hold(20) # first\nhold(5)\n",
		"arena --game banluck --games 2 --json file:file basic": string(strategy),
	} {
		save([]byte(content))
		want := succeed(t, "", strings.Fields(line)...)
		save([]byte("\ufeff" + content))
		require.Equal(t, want, succeed(t, "", strings.Fields(line)...), line)
		var wide []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + content)) {
			wide = binary.LittleEndian.AppendUint16(wide, unit)
		}
		save(wide)
		require.Equal(t, want, succeed(t, "", strings.Fields(line)...), line)
	}
	require.Contains(t, succeed(t, "\ufeff"+games, "replay", "-"), "2 games")
}
