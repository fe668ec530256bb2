package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/internal/rundir"
	"croupier/internal/visible"
)

func newRunsNameCommand() *cobra.Command {
	var note string
	cmd := &cobra.Command{
		Use:   "name RUN [NAME]",
		Short: "Give a run a name and a note",
		Long: `Name gives a run a name and a note, which croupier runs and the page show with it. RUN is a
run directory, also one at work. The directory keeps its own name, by which commands find it.
An empty name or note takes the former one away. With RUN alone, the command prints both.`,
		Example: `  croupier runs name runs/evening "lower rate"
  croupier runs name runs/evening --note "Half of the usual rate. Better after 10 minutes."
  croupier runs name runs/evening`,
		Args: cobra.RangeArgs(1, 2),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeRuns(cmd, args, toComplete)
		},
	}
	cmd.Flags().StringVar(&note, "note", "", "note about the run; may have several lines")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		noted := cmd.Flags().Changed("note")
		if len(args) == 1 && !noted {
			return printLabel(cmd.OutOrStdout(), args[0])
		}
		return rundir.Relabel(args[0], func(l rundir.Label) (rundir.Label, error) {
			if len(args) == 2 {
				l.Name = args[1]
			}
			if noted {
				l.Note = note
			}
			return l, nil
		})
	})
	return cmd
}

// printLabel prints what people call a run, and their note.
func printLabel(out io.Writer, dir string) error {
	if _, err := rundir.ReadInfo(dir); err != nil {
		return err
	}
	label, err := rundir.ReadLabel(dir)
	if err != nil {
		return err
	}
	switch {
	case label == rundir.Label{}:
		_, err = fmt.Fprintln(out, visible.Text(dir)+" has no name and no note.")
	case label.Name == "":
		_, err = fmt.Fprintln(out, "No name.\n"+label.Note)
	case label.Note == "":
		_, err = fmt.Fprintln(out, label.Name)
	default:
		_, err = fmt.Fprintf(out, "%s\n%s\n", label.Name, label.Note)
	}
	return err
}
