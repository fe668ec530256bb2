package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"croupier/internal/durable"
)

func newGamesAddCommand(p program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add FILE",
		Short: "Keep a game from a file for all commands",
		Long: `Add keeps a copy of a game's file, which then is known to all commands by the game's name. A
game of that name that was added before is replaced; runs keep the file with which they
began. The copies are in the folder croupier/games of the user's configuration, or in the one
that the environment variable CROUPIER_GAMES names.`,
		Example: `  croupier games add ./connect-four.wasm`,
		Args:    cobra.ExactArgs(1),
	}
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		game, err := p.openFile(args[0])
		if err != nil {
			return err
		}
		folder := gamesFolder()
		if folder == "" {
			return errors.New("there is no folder for added games: set " + gamesVariable)
		}
		if err := durable.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		if err := durable.WriteFile(addedGame(folder, game.Name), game.File.Bytes()); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is added.\n", game.Name)
		return err
	})
	return cmd
}

func newGamesRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a game that was added",
		Long:    `Remove deletes the copy of a game's file that croupier games add has made.`,
		Example: `  croupier games remove connect-four`,
		Args:    cobra.ExactArgs(1),
	}
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		name, folder := args[0], gamesFolder()
		err := fs.ErrNotExist
		if folder != "" && !strings.ContainsAny(name, `/\`) {
			err = os.Remove(addedGame(folder, name))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return usage("no game %q was added", name)
		}
		if err == nil {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is removed.\n", name)
		}
		return err
	})
	return cmd
}

// addedGame is where the file of an added game is.
func addedGame(folder, name string) string { return filepath.Join(folder, name+gameFile) }
