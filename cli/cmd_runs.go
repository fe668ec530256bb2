package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"croupier/cluster"
	"croupier/internal/texttable"
	"croupier/internal/visible"
	"croupier/web"
)

// runsOptions are the flags of croupier runs.
type runsOptions struct {
	program
	runs string
	json bool
}

func newRunsCommand(p program) *cobra.Command {
	o := runsOptions{program: p}
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List runs with game, state, length and best version",
		Long: `Runs lists the runs below a directory, the newest first: the game, whether it is running,
has ended, or was interrupted (its process was killed), how long and on how many games it
has trained, its best version with its rating, and the size of its directory. Ratings are
those of each run's own ladder; croupier web compares versions of several runs in one. Its
subcommands name, check, copy and restore a run, and say who plays for it.`,
		Example: `  croupier runs
  croupier runs --runs elsewhere --json`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(newRunsVerifyCommand(p), newRunsBackupCommand(p), newRunsRestoreCommand(p), newRunsActorsCommand(p),
		newRunsNameCommand())
	cmd.Flags().StringVar(&o.runs, "runs", "runs", "directory of runs")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the list as JSON, as GET /api/runs of the page")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		return listRuns(cmd.Context(), &o, cmd.OutOrStdout())
	})
	return cmd
}

func listRuns(ctx context.Context, o *runsOptions, out io.Writer) error {
	runs, err := cluster.ListRuns(ctx, o.catalog, o.runs)
	if err != nil {
		return err
	}
	if o.json {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(runs)
	}
	if len(runs) == 0 {
		fmt.Fprintf(out, "There are no runs below %s.\n", o.runs)
		return nil
	}
	table := texttable.New(4, 5, 7, 9)
	header := []any{"run", "game", "state", "begun", "trained", "games", "best", "rating", "unit", "size"}
	named := slices.ContainsFunc(runs, func(r web.RunSummary) bool { return r.Name != "" })
	if named {
		header = append(header, "name")
	}
	table.AppendHeader(header)
	for _, r := range runs {
		rating, unit := "", ""
		if r.Rating != nil {
			rating, unit = fmt.Sprintf("%.*f", r.Rating.Decimals, r.Rating.Value), r.Rating.Unit
		}
		row := []any{
			r.ID, r.Game, r.State, when(r.Created), trainedFor(r.Seconds), r.Games, r.Best, rating, unit, megabytes(r.Bytes),
		}
		if named {
			row = append(row, r.Name)
		}
		table.AppendRow(row)
	}
	fmt.Fprintln(out, table.Fit(widthOf(out), 9, 3, 8, 5))
	for _, r := range runs {
		if r.Problem != "" {
			fmt.Fprintln(out, visible.Text(r.ID+": "+r.Problem))
		}
	}
	return nil
}

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}

// trainedFor writes a time of training, of which fractions of a second say nothing.
func trainedFor(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
