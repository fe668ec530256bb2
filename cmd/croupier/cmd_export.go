package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"croupier/engine/games"
	"croupier/internal/durable"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/nn"
)

// exportOptions are the flags of croupier export.
type exportOptions struct {
	run     string
	version uint64
	format  string
	out     string
}

func newExportCommand() *cobra.Command {
	var o exportOptions
	var best bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a frozen version of a run to a file of its own",
		Long: `Export writes the weights of a frozen version with all that is needed to play with
them: the network's description, the game and its rules, and, for the record, its
rating and how far its training was. The file is an agent everywhere an agent is
named: file:PATH.`,
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
	must(cmd.MarkFlagRequired("out"))
	cmd.MarkFlagsMutuallyExclusive("best", "version")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if o.format != "safetensors" {
			return usage("--format %s: the only format is safetensors", o.format)
		}
		return export(o, cmd.Flags().Changed("version"), cmd.OutOrStdout())
	})
	return cmd
}

func export(o exportOptions, byNumber bool, out io.Writer) error {
	if o.run == "" {
		newest, err := rundir.Newest("runs")
		if err != nil {
			return err
		}
		o.run = newest
	}
	info, err := rundir.ReadInfo(o.run)
	if err != nil {
		return err
	}
	ladder, err := league.ReadLadder(o.run)
	if err != nil {
		return err
	}
	name := learningAgent + "@" + strconv.FormatUint(o.version, 10)
	if !byNumber {
		best, found := ladder.Best()
		if name = best.Name; !found {
			return fmt.Errorf("run %s has no best version yet: name one with --version", o.run)
		}
	}
	data, err := frozenFrom(o.run)(context.Background(), name)
	if err != nil {
		return err
	}
	file, game, err := nn.Decode(data, games.New)
	if err != nil {
		return fmt.Errorf("version %s: %w", name, err)
	}
	metadata := maps.Clone(file.Metadata)
	metadata["agent"] = name
	metadata["run"] = info.ID
	for _, a := range ladder.Agents {
		if a.Name == name {
			metadata["rating"] = fmt.Sprintf("%.1f", a.Rating)
			metadata["rating_low"] = fmt.Sprintf("%.1f", a.Low)
			metadata["rating_high"] = fmt.Sprintf("%.1f", a.High)
			metadata["rating_games"] = strconv.FormatUint(a.Games, 10)
		}
	}
	exported, err := nn.NewFile(file.Network, game, metadata)
	if err != nil {
		return err
	}
	encoded, err := exported.Encode()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(o.out, encoded); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s of %s written to %s (%d weights, %d bytes)\n",
		name, o.run, o.out, len(file.Network.Weights), len(encoded))
	return nil
}

// frozenFrom reads frozen versions from a run directory.
func frozenFrom(dir string) func(context.Context, string) ([]byte, error) {
	return func(_ context.Context, name string) ([]byte, error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("run directory: %w", err)
		}
		defer root.Close()
		data, err := root.ReadFile(filepath.Join("population", name+".safetensors"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("run %s has no version %s", dir, name)
		}
		return data, err
	}
}
