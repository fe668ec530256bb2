//go:build nightly

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The whole report, from the command line into a file.
func TestSolveBanluckReportsInFull(t *testing.T) {
	written := filepath.Join(t.TempDir(), "report.md")
	succeed(t, "", "solve", "banluck", "--report", written, "--simulate", "500", "--seed", "7", "--players", "2")
	text := string(readFile(t, written))
	require.Contains(t, text, "--simulate 500 --seed 7 --players 2\n")
	require.Contains(t, text, "house edge of 8.60 %")
}
