package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/messages"
)

// inRepository returns a file of the repository.
func inRepository(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", path))
	require.NoError(t, err)
	return string(content)
}

var (
	goDirective = regexp.MustCompile(`(?m)^go (\d+\.\d+)`)
	aRelease    = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\] - (\S+)$`)
	aSection    = regexp.MustCompile(`(?m)^## .*$`)
	aGroup      = regexp.MustCompile(`(?m)^### (.*)$`)
)

// TestRepositoryBadges: what the badges of README say is so.
func TestRepositoryBadges(t *testing.T) {
	readme, release := inRepository(t, "README.md"), aRelease.FindStringSubmatch(inRepository(t, "CHANGELOG.md"))
	require.NotNil(t, release)
	licence, _, _ := strings.Cut(inRepository(t, "LICENSE"), " ")
	for _, badge := range []struct{ file, name, value, alt string }{
		{"version", "version", release[1], "Version"},
		{"go", "Go", goDirective.FindStringSubmatch(inRepository(t, "go.mod"))[1], "Go"},
		{"licence", "licence", licence, "Licence"},
	} {
		path := "docs/images/badge-" + badge.file + ".svg"
		require.Contains(t, readme, fmt.Sprintf("![%s %s](%s)", badge.alt, badge.value, path))
		picture := inRepository(t, path)
		require.Contains(t, picture, "<title>"+badge.name+": "+badge.value+"</title>", path)
		require.Contains(t, picture, ">"+badge.value+"</text>", path)
	}
}

// TestRepositoryChangelog: the changelog has the form of Keep a Changelog, newest version first.
func TestRepositoryChangelog(t *testing.T) {
	changelog := inRepository(t, "CHANGELOG.md")
	sections := aSection.FindAllString(changelog, -1)
	require.Equal(t, "## [Unreleased]", sections[0])
	releases := aRelease.FindAllStringSubmatch(changelog, -1)
	require.Len(t, releases, len(sections)-1, "every further section is one of a version and its date")
	before := ""
	for _, r := range releases {
		_, err := time.Parse(time.DateOnly, r[2])
		require.NoError(t, err)
		if before != "" {
			require.LessOrEqual(t, r[2], before, "newest first")
		}
		before = r[2]
	}
	for _, group := range aGroup.FindAllStringSubmatch(changelog, -1) {
		require.Contains(t, []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}, group[1])
	}
}

// TestRepositoryCitation: CITATION.cff cites the newest release.
func TestRepositoryCitation(t *testing.T) {
	var citation struct {
		Format   string `yaml:"cff-version"`
		Title    string
		Authors  []struct{ Name string }
		Version  string
		Released string `yaml:"date-released"`
		Licence  string `yaml:"license"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(inRepository(t, "CITATION.cff")), &citation))
	release := aRelease.FindStringSubmatch(inRepository(t, "CHANGELOG.md"))
	require.Equal(t, "1.2.0", citation.Format)
	require.Contains(t, citation.Title, "Croupier")
	require.NotEmpty(t, citation.Authors)
	require.Equal(t, release[1:], []string{citation.Version, citation.Released})
	require.True(t, strings.HasPrefix(inRepository(t, "LICENSE"), citation.Licence+" "))
}

// TestRepositoryVersions: docs/reference/versions.md says which schemas of messages this program reads.
func TestRepositoryVersions(t *testing.T) {
	reads := fmt.Sprint(messages.OldestSchema)
	if messages.OldestSchema != messages.SchemaVersion {
		reads += fmt.Sprintf(" to %d", messages.SchemaVersion)
	}
	release := aRelease.FindStringSubmatch(inRepository(t, "CHANGELOG.md"))[1]
	minor := release[:strings.LastIndex(release, ".")]
	require.Contains(t, inRepository(t, "docs/reference/versions.md"), fmt.Sprintf("\n| %s | %s | ", minor, reads))
}
