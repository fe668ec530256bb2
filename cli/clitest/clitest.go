// Package clitest runs command lines in tests, for the games that a test chooses.
package clitest

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/cli"
)

// Program is a program with these games.
type Program struct{ Games *catalog.Catalog }

// Of returns the program with the games.
func Of(games ...catalog.Game) Program { return Program{catalog.New(games...)} }

// Run runs a command line and returns its exit status, output and errors.
func (p Program) Run(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = cli.Run(context.Background(), p.Games, args, strings.NewReader(stdin), &out, &errs)
	return status, out.String(), errs.String()
}

// Succeed runs a command line that must succeed silently and returns its output.
func (p Program) Succeed(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	status, stdout, stderr := p.Run(stdin, args...)
	require.Equal(t, 0, status, stderr)
	require.Empty(t, stderr)
	return stdout
}

// Refuse requires that a command line fails with one line of explanation, and returns it.
func (p Program) Refuse(t *testing.T, wantStatus int, args ...string) string {
	t.Helper()
	status, stdout, stderr := p.Run("", args...)
	require.Equal(t, wantStatus, status, "%v: %s", args, stderr)
	require.Empty(t, stdout, "%v", args)
	require.Len(t, Lines(stderr), 1, "%v: %s", args, stderr)
	require.Regexp(t, "^croupier: ", stderr)
	return stderr
}

// Lines returns the lines of a text.
func Lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
