package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// There is a man page for every command, with what its help has, in the language of man.
func TestManPages(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "share/man/man1")
	require.Empty(t, succeed(t, "", "help", "--man", folder))
	files, err := filepath.Glob(filepath.Join(folder, "croupier*.1"))
	require.NoError(t, err)
	require.Greater(t, len(files), 50)
	for _, name := range []string{"croupier", "croupier-train", "croupier-solve-bank", "croupier-broker-credentials-add"} {
		require.Contains(t, files, filepath.Join(folder, name+".1"))
	}
	request := regexp.MustCompile(`^\.(TH|SH|SS|PP|TP|B|nf|fi)\b`)
	for _, file := range files {
		page, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, line := range lines(string(page)) {
			require.False(t, strings.HasPrefix(line, "'"), "%s: %s", file, line)
			if strings.HasPrefix(line, ".") {
				require.Regexp(t, request, line, file)
			}
		}
	}
	page, err := os.ReadFile(filepath.Join(folder, "croupier-play.1"))
	require.NoError(t, err)
	require.NotContains(t, string(page), strings.TrimSpace(levelsPlace))
	require.Contains(t, string(page), `\fB\-\-against\fR \fIstrings\fR`)
	require.Empty(t, succeed(t, "", "help", "--man", folder), "an upgrade replaces them")
	require.Contains(t, refused2(t, "help", "train", "--man", folder), "--man")

	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff: how the pages look is not checked (Debian: apt-get install groff-base)")
	}
	var warnings bytes.Buffer
	show := exec.Command(groff, append([]string{"-man", "-Tutf8", "-K", "utf8", "-ww", "-P-cbou"}, files...)...)
	show.Stderr = &warnings
	shown, err := show.Output()
	require.NoError(t, err, warnings.String())
	require.Empty(t, warnings.String())
	require.Equal(t, len(files), strings.Count(string(shown), "\nEXAMPLES\n"), "each page has examples")
}
