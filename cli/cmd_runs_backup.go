package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/backup"
	"croupier/internal/plural"
)

func newRunsBackupCommand(p program) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "backup RUN",
		Short: "Make a verified copy of a run, even while it trains",
		Long: `Backup copies everything that a run keeps to one file, and checks the copy as runs verify does. The run may
be at work meanwhile. A run with a fault is not copied: the faults are printed, and the exit
status is 1.

The file is a tar archive with one folder. Its last file, SHA256SUMS, is for sha256sum -c. The
store of the broker is not in it: a run that is restored makes it again from the other files.
"croupier runs restore" makes a run directory of the file.`,
		Example: `  croupier runs backup runs/evening --out evening.tar
  croupier runs verify evening.tar`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeRuns,
	}
	cmd.Flags().StringVar(&out, "out", "", `file to write, "-" for standard output`)
	must(cmd.MarkFlagRequired("out"))
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		return p.makeBackup(cmd.Context(), args[0], out, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

func (p program) makeBackup(ctx context.Context, run, path string, out, errOut io.Writer) error {
	var made *backup.Result
	err := makeOutput(path, out, func(path string) (err error) {
		made, err = backup.Make(ctx, p.catalog, run, path)
		return err
	})
	if isStream(path) {
		out = errOut
	}
	if err != nil {
		return explainDamage(out, run, err)
	}
	_, err = fmt.Fprintf(out, "%s written to %s: %s, verified.\n", run, path, volume(made))
	return err
}

// explainDamage prints the faults of what is damaged.
func explainDamage(out io.Writer, path string, err error) error {
	var damaged *backup.DamagedError
	if !errors.As(err, &damaged) {
		return err
	}
	printFaults(out, damaged.Result)
	return fmt.Errorf("%s: %s; nothing was written", path, plural.Of(len(damaged.Faults), "fault"))
}
