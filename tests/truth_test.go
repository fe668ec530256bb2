package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every check that the page of the numbers names is a test of the package it names.
func TestTruthNamesItsChecks(t *testing.T) {
	page, err := os.ReadFile("../docs/explain/truth.md")
	require.NoError(t, err)
	checks := regexp.MustCompile("`\\./([a-z/-]+) (Test[A-Za-z0-9]+)`").FindAllSubmatch(page, -1)
	require.NotEmpty(t, checks)
	for _, check := range checks {
		files, err := filepath.Glob(filepath.Join("..", string(check[1]), "*_test.go"))
		require.NoError(t, err)
		found := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			found = found || regexp.MustCompile(`(?m)^func `+string(check[2])+`\(`).Match(source)
		}
		require.True(t, found, "%s has no %s", check[1], check[2])
	}
}
