package check_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/check"
	"croupier/internal/check/checktest"
	"croupier/internal/sealed"
)

func TestPartReadsItsFiles(t *testing.T) {
	part := check.Part{Patterns: []string{"notes.txt", "games/*.bin"}, Check: func(c *check.Check) {
		for _, name := range c.Matching("games/*.bin") {
			c.ReadFile(name, 5)
		}
		require.True(t, c.Has("other"))
		require.False(t, c.Has("games"))
		c.ReadFile("notes.txt", 5)
	}}
	require.True(t, part.Has("games/1.bin"))
	require.False(t, part.Has("games/old/1.bin"))
	require.False(t, part.Has("other"))
	require.False(t, check.Matches("[", "["), "no pattern")

	found, err := part.Of(checktest.Files{"other": {1}, "games/1.bin": {1, 2}, "games/2.bin": make([]byte, 6),
		"games/3.bin": nil})
	require.NoError(t, err)
	require.Equal(t, []check.Fault{
		{"games/2.bin", "", "its 6 bytes are more than the limit of 5"},
		{"games/3.bin", "", "input/output error"},
		{"notes.txt", "", "there is no such file"},
	}, found.Faults)
	require.Equal(t, map[string]int64{"games/1.bin": 2, "games/2.bin": 6, "games/3.bin": 3}, found.Read)
	_, err = part.Of(checktest.Files(nil))
	require.ErrorContains(t, err, "there is no list")
}

func TestFaultsNameTheirPlace(t *testing.T) {
	require.Equal(t, "a/b: it is empty", check.Fault{File: "a/b", What: "it is empty"}.String())
	require.Equal(t, "a/b: line 3: it is empty", check.Fault{"a/b", "line 3", "it is empty"}.String())
}

// Another part is read for what it has: its faults are its own.
func TestApartFindsForItself(t *testing.T) {
	c, err := check.New(checktest.Files{"a": {1}})
	require.NoError(t, err)
	other := c.Apart()
	other.Fault("a", "", "wrong")
	require.True(t, other.Has("a"))
	require.Empty(t, c.Faults)
}

func TestSealedFilesAreNotedOnce(t *testing.T) {
	c, err := check.New(checktest.Files{})
	require.NoError(t, err)
	require.True(t, c.Sealed("old", sealed.Unsealed, nil))
	require.True(t, c.Sealed("old", sealed.Unsealed, nil))
	require.True(t, c.Sealed("new", sealed.Intact, nil))
	require.False(t, c.Sealed("damaged", sealed.Unsealed, errors.New("its checksum is wrong")))
	require.Equal(t, []string{"old"}, c.Unsealed)
	require.Equal(t, []check.Fault{{"damaged", "", "its checksum is wrong"}}, c.Faults)
}

func TestEveryLineIsVisited(t *testing.T) {
	text := "sealed\nwrong\nplain\nsealed without an end"
	c, err := check.New(checktest.Files{"lines": []byte(text), "whole": []byte("sealed\n")})
	require.NoError(t, err)
	visit := func(line []byte) (sealed.Condition, error) {
		switch {
		case bytes.HasPrefix(line, []byte("sealed")):
			return sealed.Intact, nil
		case bytes.HasPrefix(line, []byte("plain")):
			return sealed.Unsealed, nil
		}
		return sealed.Unsealed, errors.New("it is wrong")
	}
	c.Lines("lines", 100, visit)
	c.Lines("whole", 100, visit)
	c.Lines("missing", 100, visit)
	require.Equal(t, []check.Fault{
		{"lines", "line 2", "it is wrong"},
		{"lines", "line 4", "it is incomplete: it was being written when its process was killed, or is damaged"},
		{"missing", "", "there is no such file"},
	}, c.Faults)
	require.Equal(t, []string{"lines"}, c.Unsealed)
}

func TestLinesThatAreGoneAreFound(t *testing.T) {
	list, err := sealed.List([]map[string]int{{"a": 1}, {"a": 2}, {"a": 3}})
	require.NoError(t, err)
	lines := bytes.SplitAfter(list, []byte("\n"))
	old, err := sealed.Line(map[string]int{"a": 1})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		text []byte
		want []check.Fault
	}{
		"whole": {list, nil},
		"old":   {old, nil},
		"empty": {[]byte{}, []check.Fault{{"list", "", "it is empty"}}},
		"end":   {bytes.Join(lines[:2], nil), []check.Fault{{"list", "", "it has 2 lines of a list of 3"}}},
		"begin": {bytes.Join(lines[1:], nil), []check.Fault{{"list", "", "it has 2 lines of a list of 3"}}},
		"mixed": {bytes.Join([][]byte{list, old}, nil), []check.Fault{{"list", "", "it has 4 lines of a list of 3"}}},
		"other": {[]byte("{}\n"), []check.Fault{{"list", "line 1", "it is wrong"}}},
	} {
		found, err := check.New(checktest.Files{"list": c.text})
		require.NoError(t, err)
		found.List("list", 1000, func(line []byte) (sealed.Condition, error) {
			if len(line) < 5 {
				return sealed.Unsealed, errors.New("it is wrong")
			}
			return sealed.Intact, nil
		})
		require.Equal(t, c.want, found.Faults, name)
	}
}
