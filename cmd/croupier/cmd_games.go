package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"croupier/engine/games"
)

// gameInfo is what croupier games says of a game under its default rules.
type gameInfo struct {
	Name            string   `json:"name"`
	Seats           int      `json:"seats"`
	Actions         int      `json:"actions"`
	ObservationSize int      `json:"observation_size"`
	Summary         string   `json:"summary"`
	Rules           any      `json:"rules"`
	Bots            []string `json:"bots"`
}

func newGamesCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "games",
		Short: "List the games",
		Long: `Games lists the games as they are under their default rules. docs/games has a page about
each of them.`,
		Example: `  croupier games
  croupier games --json`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON, with rules and bots")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		infos, err := listGames()
		if err != nil {
			return err
		}
		return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
			if asJSON {
				return printJSON(w, infos)
			}
			return printGames(w, infos)
		})
	})
	return cmd
}

func listGames() ([]gameInfo, error) {
	var infos []gameInfo
	for _, entry := range games.All {
		g, err := entry.New(nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name, err)
		}
		s := g.Spec()
		infos = append(infos, gameInfo{s.Name, s.Seats, s.Actions, s.ObservationSize, s.Summary, g.Rules(), g.Bots().References})
	}
	return infos, nil
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func printGames(w io.Writer, infos []gameInfo) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "GAME\tSEATS\tACTIONS\tOBSERVATION\tWHAT")
	for _, g := range infos {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\n", g.Name, g.Seats, g.Actions, g.ObservationSize, g.Summary)
	}
	return table.Flush()
}
