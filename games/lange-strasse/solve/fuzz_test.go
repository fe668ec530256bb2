package solve

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
)

// A table file with a right checksum, whatever is in it, gives players, who decide, or is refused.
func FuzzTable(f *testing.F) {
	var turn bytes.Buffer
	require.NoError(f, WriteTurn(&turn, langestrasse.TurnOptimum()))
	cut := func(data []byte) []byte { return data[:len(data)-sha256.Size] }
	f.Add(cut(turn.Bytes()))
	f.Add(cut(turn.Bytes())[:200])
	digest := rulesDigest()
	f.Add(append([]byte(moneyLine), digest[:]...))
	f.Add([]byte(magic))
	game, err := langestrasse.New(nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		newPlayer, err := ReadPlayer(game, append(bytes.Clone(body), sum[:]...))
		if err != nil {
			return
		}
		p, s := newPlayer(), game.NewState()
		rng := engine.NewRNG(1, engine.ChanceStream)
		for range 20 {
			switch s.Player() {
			case engine.Terminal:
				return
			case engine.Chance:
				require.NoError(t, s.Apply(s.SampleChance(rng)))
			default:
				legal := s.LegalActions(nil)
				chosen := p.Choose(s, legal, rng)
				require.Contains(t, legal, chosen)
				require.NoError(t, s.Apply(chosen))
			}
		}
	})
}
