package tests

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	inCode  = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	command = regexp.MustCompile(`\bcroupier ([a-z]+)((?: +[^\n#]*)?)`)
	flagged = regexp.MustCompile(`--[a-z-]+`)
)

// TestDocumentedCommands checks that every command that a page for users shows exists
// and has the flags it is shown with.
func TestDocumentedCommands(t *testing.T) {
	usage := map[string]string{}
	for _, page := range []string{"../README.md", "../docs/running.md", "../docs/messages.md", "../deploy/README.md"} {
		doc, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, code := range inCode.FindAllString(string(doc), -1) {
			code = strings.ReplaceAll(code, "\\\n", " ")
			for _, found := range command.FindAllStringSubmatch(code, -1) {
				name := found[1]
				if usage[name] == "" {
					out, err := exec.Command(croupier(t), name, "--help").Output()
					require.NoError(t, err, "%s: %s", page, found[0])
					usage[name] = string(out)
				}
				require.Contains(t, usage[name], "croupier "+name, "%s: there is no such command: %s", page, found[0])
				for _, flag := range flagged.FindAllString(found[2], -1) {
					require.Regexp(t, flag+`\b`, usage[name], "%s: %s", page, found[0])
				}
			}
		}
	}
}
