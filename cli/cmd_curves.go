package cli

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/spf13/cobra"

	"croupier/cluster"
	"croupier/internal/plural"
	"croupier/internal/rundir"
	"croupier/internal/visible"
	"croupier/league"
	"croupier/messages/curves"
)

func newCurvesCommand(p program) *cobra.Command {
	out := "-"
	cmd := &cobra.Command{
		Use:   "curves [RUN]...",
		Short: "Write the learning curves of runs as CSV or Parquet",
		Long: `Curves writes the learning curves of runs, one row a point, for pandas, R, spreadsheets and
trackers of experiments. The columns are

  run      name of the run directory
  seed     of the run
  curve    name: "rating/best", "win_share/random", "entropy"
  seconds  of training
  samples  decisions that the network had learnt from
  value    of the curve; low and high are the ends of its 95 % interval, empty without one
  unit     of the value, empty where it is not known

A file whose name ends in .parquet is written as Parquet, anything else as CSV. Rows are sorted
by run, curve and place in the training. Without a directory it takes the newest run; a run that
is training gives what it has so far. "croupier help guide/web" says which curves there are.`,
		Example: `  croupier curves --out curves.csv
  croupier curves runs/evening runs/night --out curves.parquet`,
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	}
	cmd.Flags().StringVar(&out, "out", "-", `file to write, "-" for standard output as CSV`)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			args = []string{""}
		}
		var rows []curveRow
		for _, dir := range args {
			more, err := p.curvesOf(cmd.Context(), dir, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			rows = append(rows, more...)
		}
		write := writeCurvesCSV
		if strings.HasSuffix(out, ".parquet") {
			write = writeCurvesParquet
		}
		return writeOutput(out, cmd.OutOrStdout(), func(w io.Writer) error { return write(w, rows) })
	})
	return cmd
}

// curveRow is a point of a curve of a run.
type curveRow struct {
	Run     string   `parquet:"run,dict"`
	Seed    uint64   `parquet:"seed"`
	Curve   string   `parquet:"curve,dict"`
	Seconds float64  `parquet:"seconds"`
	Samples uint64   `parquet:"samples"`
	Value   float64  `parquet:"value"`
	Low     *float64 `parquet:"low,optional"`
	High    *float64 `parquet:"high,optional"`
	Unit    string   `parquet:"unit,dict"`
}

// curvesOf returns the points of a run directory, "" being the newest, sorted by curve. It notes what is missing.
func (p program) curvesOf(ctx context.Context, given string, notes io.Writer) (rows []curveRow, err error) {
	dir, err := givenOrNewest(given)
	if err != nil {
		return nil, err
	}
	info, err := rundir.ReadInfo(dir)
	if err != nil {
		return nil, err
	}
	records, damaged, err := curves.Read(filepath.Join(dir, rundir.CurvesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: the run has no curves: they are written within seconds of its start", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if damaged > 0 {
		fmt.Fprintf(notes, "croupier: %s: %d of %s damaged and left out\n",
			visible.Text(dir), damaged, plural.Of(damaged+len(records), "line of its learning curves is", "lines of its learning curves are"))
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	ladder, err := league.ReadLadder(dir)
	if err != nil && !errors.Is(err, league.ErrNoLadder) {
		return nil, err
	}
	spec := cluster.SpecIn(p.catalog, dir)
	units := cluster.CurveUnits(spec, ladder)
	for _, r := range records {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, point := range r.Points.InCoin(spec).Points {
			row := curveRow{
				Run: filepath.Base(absolute), Seed: uint64(info.Seed), Curve: point.Series, Unit: units(point.Series),
				Seconds: r.Points.Seconds, Samples: r.Points.Samples, Value: point.Value,
			}
			if point.HasInterval {
				row.Low, row.High = &point.Low, &point.High
			}
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b curveRow) int {
		return cmp.Or(cmp.Compare(a.Curve, b.Curve), cmp.Compare(a.Samples, b.Samples), cmp.Compare(a.Seconds, b.Seconds))
	})
	return rows, nil
}

func writeCurvesCSV(w io.Writer, rows []curveRow) error {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	end := func(v *float64) string {
		if v == nil {
			return ""
		}
		return number(*v)
	}
	out := csv.NewWriter(w)
	_ = out.Write([]string{"run", "seed", "curve", "seconds", "samples", "value", "low", "high", "unit"}) // Error reports it
	for _, r := range rows {
		_ = out.Write([]string{r.Run, strconv.FormatUint(r.Seed, 10), r.Curve, number(r.Seconds),
			strconv.FormatUint(r.Samples, 10), number(r.Value), end(r.Low), end(r.High), r.Unit})
	}
	out.Flush()
	return out.Error()
}

func writeCurvesParquet(w io.Writer, rows []curveRow) error {
	out := parquet.NewGenericWriter[curveRow](w, parquet.Compression(&parquet.Zstd))
	_, err := out.Write(rows)
	return errors.Join(err, out.Close())
}
