package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"croupier/catalog"
	"croupier/internal/plural"
)

func newGamesCommand(p program) *cobra.Command {
	var asJSON, rules bool
	cmd := &cobra.Command{
		Use:   "games [GAME]",
		Short: "List the games, or the bots and rules of one",
		Long: `Games lists the games under their default rules, or describes one game: its bots, the rules
that can be changed, and other rules by which people play. GAME may be the path of a
game that is a file ("croupier help guide/own-games"), exec:COMMAND, a program that is one, or
openspiel:NAME, one of OpenSpiel ("croupier help guide/game-programs"); add keeps it for all
commands. Changed rules are a file for --rules; the page Rules of croupier web makes one.
"croupier help games/NAME" describes a game.

--rules tells the rules of a game step by step, for people who play it for the first time.`,
		Example: `  croupier games
  croupier games bank
  croupier games bank --rules
  croupier games --json`,
		Args: cobra.MaximumNArgs(1),
	}
	cmd.AddCommand(newGamesAddCommand(p), newGamesCheckCommand(p), newGamesNewCommand(p), newGamesProgramCommand(p),
		newGamesRemoveCommand())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON, with rules and bots")
	cmd.Flags().BoolVar(&rules, "rules", false, "tell the rules of the game step by step")
	cmd.MarkFlagsMutuallyExclusive("json", "rules")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		if rules && len(args) == 0 {
			return usage("--rules tells the rules of one game: croupier games bank --rules")
		}
		var names []string
		for _, entry := range p.catalog.Games() {
			names = append(names, entry.Name)
		}
		print := printGames
		if len(args) == 1 {
			names, print = args, printGame
		}
		var infos []*catalog.Info
		for _, name := range names {
			info, err := p.catalog.Describe(name)
			if err != nil {
				return usage("%w", err)
			}
			infos = append(infos, info)
		}
		if rules {
			entry, err := p.catalog.Find(args[0])
			if err != nil {
				return usage("%w", err)
			}
			return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error { return printSteps(w, entry, infos[0]) })
		}
		return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
			if asJSON {
				return printJSON(w, infos)
			}
			return print(w, infos)
		})
	})
	return cmd
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func printGames(w io.Writer, infos []*catalog.Info) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "GAME\tSEATS\tACTIONS\tOBSERVATION\tWHAT")
	for _, g := range infos {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\n", g.Name, g.Seats, g.Actions, g.ObservationSize, g.Summary)
	}
	return table.Flush()
}

// printGame prints what the bots of one game do, and its rules.
func printGame(w io.Writer, infos []*catalog.Info) error {
	for _, g := range infos {
		fmt.Fprintf(w, "%s\n\n", g.Summary)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		if len(g.AllBots) > 0 {
			fmt.Fprintln(table, "BOT\tMEANING")
		}
		for _, bot := range g.AllBots {
			fmt.Fprintf(table, "%s\t%s\n", bot.Name, bot.Help)
		}
		if len(g.AllBots) > 0 {
			fmt.Fprintln(table)
		}
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(w, "On every ladder: %s\n", strings.Join(append([]string{"random"}, g.Bots...), ", "))
		if g.Book == nil {
			continue
		}
		fmt.Fprintln(table, "\nRULE\tVALUES\tMEANING")
		for _, r := range g.Book.Rules {
			fmt.Fprintf(table, "%s\t%s\t%s\n", r.Key, r.Possible(), r.Help)
		}
		if len(g.Book.Presets) > 0 {
			fmt.Fprintln(table, "\nVARIANT\t--rules\tMEANING")
		}
		for _, p := range g.Book.Presets {
			fmt.Fprintf(table, "%s\t%s\t%s\n", p.Name, p.Document, p.Help)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// printSteps explains the rules of a game: its steps, or what is known of a game without them, and what can be changed.
func printSteps(w io.Writer, game catalog.Game, info *catalog.Info) error {
	fmt.Fprintf(w, "%s\n\n", strings.Join(inLines(info.Summary, stepWidth), "\n"))
	for i, step := range game.Steps {
		lines := inLines(step.Text, stepWidth-4)
		if picture := step.Picture(); picture != "" {
			lines = append(lines, picture)
		}
		fmt.Fprintf(w, "%2d. %s\n", i+1, strings.Join(lines, "\n    "))
	}
	if len(game.Steps) == 0 {
		fmt.Fprintf(w, "%s. The game has no further description of its rules.\n", plural.Of(info.Seats, "seat"))
	}
	if info.Book == nil {
		return nil
	}
	fmt.Fprintln(w, "\nRules that can be changed (--set rules.NAME=VALUE):")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range info.Book.Rules {
		fmt.Fprintf(table, "  %s\t%s\n", r.Key, r.Possible())
	}
	return table.Flush()
}

// inLines breaks a text into lines.
func inLines(s string, width int) []string {
	lines := strings.Split(text.WrapSoft(s, width), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// stepWidth is the width of the printed rules.
const stepWidth = 78
