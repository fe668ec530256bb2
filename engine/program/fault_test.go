package program_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/described"
	"croupier/engine/program"
)

// faulty is the command of a game with a fault.
func faulty(t *testing.T, fault string) *program.Command {
	t.Helper()
	c, err := program.Named("exec(time=1s,copies=1):" + python(t) + ` testdata/faulty.py "` + fault + `"`)
	require.NoError(t, err)
	return c
}

// A program that is wrong from the beginning is refused with the command, the line, and what is wrong.
func TestProgramsThatAreNoGames(t *testing.T) {
	for fault, want := range map[string]string{
		"no seats":   "line 1 (game): description: seats: 0 is not in 1..8",
		"no player":  "line 2 (game) after []: there is no player 7",
		"over":       "line 2 (game) after []: the game is over at its beginning",
		"at once":    `(steps) after [0]: the program says: KeyError: 'lost' (`,
		"remembers":  "they lead to another state than one by one: the game depends on something besides its state",
		"short":      "observation has 3 numbers and not 4",
		"lines":      "the name of step 0 has a line break",
		"other line": `line 1 (game): the answer "{\"id\": 7, \"version\": 1}" is to line 7, not to 1`,
		"old":        "line 1 (game): it speaks version 0 of the protocol, this program 1",
		"no node":    "line 1 (game): the answer has no node",
		"fewer":      "it has nodes for 0 items and not for 1",
		"no step":    "its answer lacks the node after a possible step",
	} {
		_, err := program.Open(faulty(t, fault))
		require.ErrorContains(t, err, want, fault)
		require.ErrorContains(t, err, `testdata/faulty.py`, fault)
		require.NotContains(t, err.Error(), "struct", fault)
	}
	for command, want := range map[string]string{
		"exec:nothing-of-this-name": "nothing-of-this-name",
		"exec:false":                "the process ended (exit status 1)",
		"exec:echo welcome":         "welcome",
	} {
		c, err := program.Named(command)
		require.NoError(t, err)
		_, err = program.Open(c)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, command)
	}
	p, err := program.Open(faulty(t, "other name"))
	require.NoError(t, err)
	_, err = p.New([]byte("target: 20"))
	require.ErrorContains(t, err, "the name of the game changes with the rules")
}

// A fault that comes late is the error of a step, and of every later step of any state of the game. It names the
// command, the line and the history; a game that begins again is played to its end.
func TestLateFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"dies":       "the process ended (exit status 3); its last output: no more dice",
		"hangs":      "no answer came within 1s (option time)",
		"raises":     "the program says: KeyError: 'lost' (",
		"nonsense":   `invalid answer "let me think": it is not a JSON object`,
		"unbalanced": "the returns [2 2 2] do not sum to 0",
	} {
		p, err := program.Open(faulty(t, fault))
		require.NoError(t, err, fault)
		g, err := p.New(nil)
		require.NoError(t, err)
		s, other := g.NewState(), g.NewState()
		rng := engine.NewRNG(1, 1)
		for games := 0; err == nil && games < 1000; games++ {
			for s.Reset(); err == nil && s.Player() != engine.Terminal; {
				err = s.Apply(anyStep(s, rng))
			}
		}
		var found *described.Fault
		require.ErrorAs(t, err, &found, fault)
		require.ErrorContains(t, err, want)
		require.Regexp(t, `^game faulty from program "exec\(.*faulty.py .*": line \d+ \(steps\) after \[0[\d,]*\]: `, err.Error())
		require.Equal(t, err, other.Apply(0), fault)
		require.True(t, errors.Is(other.Apply(0), found.Err) && !strings.Contains(err.Error(), "goroutine"))
		again, err := p.New(nil)
		require.NoError(t, err)
		require.NoError(t, again.NewState().Apply(0))
	}
}

// anyStep draws a possible step.
func anyStep(s engine.State, rng *engine.RNG) int {
	if s.Player() == engine.Chance {
		return s.SampleChance(rng)
	}
	legal := s.LegalActions(nil)
	return legal[rng.IntN(len(legal))]
}

// Names that are no commands are refused.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"exec:":                 "it does not say which program",
		"exec:'python3":         "the quote ' is not closed",
		"exec(time=5s:python3":  "the options are not closed",
		"exec(log=x):python3":   "option log is for agents",
		"exec(copies=0):python": "option copies=0",
	} {
		_, err := program.Named(name)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, name)
	}
	require.True(t, program.Is("exec:a") && program.Is("exec(time=1s):a"))
	require.False(t, program.Is("executive.wasm") || program.Is("kuhn"))
}

// Games of OpenSpiel need a Python that has it; the error says which variable names it and what to install.
func TestOpenSpielThatIsNotThere(t *testing.T) {
	t.Setenv("OPENSPIEL_PYTHON", "no-such-python")
	_, err := program.Named("openspiel:tic_tac_toe")
	require.ErrorContains(t, err, "it needs Python 3 with the package open-spiel of PyPI, which OPENSPIEL_PYTHON names")
	_, err = program.Named("openspiel: ")
	require.ErrorContains(t, err, "it must look like openspiel:tic_tac_toe")
	require.True(t, program.Is("openspiel:a") && program.Is("openspiel(copies=1):goofspiel(num_cards=4)"))

	bare := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\nshift\nexec " + python(t) + " -S -I -c \"$@\"\n" // without the packages of its site
	require.NoError(t, os.WriteFile(bare, []byte(script), 0o700))
	t.Setenv("OPENSPIEL_PYTHON", bare)
	c, err := program.Named("openspiel:tic_tac_toe")
	require.NoError(t, err)
	_, err = program.Open(c)
	require.ErrorContains(t, err, "this Python has no OpenSpiel (No module named 'pyspiel')")
	require.ErrorContains(t, err, "pip install open-spiel")
}
