package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/backup"
	"croupier/internal/plural"
	"croupier/internal/visible"
)

func newRunsVerifyCommand(p program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Read and check everything that a run keeps",
		Long: `Verify reads every file that a run keeps, from its first byte to its last: what the run is, its
settings, checkpoints and their manifests, the league's state and results, promotions, frozen
versions, the ladder, learning curves, what its workers have produced, and the games of its
archive. RUN is a run directory, also one at work or of a tournament, or a backup.

It prints a line for each fault, which names the file and the place in it, and last what it has
read. The exit status is 1 if there is a fault. Files of version 0.1 have no checksums; they are
read, and counted. Of a run whose game is not known here, the values of its settings are not
checked, and it says so.

--json prints this as one object, with the files that are not checked and why: locks, what is there only while
the run is at work, and the store of the broker, which has checksums of its own.`,
		Example: `  croupier runs verify runs/evening
  croupier runs verify evening.tar --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeRuns,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		return p.verify(cmd.Context(), args[0], asJSON, cmd.OutOrStdout())
	})
	return cmd
}

func (p program) verify(ctx context.Context, path string, asJSON bool, out io.Writer) error {
	result, err := backup.Verify(ctx, p.catalog, path)
	if err != nil {
		return err
	}
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(result)
	} else {
		err = printVerified(out, path, result)
	}
	if err == nil && len(result.Faults) > 0 {
		err = fmt.Errorf("%s: %s", path, plural.Of(len(result.Faults), "fault"))
	}
	return err
}

func printVerified(out io.Writer, path string, r *backup.Result) error {
	printFaults(out, r)
	for _, p := range r.Partly {
		fmt.Fprintln(out, visible.Text(p.String()))
	}
	for _, u := range r.Unchecked {
		if u.Reason == "" {
			fmt.Fprintln(out, visible.Text(u.File+": not read, since it is not a file of a run"))
		}
	}
	if n := len(r.Unsealed); n > 0 {
		fmt.Fprintf(out, "%s no checksum, as version 0.1 wrote them\n", plural.Of(n, "file has", "files have"))
	}
	_, err := fmt.Fprintf(out, "%s: %s read, %s\n", visible.Text(path), volume(r), plural.Of(len(r.Faults), "fault"))
	return err
}

func printFaults(out io.Writer, r *backup.Result) {
	for _, f := range r.Faults {
		fmt.Fprintln(out, visible.Text(f.String()))
	}
}

// volume reports how much was read.
func volume(r *backup.Result) string {
	return fmt.Sprintf("%s, %s and %s", plural.Of(r.Files, "file"), plural.Of(r.Bytes, "byte"),
		plural.Of(r.Games, "game"))
}
