package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"croupier/cluster"
	"croupier/settings"
)

// exportOptions are the flags of croupier export.
type exportOptions struct {
	program
	run     string
	version uint64
	agent   string
	game    string
	format  string
	out     string
}

func newExportCommand(p program) *cobra.Command {
	o := exportOptions{program: p}
	var best bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a network to a file, for this program or for others",
		Long: `Export writes the weights of a frozen version with all that is needed to play with
them: the network's description, the game and its rules, and, for the record, its
rating and how long it had trained. Wherever an agent is named, file:PATH names this
one as it was trained, which draws its actions; greedy:file:PATH takes the likeliest
one. Export says which of them is stronger in the game, and of the best version why it is
the best.

--agent writes the network of an agent of --game instead, such as "trained", the one that
comes with the program. --format onnx writes a model for the runtimes of other languages,
with the legal actions and the memory as inputs. --format html writes one page in which
people play with the network, on a phone and without a server. --format wasm writes one
WebAssembly module that holds the game and the network, for programs in any language
("croupier help guide/export").`,
		Example: `  croupier export --run runs/evening --best --out bank.safetensors
  croupier arena file:bank.safetensors "threshold(100)" --game bank --games 3000
  croupier export --agent trained --game tysiac --format onnx --out tysiac.onnx
  croupier export --run runs/first --format html --out tic-tac-toe.html
  croupier export --run runs/first --format wasm --out tic-tac-toe-agent.wasm`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "run directory (default: the newest below runs)")
	f.BoolVar(&best, "best", false, "the version that passed the gate last (the default)")
	f.Uint64Var(&o.version, "version", 0, "the frozen version of this number, as in main@12")
	f.StringVar(&o.agent, "agent", "", "the agent with this name instead, under the default rules of --game")
	f.StringVar(&o.game, "game", "", "game of --agent")
	f.StringVar(&o.format, "format", string(cluster.Safetensors), "file format: safetensors, onnx, html or wasm")
	f.StringVar(&o.out, "out", "", `file to write, "-" for standard output`)
	must(cmd.MarkFlagRequired("out"))
	cmd.MarkFlagsMutuallyExclusive("best", "version", "agent")
	cmd.MarkFlagsRequiredTogether("agent", "game")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if !slices.Contains(cluster.Formats, cluster.Format(o.format)) {
			return usage("--format %s: it is not safetensors, onnx, html or wasm", o.format)
		}
		if cmd.Flags().Changed("version") && o.version == 0 {
			return usage("--version 0: versions are counted from 1")
		}
		return export(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

func export(ctx context.Context, o exportOptions, out, errOut io.Writer) error {
	var done *cluster.Exported
	err := makeOutput(o.out, out, func(path string) (err error) {
		done, err = writeNetwork(ctx, o, path)
		return err
	})
	if err != nil {
		return err
	}
	if isStream(o.out) {
		out, done.Plays = errOut, ""
	}
	name := done.Agent
	if done.Run != "" {
		name += " of " + done.Run
	}
	fmt.Fprintf(out, "%s written to %s (%d weights, %d bytes).", name, outputName(o.out), done.Weights, done.Bytes)
	if done.Plays != "" {
		fmt.Fprintf(out, " It plays best as %s", done.Plays)
	}
	if done.Best != "" {
		fmt.Fprintf(out, "\n%s", done.Best)
	}
	_, err = fmt.Fprintln(out)
	return err
}

// writeNetwork writes the file at path.
func writeNetwork(ctx context.Context, o exportOptions, path string) (*cluster.Exported, error) {
	if o.agent == "" {
		run, err := givenOrNewest(o.run)
		if err != nil {
			return nil, err
		}
		return cluster.Export(ctx, o.catalog, run, o.version, cluster.Format(o.format), path)
	}
	game, err := settings.GameUnder(ctx, o.catalog, o.game, "")
	if err != nil {
		return nil, usage("--game: %w", err)
	}
	return cluster.ExportAgent(ctx, o.catalog, o.agentsOf(game, o.run), o.agent, cluster.Format(o.format), path)
}
