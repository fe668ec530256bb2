package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAffected(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod":            "module " + module + "\n\ngo 1.26\n",
		"root.go":           "package croupier\n\nimport _ \"" + module + "/low\"\n",
		"over/over.go":      "package over\n\nimport _ \"" + module + "\"\n",
		"low/low.go":        "package low\n",
		"mid/mid.go":        "package mid\n\nimport _ \"" + module + "/low\"\n",
		"top/top.go":        "package top\n\nimport _ \"" + module + "/mid\"\n",
		"help/help.go":      "package help\n",
		"alone/alone.go":    "package alone\n",
		"alone/use_test.go": "package alone_test\n\nimport _ \"" + module + "/help\"\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	all := []string{".", "low", "mid", "top", "alone", "over"}
	for _, c := range []struct{ changed, want []string }{
		{nil, nil},
		{[]string{"docs/README.md"}, nil},
		{[]string{"mid/mid.go"}, []string{"mid", "top"}},
		{[]string{"low/testdata/kernel.s"}, []string{".", "low", "mid", "top", "over"}},
		{[]string{"root.go"}, []string{".", "over"}},
		{[]string{"top/top_test.go"}, []string{"top"}},
		{[]string{"help/help.go"}, []string{"alone"}}, // only its test imports it
		{[]string{"go.sum"}, all},
	} {
		found, err := affected(c.changed, all)
		require.NoError(t, err)
		require.Equal(t, c.want, found, "%v", c.changed)
	}
	_, err := affected([]string{"a/a.go"}, []string{"gone"})
	require.ErrorContains(t, err, "directory not found")
}
