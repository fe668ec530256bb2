package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/archive"
	"croupier/cluster"
	"croupier/dataset"
)

func newArchiveDatasetCommand(p program) *cobra.Command {
	var query archive.Query
	var out string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "dataset [RUN|DIR]...",
		Short: "Write games that were kept as a Parquet file, for other programs",
		Long: `Dataset writes games from the archives of runs and tournaments as a Parquet file, one row a
decision: the observation with a column for each of its segments, the legal actions, what
was played, by whom and with which log-probability where it is known, and how the game
ended. "croupier help guide/dataset" lists the columns and reads them with pandas.

Without a directory it takes the newest run. All games of a file have the same rules,
those of the newest game found; others are left out and counted, as are damaged ones.`,
		Example: `  croupier archive dataset --out games.parquet
  croupier archive dataset runs/evening --purpose arena --agent main@8 --limit 10000 --out main8.parquet`,
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	}
	registerFilter(cmd, &query)
	f := cmd.Flags()
	f.IntVar(&query.Limit, "limit", 0, "maximum number of games, spread evenly over those that match (0: all)")
	f.StringVar(&out, "out", "", `file to write, "-" for standard output`)
	must(cmd.MarkFlagRequired("out"))
	addQuiet(f, &quiet)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		shown := newProgress(cmd.ErrOrStderr(), "writing games", quiet)
		defer shown.end()
		return p.writeDataset(cmd.Context(), args, query, out, shown, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

// checkPlayed requires that one of the runs knows of the agents whose games are wanted, and gives them their own
// names for those of levels.
func (p program) checkPlayed(ctx context.Context, dirs []string, query *archive.Query) (err error) {
	if query.Agent == "" && query.Against == "" {
		return nil
	}
	for _, dir := range dirs {
		o := archiveOptions{program: p, run: dir, query: *query}
		o.query.Limit = 1
		var wrong *usageError
		if _, err = o.find(ctx, archive.Read(dir)); !errors.As(err, &wrong) {
			query.Agent, query.Against = o.query.Agent, o.query.Against
			return err
		}
	}
	return err
}

func (p program) writeDataset(ctx context.Context, dirs []string, query archive.Query, out string,
	shown *progress, stdout, stderr io.Writer) error {
	if err := dataset.Validate(query); err != nil {
		return usage("%w", err)
	}
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	o := dataset.Options{Catalog: p.catalog, Query: query, Version: cluster.ThisBuild().String(), Progress: shown.of}
	for _, dir := range dirs {
		dir, err := givenOrNewest(dir)
		if err != nil {
			return err
		}
		o.Dirs = append(o.Dirs, dir)
	}
	if err := p.checkPlayed(ctx, o.Dirs, &o.Query); err != nil {
		return err
	}
	var report *dataset.Report
	err := makeOutput(out, stdout, func(path string) (err error) {
		report, err = dataset.Write(ctx, path, o)
		return err
	})
	shown.end()
	if err != nil {
		return err
	}
	if isStream(out) {
		stdout = stderr
	}
	_, err = fmt.Fprint(stdout, report.Text(outputName(out)))
	return err
}
