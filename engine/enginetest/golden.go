package enginetest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/conformance"
	"croupier/engine/history"
)

// The golden files of a game, relative to its folder.
const (
	// GoldenHistories holds games played from fixed seeds under each of the rules, so
	// that no change of the rules, of the sampling of chance or of a bot passes unseen.
	GoldenHistories = "testdata/golden.jsonl"
	// GoldenPlaythrough shows everything that a state reports in the course of one game.
	GoldenPlaythrough = "testdata/playthrough.txt"
)

// playthroughSteps is the length of the golden playthrough.
const playthroughSteps = 40

var update = flag.Bool("update", false, "write the golden files of games instead of comparing them")

// checkGolden compares the golden files with what the games do now.
func checkGolden(t *testing.T, games []engine.Game) {
	var lines []byte
	for _, g := range games {
		lines = append(lines, goldenGames(t, g)...)
	}
	compareGolden(t, GoldenHistories, lines)
	compareGolden(t, GoldenPlaythrough, playthrough(t, games[0]))
}

func compareGolden(t *testing.T, name string, now []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, now, 0o644))
	}
	golden, err := os.ReadFile(name)
	require.NoError(t, err, "a new game writes its golden files with go test -update")
	require.Equal(t, string(golden), string(now), "%s; if the change is intended, go test -update rewrites it", name)
}

// goldenGames returns two random games and one in which the reference bots take turns at the
// seats.
func goldenGames(t *testing.T, g engine.Game) (lines []byte) {
	t.Helper()
	simulator, err := history.NewSimulator(g)
	require.NoError(t, err)
	all := func() []engine.Bot { return slices.Repeat([]engine.Bot{conformance.Random}, g.Spec().Seats) }
	players := [][]engine.Bot{all(), all()}
	if names := g.Bots().References; len(names) > 0 {
		bots := all()
		for seat := range bots {
			bots[seat], err = g.Bots().New(names[seat%len(names)])
			require.NoError(t, err)
		}
		players = append(players, bots)
	}
	var rec history.Record
	for i, seats := range players {
		require.NoError(t, simulator.Play(uint64(i+1), seats, &rec))
		lines = history.Append(lines, &rec)
	}
	return lines
}

// playthrough shows the beginning of a random game.
func playthrough(t *testing.T, g engine.Game) []byte {
	t.Helper()
	rng, s := engine.NewRNG(1, 0), g.NewState()
	observation := make([]float32, g.Spec().ObservationSize)
	var out bytes.Buffer
	for i := 0; ; i++ {
		fmt.Fprintf(&out, "# %d\n%s\nplayer %d\n", i, strings.TrimRight(s.String(), "\n"), s.Player())
		for seat := range g.Spec().Seats {
			s.Observe(seat, observation)
			fmt.Fprintf(&out, "seat %d key %x\nseat %d observation %.4g\n",
				seat, s.InformationKey(seat, nil), seat, observation)
		}
		if s.Player() == engine.Terminal || i == playthroughSteps {
			return out.Bytes()
		}
		for _, action := range s.LegalActions(nil) {
			fmt.Fprintf(&out, "action %d: %s\n", action, s.ActionName(action))
		}
		for _, o := range s.Outcomes(nil) {
			fmt.Fprintf(&out, "outcome %d: %s, probability %.4g\n", o.Index, s.OutcomeName(o.Index), o.Probability)
		}
		step := conformance.NextStep(s, rng)
		fmt.Fprintf(&out, "takes %d\n\n", step)
		require.NoError(t, s.Apply(step))
	}
}
