package cli

import (
	"github.com/spf13/cobra"
)

func newConfigCommand(p program) *cobra.Command {
	var flags settingsFlags
	cmd := &cobra.Command{
		Use:   "config GAME",
		Short: "Print the settings with which a game is trained",
		Long: `Config prints the effective configuration of a training run: the built-in defaults of
the game with the given changes applied. The output can be used as a --config file.`,
		Example: `  croupier config bank > bank.yaml
  croupier config leduc --set learner.ppo.epochs=2`,
		Args: cobra.ExactArgs(1),
	}
	flags.add(cmd.Flags(), p.catalog)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		c, err := p.configured(cmd.Context(), args[0], flags.changes(cmd))
		if err != nil {
			return err
		}
		if _, err := c.Build(); err != nil {
			return usage("%w", err)
		}
		doc, err := c.Encode()
		if err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(doc)
		return err
	})
	return cmd
}
