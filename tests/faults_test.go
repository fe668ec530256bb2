package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of docs/lab/faults.md has all rows, each with tests and random faults that exist.
func TestFaultsNameTheirTests(t *testing.T) {
	doc, err := os.ReadFile("../docs/lab/faults.md")
	require.NoError(t, err)
	known := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range function.FindAllStringSubmatch(string(source), -1) {
			known[m[1]] = true
		}
		return err
	}))
	source, err := os.ReadFile("faults/faults_test.go")
	require.NoError(t, err)
	catalogue := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\t\{"([^"]+)", \[\]int`).FindAllStringSubmatch(string(source), -1) {
		catalogue[m[1]] = true
	}
	require.Greater(t, len(catalogue), 10)
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(string(doc), -1)
	require.Len(t, rows, 37)
	name := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`(?: \\(([^)]+)\\))?")
	for i, row := range rows {
		require.Equal(t, number(uint64(i+1)), row[1])
		named := name.FindAllStringSubmatch(row[2], -1)
		require.NotEmpty(t, named, "row %s", row[1])
		for _, n := range named {
			require.True(t, known[n[1]], "row %s: there is no test %s", row[1], n[1])
			for drawn := range strings.SplitSeq(n[2], "; ") {
				require.True(t, drawn == "" || catalogue[drawn], "row %s: there is no random fault %q", row[1], drawn)
			}
		}
	}
}
