//go:build nightly || long

package tests

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// unreleased is what the changelog says of the version that comes next.
var unreleased = regexp.MustCompile(`(?s)## \[Unreleased\]\n(.*?)\n## \[`)

// apiName finds the exported name of a line of the list: T.M for a method or a field.
var apiName = regexp.MustCompile(
	`, (?:func|const|var|type|method \(\*?(\w+)\)) ?(\w+)(?: (?:struct|interface), (\w+))?`)

// nameOf returns what the changelog calls the thing of a line.
func nameOf(line string) string {
	parts := apiName.FindStringSubmatch(line)
	if parts == nil {
		return line
	}
	switch {
	case parts[1] != "":
		return parts[1] + "." + parts[2]
	case parts[3] != "":
		return parts[2] + "." + parts[3]
	}
	return parts[2]
}

// What breaks other modules since the last release is in the changelog by its name.
func TestAPISinceTheLastRelease(t *testing.T) {
	_, err := testproc.CombinedOutput(exec.Command("git", "-C", "..", "cat-file", "-e", lastRelease))
	require.NoError(t, err, "the clone has no %s (git fetch --unshallow --tags)", lastRelease)
	before, err := testproc.Output(exec.Command("git", "-C", "..", "show", lastRelease+":tests/"+apiFile))
	if err != nil {
		t.Logf("%s promised nothing to other modules: it has no tests/%s", lastRelease, apiFile)
		return
	}
	now, err := os.ReadFile(apiFile)
	require.NoError(t, err)
	changelog, err := os.ReadFile("../CHANGELOG.md")
	require.NoError(t, err)
	section := unreleased.FindSubmatch(changelog)
	require.NotNil(t, section)
	for _, line := range brokenAPI(strings.Split(string(before), "\n"), strings.Split(string(now), "\n")) {
		if !strings.Contains(string(section[1]), nameOf(line)) {
			t.Errorf("broken since %s, and not in the changelog: %s", lastRelease, line)
		}
	}
}

func TestNamesOfTheAPI(t *testing.T) {
	for line, want := range map[string]string{
		"engine, func NewRNG(uint64, uint64) *RNG":         "NewRNG",
		"engine, method (*RNG) Uint64() uint64":            "RNG.Uint64",
		"catalog, type Game struct, Name string":           "Game.Name",
		"engine, type State interface needs Undo()":        "State",
		"engine, const Chance":                             "Chance",
		"catalog, type Players = func() policy.Stochastic": "Players",
	} {
		require.Equal(t, want, nameOf(line), line)
	}
}
