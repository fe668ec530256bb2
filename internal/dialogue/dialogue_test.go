package dialogue

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// start starts a script of the shell whose answers have at most 100,000 bytes.
func start(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start(t.Context(), []string{"sh", "-c", script}, 0, 100_000)
	require.NoError(t, err)
	return p
}

// What a process says before a question is not its answer; the error quotes it.
func TestNothingIsSaidUnasked(t *testing.T) {
	p := start(t, "echo Welcome; cat")
	require.Eventually(t, func() bool { return len(p.lines) > 0 }, time.Minute, time.Millisecond)
	_, err := p.Ask(t.Context(), []byte("hello"))
	require.EqualError(t, err, `it sent "Welcome" before it was asked`)
	require.Nil(t, p.Close())
}

// Answers may be longer than any buffer, up to the bound.
func TestLongAnswers(t *testing.T) {
	p := start(t, "cat")
	for _, size := range []int{1, 65_536, 99_999} {
		answer, err := p.Ask(t.Context(), []byte(strings.Repeat("x", size)))
		require.NoError(t, err)
		require.Len(t, answer, size+1)
	}
	_, err := p.Ask(t.Context(), []byte(strings.Repeat("x", 100_000)))
	require.EqualError(t, err, "its answer is longer than 97 KiB")
	p.Close()
}

// A command is split into words at spaces outside quotes.
func TestWords(t *testing.T) {
	words, err := Words(`python3 "my game.py" 'x y' --heap=7`)
	require.NoError(t, err)
	require.Equal(t, []string{"python3", "my game.py", "x y", "--heap=7"}, words)
	_, err = Words(`python3 "my game.py`)
	require.ErrorContains(t, err, `the quote " is not closed`)
}
