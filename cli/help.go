package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"croupier/docs"
	"croupier/internal/suggest"
)

// topics is what croupier help calls the list of all pages.
const topics = "topics"

// pages returns the documents: those of the program, and those of its games.
func (p program) pages() []docs.Page {
	return slices.Concat(docs.Pages(), p.catalog.Manuals())
}

// explainHelp makes help, as a command and as a flag, answer what is no command like any call of it. As a command it
// also prints the documents.
func (p program) explainHelp(root *cobra.Command) {
	var manual string
	help := &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Explain a command or a topic",
		Long: `Help explains a command, as COMMAND --help does, or prints a page of the documents. "croupier
help topics" lists the pages. The name of a folder may be left out where no command and no other
page is called the same. --man writes a man page for each command instead.`,
		Example: `  croupier help train
  croupier help topics
  croupier help guide/train
  croupier help --man ~/.local/share/man/man1`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			names := append(commandNames(root), topics)
			for _, page := range p.pages() {
				names = append(names, page.Name)
			}
			if len(args) > 0 {
				names = nil
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("man") {
				if len(args) > 0 {
					return usage("--man %s: it writes the pages of all commands; leave out %s", manual, args[0])
				}
				return action(func(*cobra.Command, []string) error { return p.writeManual(manual, root) })(cmd, args)
			}
			found, rest, err := root.Find(args)
			if err == nil && found.HasSubCommands() && len(rest) > 0 {
				err = found.ValidateArgs(rest)
			}
			switch {
			case err == nil:
				return found.Help()
			case len(args) > 1:
				return err
			case args[0] == topics:
				return listTopics(cmd.OutOrStdout(), p.pages())
			}
			return p.printPage(cmd.OutOrStdout(), args[0], commandNames(root))
		},
	}
	help.Flags().StringVar(&manual, "man", "", "folder to which the man pages of all commands are written")
	root.SetHelpCommand(help)
	root.InitDefaultHelpCmd()
}

// listTopics prints the names and titles of pages.
func listTopics(out io.Writer, pages []docs.Page) error {
	var list strings.Builder
	folder := ""
	for _, p := range pages {
		if now, _, _ := strings.Cut(p.Name, "/"); now != folder {
			folder = now
			fmt.Fprintln(&list)
		}
		fmt.Fprintf(&list, "  %-34s %s\n", p.Name, p.Title)
	}
	_, err := fmt.Fprintf(out, "Pages that \"croupier help TOPIC\" prints:\n%s", list.String())
	return err
}

// printPage prints the page of the name, and last the names of those that it refers to.
func (p program) printPage(out io.Writer, name string, commands []string) error {
	pages := p.pages()
	found := docs.Find(pages, strings.TrimSuffix(name, ".md"))
	names := make([]string, len(pages))
	for i, page := range pages {
		names[i] = page.Name
	}
	if len(found) == 0 {
		return fmt.Errorf("unknown command %q%s; \"croupier help topics\" lists the other pages", name,
			suggest.Hint(name, slices.Concat(commands, names)))
	}
	if len(found) > 1 {
		return usage("several pages are called %s: %s and %s", name, found[0].Name, found[1].Name)
	}
	text, others := found[0].Plain()
	others = slices.DeleteFunc(others, func(name string) bool { return !slices.Contains(names, name) })
	if len(others) > 0 {
		text = strings.TrimRight(text, "\n") + "\n\nPages named here: " + strings.Join(others, ", ") + "\n"
	}
	_, err := io.WriteString(out, text)
	return err
}
