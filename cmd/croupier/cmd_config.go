package main

import (
	"io"

	"github.com/spf13/cobra"
)

func newConfigCommand() *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:   "config GAME",
		Short: "Print the settings with which a game is trained",
		Long: `Config prints the effective configuration of a training run: the built-in defaults of
the game with the given changes. The output is a file for --config.`,
		Example: `  croupier config bank > bank.yaml
  croupier config leduc --set learner.ppo.epochs=2`,
		Args: cobra.ExactArgs(1),
	}
	flags.add(cmd.Flags())
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		flags.seedGiven = cmd.Flags().Changed("seed")
		return printConfig(args[0], &flags, cmd.OutOrStdout())
	})
	return cmd
}

func printConfig(game string, flags *configFlags, out io.Writer) error {
	c, err := defaultConfig(game)
	if err != nil {
		return err
	}
	if err := flags.apply(c); err != nil {
		return err
	}
	if _, err := c.build(); err != nil {
		return usage("%v", err)
	}
	doc, err := c.encode()
	if err != nil {
		return err
	}
	_, err = out.Write(doc)
	return err
}
