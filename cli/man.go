package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"croupier/internal/durable"
)

// writeManual writes the man pages of all commands into a folder, each as croupier-COMMAND.1.
func (p program) writeManual(folder string, root *cobra.Command) error {
	var draft durable.Draft
	err := draft.MkdirAll(folder, 0o755)
	if err == nil {
		err = p.writeManPages(&draft, folder, root)
	}
	if err != nil {
		draft.Undo()
	}
	return err
}

func (p program) writeManPages(draft *durable.Draft, folder string, cmd *cobra.Command) error {
	if cmd.Hidden {
		return nil
	}
	path := filepath.Join(folder, manName(cmd)+".1")
	if err := draft.WriteFile(path, []byte(p.manPage(cmd))); err != nil {
		return err
	}
	for _, c := range cmd.Commands() {
		if err := p.writeManPages(draft, folder, c); err != nil {
			return err
		}
	}
	return nil
}

// manName returns what man calls the page of a command.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the page of a command, in the language of man (groff_man(7)).
func (p program) manPage(cmd *cobra.Command) string {
	var page strings.Builder
	name := manName(cmd)
	fmt.Fprintf(&page, ".TH %s 1 \"\" Croupier Croupier\n", roff(strings.ToUpper(name)))
	fmt.Fprintf(&page, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&page, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	page.WriteString(".SH DESCRIPTION\n")
	for _, b := range helpBlocks(p.longOf(cmd)) {
		if b.table {
			fmt.Fprintf(&page, ".PP\n.nf\n%s\n.fi\n", roff(strings.Join(b.lines, "\n")))
			continue
		}
		fmt.Fprintf(&page, ".PP\n%s\n", roff(strings.Join(b.lines, "\n")))
	}
	manOptions(&page, cmd)
	fmt.Fprintf(&page, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(foldExamples(cmd.Example)))
	if others := manOthers(cmd); len(others) > 0 {
		fmt.Fprintf(&page, ".SH SEE ALSO\n%s\n", strings.Join(others, ",\n"))
	}
	return page.String()
}

// manOptions writes the flags of a command.
func manOptions(page *strings.Builder, cmd *cobra.Command) {
	page.WriteString(".SH OPTIONS\n")
	for _, g := range flagGroups(cmd) {
		if g.title != allFlags {
			fmt.Fprintf(page, ".SS %s\n", roff(g.title))
		}
		g.flags.VisitAll(func(f *pflag.Flag) {
			kind, usage := pflag.UnquoteUsage(f)
			short := ""
			if f.Shorthand != "" {
				short = `\fB` + roff("-"+f.Shorthand) + `\fR, `
			}
			fmt.Fprintf(page, ".TP\n%s\\fB%s\\fR", short, roff("--"+f.Name))
			if kind != "" {
				fmt.Fprintf(page, ` \fI%s\fR`, roff(kind))
			}
			fmt.Fprintf(page, "\n%s\n", roff(usage+manDefault(cmd, f)))
		})
	}
}

// manDefault returns the default of a flag, in parentheses, unless it is nothing. Where it is the number of cores it is
// that of another machine.
func manDefault(cmd *cobra.Command, f *pflag.Flag) string {
	switch {
	case slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue):
		return ""
	case slices.Contains([]string{"actors", "cores", "workers"}, f.Name) && cmd.Name() != "create":
		return " (default: by the number of cores)"
	}
	return " (default " + f.DefValue + ")"
}

// manOthers names the pages of the command above one and of those below it.
func manOthers(cmd *cobra.Command) (names []string) {
	if cmd.HasParent() {
		names = append(names, `\fB`+roff(manName(cmd.Parent()))+`\fR(1)`)
	}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, `\fB`+roff(manName(c))+`\fR(1)`)
		}
	}
	return names
}

// roff escapes what the language of man would take for markup.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
