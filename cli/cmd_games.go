package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"croupier/catalog"
	"croupier/engine"
)

func newGamesCommand(p program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "games [GAME]",
		Short: "List the games, or the bots and rules of one",
		Long: `Games lists the games under their default rules, or says of one game what each bot does,
which rules can be changed, and by which other rules people play. GAME may be the path of a
game that is a file ("croupier help guide/own-games"), exec:COMMAND, a program that is one, or
openspiel:NAME, one of OpenSpiel ("croupier help guide/game-programs"); add keeps it for all
commands. Changed rules are a file for --rules; the page Rules of croupier web makes one.
"croupier help games/NAME" describes a game.`,
		Example: `  croupier games
  croupier games bank
  croupier games --json`,
		Args: cobra.MaximumNArgs(1),
	}
	cmd.AddCommand(newGamesAddCommand(p), newGamesCheckCommand(p), newGamesNewCommand(p), newGamesProgramCommand(p),
		newGamesRemoveCommand())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON, with rules and bots")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
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
			fmt.Fprintln(table, "BOT\tWHAT IT DOES")
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
		fmt.Fprintln(table, "\nRULE\tPOSSIBLE\tWHAT IT SAYS")
		for _, r := range g.Book.Rules {
			fmt.Fprintf(table, "%s\t%s\t%s\n", r.Key, possible(r), r.Help)
		}
		if len(g.Book.Presets) > 0 {
			fmt.Fprintln(table, "\nALSO PLAYED\tBY --rules\tWHAT IS DIFFERENT")
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

// possible writes what a rule can be.
func possible(r engine.Rule) string {
	switch {
	case r.Values != nil:
		return strings.Join(r.Values, ", ")
	case r.Low == 0 && r.High == 0:
		return "true, false"
	}
	return fmt.Sprintf("%d..%d", r.Low, r.High)
}
