package archive

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/check/checktest"
)

// Each bit of the games and of their reviews counts, and the fault says where it is.
func TestDamagedGamesAreFound(t *testing.T) {
	run := t.TempDir()
	w := open(t, run, 1<<30)
	fill(t, w, play(t, 6, 8), 3)
	require.NoError(t, AddReviews(run, map[ID]Review{{Arena, 1, 0}: {Judge: "first", Loss: 1}}))
	files := checktest.Of(t, run)
	found, err := Part.Of(files)
	require.NoError(t, err)
	require.Empty(t, found.Faults)
	require.EqualValues(t, 6, found.Games)
	segments := 0
	for name, data := range files {
		if !Part.Has(name) {
			continue
		}
		segments++
		for i := 0; i < len(data); i += 11 {
			damaged := bytes.Clone(data)
			damaged[i] ^= 1 << (i % 8)
			faults := checktest.Found(t, Part, files.With(name, damaged))
			require.NotEmpty(t, faults, "%s, byte %d", name, i)
			require.Equal(t, name, faults[0].File)
			require.Regexp(t, `^(byte|line) \d+$`, faults[0].Place)
		}
		faults := checktest.Found(t, Part, files.With(name, append(bytes.Clone(data), "CRP1 and half a block"...)))
		require.NotEmpty(t, faults, name)
		require.Regexp(t, `(\d+ bytes at the end are not a block of games|it is not JSON)`, faults[0].What)
		require.NotEmpty(t, checktest.Found(t, Part, files.With(name, nil)), name)
	}
	require.Greater(t, segments, 1)
	files[reviewsPath] = append(files[reviewsPath], "{}\n"...)
	faults := checktest.Found(t, Part, files)
	require.Len(t, faults, 1)
	require.Equal(t, "line 2", faults[0].Place)
	require.Equal(t, "it names no game", faults[0].What)
}
