package agents

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/check"
	"croupier/internal/check/checktest"
)

// Each bit of a kept tournament counts.
func TestDamagedTournamentsAreFound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cup")
	played, a, names := cup(t, dir)
	played.Games = 4
	_, _, err := played.Play(t.Context(), a, names)
	require.NoError(t, err)
	files := checktest.Of(t, dir)
	require.Empty(t, checktest.Found(t, TournamentPart, files))
	for _, name := range []string{headFile, resultsFile} {
		for i := 0; i < len(files[name]); i += 7 {
			damaged := bytes.Clone(files[name])
			damaged[i] ^= 1 << (i % 8)
			faults := checktest.Found(t, TournamentPart, files.With(name, damaged))
			require.NotEmpty(t, faults, "%s, byte %d", name, i)
			require.Equal(t, name, faults[0].File)
		}
	}
	for of, want := range map[*checktest.Files]bool{&files: true, {"run.json": []byte("{}")}: false,
		{headFile: []byte("{")}: true} {
		c, err := check.New(*of)
		require.NoError(t, err)
		require.Equal(t, want, HoldsTournament(c))
		require.Empty(t, c.Faults, "it only looks")
	}
}

// What a comparison says of two references is said once, of both, and nothing is said under other rules.
func TestRecordedComparisonOfReferences(t *testing.T) {
	game, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	a := New(game, Sources{Catalog: standard.Games})
	recorded := a.Recorded()
	require.NotEmpty(t, recorded)
	met := map[[2]string]bool{}
	for _, r := range recorded {
		require.False(t, met[[2]string{r.B, r.A}] || met[[2]string{r.A, r.B}], "%s against %s", r.A, r.B)
		met[[2]string{r.A, r.B}] = true
		require.Contains(t, a.References(), r.A)
		require.Contains(t, a.References(), r.B)
		require.LessOrEqual(t, r.OfA.Low, r.OfA.Value)
		require.InDelta(t, 1, r.OfA.Value+r.OfB.Value, 1e-9, "a win of one is a loss of the other")
	}
	other, err := standard.Games.New("pig", []byte("target: 20"))
	require.NoError(t, err)
	require.Empty(t, New(other, Sources{Catalog: standard.Games}).Recorded())
}
