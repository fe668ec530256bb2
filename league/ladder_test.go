package league

import (
	"os"
	"path/filepath"
	"testing"

	"croupier/messages"

	"github.com/stretchr/testify/require"
)

func TestReadLadder(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadLadder(dir)
	require.ErrorContains(t, err, "no ladder yet")
	scale := messages.Scale{Kind: messages.EloScale, Unit: "Elo", Zero: messages.MeanZero}
	l := &messages.Ladder{Game: "test", Scale: scale, Agents: []messages.LadderAgent{{Name: "main@1"}},
		Payoff: []messages.Payoff{}}
	require.NoError(t, WriteLadder(dir, l))
	again, err := ReadLadder(dir)
	require.NoError(t, err)
	require.Equal(t, l, again)
	path := filepath.Join(dir, LadderFile)
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o644))
	_, err = ReadLadder(dir)
	require.ErrorContains(t, err, path)
}

// A ladder that could not be one is not read into memory.
func TestHugeLadderIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, LadderFile)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, maxLadder+1))
	_, err := ReadLadder(dir)
	require.ErrorContains(t, err, "are more than the limit of")
}
