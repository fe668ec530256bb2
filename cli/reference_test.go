package cli

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/reference/commands.md")

// TestPageOfCommands: docs/reference/commands.md has every command with its help and every flag with its default.
// "go test ./cli -run PageOfCommands -update" writes it.
func TestPageOfCommands(t *testing.T) {
	const file = "../docs/reference/commands.md"
	page := pageOfCommands()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
	}
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, page, string(written), "go test ./cli -run PageOfCommands -update")
}

func pageOfCommands() string {
	var page strings.Builder
	fmt.Fprint(&page, "# Commands\n\n"+
		"What `--help` prints, for all commands on one page. This page is made from the program\n"+
		"(`go test ./cli -run PageOfCommands -update`). *Cores* is the number of cores that the program may use.\n")
	root, other := commandsOn(61), commandsOn(67)
	describe(&page, root, other)
	return page.String()
}

// commandsOn returns the commands of a machine with that many cores.
func commandsOn(cores int) *cobra.Command {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	return newRootCommand(installed)
}

// describe writes the section of a command and those of the commands below it; on the other machine some defaults are
// others.
func describe(page *strings.Builder, cmd, other *cobra.Command) {
	if cmd.HasParent() {
		fmt.Fprintf(page, "\n## %s\n\n%s.\n\nUsage: %s\n\n", cmd.CommandPath(), plain(cmd.Short), plain(cmd.UseLine()))
		writeLong(page, installed.longOf(cmd))
		fmt.Fprintf(page, "```sh help\n%s\n```\n", regexp.MustCompile(`(?m)^  `).ReplaceAllString(cmd.Example, ""))
		writeFlags(page, cmd, other)
	}
	for i, c := range cmd.Commands() {
		describe(page, c, other.Commands()[i])
	}
}

// writeLong writes an explanation: its paragraphs as such, what is indented as it stands.
func writeLong(page *strings.Builder, text string) {
	for _, b := range helpBlocks(text) {
		if b.table {
			fmt.Fprintf(page, "```text\n%s\n```\n\n", strings.Join(b.lines, "\n"))
			continue
		}
		fmt.Fprintf(page, "%s\n\n", fold(strings.Fields(plain(strings.Join(b.lines, " "))), 120, "\n"))
	}
}

// plain escapes what Markdown would take for markup.
func plain(text string) string {
	return strings.NewReplacer("<", `\<`, "*", `\*`, "|", `\|`).Replace(text)
}

func writeFlags(page *strings.Builder, cmd, other *cobra.Command) {
	if !cmd.HasAvailableLocalFlags() {
		return
	}
	fmt.Fprint(page, "\n| flag | default | meaning |\n|---|---|---|\n")
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		usual := f.DefValue
		switch usual {
		case "[]", "false", "0", "0s":
			usual = ""
		case "":
		default:
			usual = "`" + usual + "`"
		}
		if other.LocalFlags().Lookup(f.Name).DefValue != f.DefValue {
			usual = "cores"
		}
		fmt.Fprintf(page, "| `%s` | %s | %s |\n", strings.TrimSpace("--"+f.Name+" "+kind), plain(usual), plain(usage))
	})
}
