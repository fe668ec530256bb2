package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"croupier/cluster"
)

// exportOptions are the flags of croupier export.
type exportOptions struct {
	run     string
	version uint64
	format  string
	out     string
	force   bool
}

func newExportCommand() *cobra.Command {
	var o exportOptions
	var best bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a frozen version of a run to a file of its own",
		Long: `Export writes the weights of a frozen version with all that is needed to play with
them: the network's description, the game and its rules, and, for the record, its
rating and how long it had trained. Wherever an agent is named, file:PATH names this
one as it was trained, which draws its actions; greedy:file:PATH takes the likeliest
one. Export says which of them is stronger in the game.`,
		Example: `  croupier export --run runs/evening --best --out bank.safetensors
  croupier arena file:bank.safetensors "threshold(100)" --game bank --games 3000`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "run directory (default: the newest below runs)")
	f.BoolVar(&best, "best", false, "the version that passed the gate last (the default)")
	f.Uint64Var(&o.version, "version", 0, "the frozen version of this number, as in main@12")
	f.StringVar(&o.format, "format", "safetensors", "file format: safetensors")
	f.StringVar(&o.out, "out", "", "file to write")
	f.BoolVar(&o.force, "force", false, "replace the file if it is there already")
	must(cmd.MarkFlagRequired("out"))
	cmd.MarkFlagsMutuallyExclusive("best", "version")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if o.format != "safetensors" {
			return usage("--format %s: the only format is safetensors", o.format)
		}
		if cmd.Flags().Changed("version") && o.version == 0 {
			return usage("--version 0: versions are counted from 1")
		}
		return export(cmd.Context(), o, cmd.OutOrStdout())
	})
	return cmd
}

func export(ctx context.Context, o exportOptions, out io.Writer) error {
	if _, err := os.Lstat(o.out); err == nil && !o.force {
		return usage("--out %s: it is there already: add --force to replace it, or name another file", o.out)
	}
	run, err := givenOrNewest(o.run)
	if err != nil {
		return err
	}
	done, err := cluster.Export(ctx, run, o.version, o.out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s of %s written to %s (%d weights, %d bytes). It plays best as %s\n",
		done.Agent, run, o.out, done.Weights, done.Bytes, done.Plays)
	return err
}
