package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
)

// Settings and assignments that are taken are written as a document that gives the same game and the same settings;
// errors say where they are wrong.
func FuzzSettings(f *testing.F) {
	examples, err := filepath.Glob("defaults/*.yaml")
	require.NoError(f, err)
	more, err := filepath.Glob("../deploy/*.yaml")
	require.NoError(f, err)
	for _, path := range append(examples, more...) {
		doc, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(byte(0), string(doc), "learner.ppo.epochs=3")
	}
	for i := range standard.Games.Games() {
		f.Add(byte(i), "game: "+standard.Games.Games()[i].Name+"\nnetwork: {dense: [8]}", "seed=18446744073709551615")
	}
	f.Add(byte(4), "curriculum: [{game: tysiac-hand, until: {share: 0.5}}]", "rules.bombing.enabled=false")
	f.Add(byte(0), "a: &a [*a]", "a.b.c.d.e=}")
	f.Add(byte(1), "rules: {target: 1e3}\nlearner: {gamma: .nan}", "=")
	f.Fuzz(func(t *testing.T, number byte, doc, assignment string) {
		name := standard.Games.Games()[int(number)%len(standard.Games.Games())].Name
		c, err := Default(standard.Games, name)
		require.NoError(t, err)
		if err := c.Merge([]byte(doc), "FILE"); err != nil {
			require.ErrorContains(t, err, "FILE")
			return
		}
		if err := c.Set(assignment); err != nil {
			require.ErrorContains(t, err, "--set")
			return
		}
		game, err := c.Build()
		if err != nil {
			return
		}
		written, err := c.Encode()
		require.NoError(t, err)
		again, err := Load(standard.Games, written, "WRITTEN")
		require.NoError(t, err)
		same, err := again.Build()
		require.NoError(t, err)
		require.Equal(t, engine.RulesHash(game), engine.RulesHash(same))
		twice, err := again.Encode()
		require.NoError(t, err)
		require.Equal(t, string(written), string(twice))
	})
}
