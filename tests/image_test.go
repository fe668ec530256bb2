package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// An image whose program does not run in it, as one that needs libraries, gets no tag. The engine is a script here,
// which writes down what it is asked; TestContainers has a real one.
func TestImageWithoutItsLibrariesGetsNoTag(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		run    string // exit status of the program in the image
		status int
		asked  string
	}{
		"static":  {"0", 0, "build\nrun --rm --network none the-image --version\ntag the-image croupier:2\n"},
		"dynamic": {"127", 1, "build\nrun --rm --network none the-image --version\nrmi the-image\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			asked, program := filepath.Join(dir, "asked"), filepath.Join(dir, "program")
			require.NoError(t, os.WriteFile(program, []byte("a program"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "docker"), []byte(`#!/bin/sh
case "$1" in
build) echo build >>"$ASKED"; echo the-image ;;
*) echo "$*" >>"$ASKED" ;;
esac
[ "$1" != run ] || exit "$RUN"
`), 0o700))
			cmd := exec.Command("sh", filepath.Join(deployDir, "image.sh"), "croupier:2", program)
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "ASKED="+asked, "RUN="+test.run)
			out, err := testproc.CombinedOutput(cmd)
			require.Equal(t, test.status, cmd.ProcessState.ExitCode(), "%s", out)
			content, readErr := os.ReadFile(asked)
			require.NoError(t, readErr)
			require.Equal(t, test.asked, string(content))
			if test.status != 0 {
				require.Error(t, err)
				require.Contains(t, string(out), program+" does not run in the image, which holds no libraries")
			}
		})
	}
}
