// Package enginetest checks in tests that a game keeps every promise of package engine: it runs the checks of package
// conformance.
//
// A game's own test calls [Run] once, with every set of rules worth checking next to the
// defaults:
//
//	func TestConformance(t *testing.T) { enginetest.Run(t, bank.New, "players: 2", "repoll: false") }
//
// The golden playthroughs in the game's folder testdata are compared as
// well; go test -update writes them, for a new game and when a change is intended.
package enginetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/conformance"
)

// New reads a rules document and makes the game, as in the list of package games.
type New = conformance.New

// Run checks the game under its default rules and under each of the documents.
func Run(t *testing.T, newGame New, documents ...string) {
	documents = append([]string{""}, documents...)
	games := make([]engine.Game, len(documents))
	for i, document := range documents {
		g, err := newGame([]byte(document))
		require.NoError(t, err, "rules %q", document)
		games[i] = g
		name := document
		if name == "" {
			name = "default rules"
		}
		t.Run(name, func(t *testing.T) { run(t, g, newGame) })
	}
	t.Run("figure weights", func(t *testing.T) { checkFigureWeights(t, games) })
	t.Run("golden", func(t *testing.T) { checkGolden(t, games) })
}

func run(t *testing.T, g engine.Game, newGame New) {
	var without []string
	for _, check := range conformance.Checks {
		t.Run(check.Name, func(t *testing.T) {
			fault, why := check.Of(g, newGame)
			if fault != nil {
				t.Fatal(fault)
			}
			if why != "" {
				without = append(without, check.Name+" ("+why+")")
			}
		})
	}
	if without != nil { // which is no gap in the tests
		t.Logf("%s has nothing to check for: %s", g.Spec().Name, strings.Join(without, ", "))
	}
}
