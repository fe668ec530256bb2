package standard

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/engine"
	"croupier/internal/strict"
)

// A position that is understood is written, by what its seat knows, as one that gives the same seat, legal actions and
// observation; errors name the field.
func FuzzPositions(f *testing.F) {
	var list []engine.Positioned
	for _, e := range Games.Games() {
		g, err := e.New(nil)
		require.NoError(f, err)
		if written, ok := g.(engine.Positioned); ok {
			list = append(list, written)
		}
	}
	for i, g := range list {
		f.Add(byte(i), g.ExamplePosition(), uint64(1))
		rng := engine.NewRNG(uint64(i), engine.ActionStream)
		s := g.NewState()
		for range 60 {
			switch s.Player() {
			case engine.Terminal:
				s = g.NewState()
			case engine.Chance:
				require.NoError(f, s.Apply(s.SampleChance(rng)))
			default:
				f.Add(byte(i), g.FormatPosition(s, s.Player()), uint64(2))
				f.Add(byte(i), []byte(engine.LineOf(g, s)), uint64(3))
				legal := s.LegalActions(nil)
				require.NoError(f, s.Apply(legal[rng.IntN(len(legal))]))
			}
		}
	}
	f.Fuzz(func(t *testing.T, number byte, document []byte, seed uint64) {
		g := list[int(number)%len(list)]
		s, _, err := g.ParsePosition(document, engine.NewRNG(seed, engine.ChanceStream))
		if err != nil {
			require.ErrorAs(t, err, new(*strict.Error))
			return
		}
		seat := s.Player()
		require.True(t, seat >= 0 && seat < g.Spec().Seats)
		legal := s.LegalActions(nil)
		require.NotEmpty(t, legal)
		written := g.FormatPosition(s, seat)
		again, _, err := g.ParsePosition(written, engine.NewRNG(seed+1, engine.ChanceStream))
		require.NoError(t, err, "%s", written)
		require.Equal(t, seat, again.Player())
		require.Equal(t, legal, again.LegalActions(nil))
		require.Equal(t, string(written), string(g.FormatPosition(again, seat)))
		if lined, ok := g.(engine.Lined); ok {
			line := lined.FormatLine(s, seat)
			same, notes, err := g.ParsePosition([]byte(line), engine.NewRNG(seed+2, engine.ChanceStream))
			require.NoError(t, err, "%s", line)
			require.Empty(t, notes, "%s", line)
			require.Equal(t, string(written), string(g.FormatPosition(same, seat)), "%s", line)
			require.Equal(t, line, lined.FormatLine(same, seat))
		}
		for _, action := range legal {
			require.NotEmpty(t, again.ActionName(action))
		}
		require.NoError(t, again.Apply(legal[int(seed%uint64(len(legal)))]))
	})
}

// Rules that are taken are written as rules of the same game, in which a game can be begun.
func FuzzRules(f *testing.F) {
	for i, e := range Games.Games() {
		g, err := e.New(nil)
		require.NoError(f, err)
		doc, err := yaml.Marshal(g.Rules())
		require.NoError(f, err)
		f.Add(byte(i), doc)
		if book := g.Spec().Rules; book != nil {
			for _, p := range book.Presets {
				f.Add(byte(i), []byte(p.Document))
			}
		}
	}
	f.Add(byte(0), []byte("rounds: -1"))
	f.Add(byte(6), []byte("players: 99999999999999999999"))
	f.Fuzz(func(t *testing.T, number byte, doc []byte) {
		list := Games.Games()
		e := list[int(number)%len(list)]
		g, err := e.New([]byte(doc))
		if err != nil {
			require.ErrorAs(t, err, new(*strict.Error))
			return
		}
		written, err := yaml.Marshal(g.Rules())
		require.NoError(t, err)
		again, err := e.New([]byte(written))
		require.NoError(t, err)
		require.Equal(t, engine.RulesHash(g), engine.RulesHash(again))
		require.Equal(t, g.Spec().Actions, again.Spec().Actions)
		rng := engine.NewRNG(1, engine.ChanceStream)
		s := g.NewState()
		for range 100 {
			if s.Player() == engine.Terminal {
				break
			}
			if s.Player() == engine.Chance {
				require.NoError(t, s.Apply(s.SampleChance(rng)))
				continue
			}
			legal := s.LegalActions(nil)
			require.NotEmpty(t, legal)
			require.NoError(t, s.Apply(legal[0]))
		}
	})
}
