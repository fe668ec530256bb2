package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/backup"
)

func newRunsRestoreCommand(p program) *cobra.Command {
	var run string
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a run from a backup",
		Long: `Restore checks a backup as runs verify does, and then makes a run directory of it, which appears when it is
complete. The directory must not be there yet. A backup with a fault is refused: the faults are
printed, and the exit status is 1. "croupier train --resume" continues the run where it was when
the backup was made.`,
		Example: `  croupier runs restore evening.tar --run runs/evening
  croupier train --resume --run runs/evening`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&run, "run", "", "run directory to make")
	must(cmd.MarkFlagRequired("run"))
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		return p.restoreBackup(cmd.Context(), args[0], run, cmd.OutOrStdout())
	})
	return cmd
}

func (p program) restoreBackup(ctx context.Context, file, run string, out io.Writer) error {
	r, err := backup.Restore(ctx, p.catalog, file, run)
	if err != nil {
		return explainDamage(out, file, err)
	}
	_, err = fmt.Fprintf(out, "%s of %s restored to %s: %s.\n", r.Run, file, run, volume(r))
	return err
}
