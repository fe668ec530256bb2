package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"croupier/internal/login"
)

func newPasswdCommand() *cobra.Command {
	var users string
	cmd := &cobra.Command{
		Use:   "passwd NAME",
		Short: "Put a user of the page with a password into a file for --users",
		Long: `Passwd asks for the password of a user of the web page, and writes a line with its bcrypt
hash to the file of --users, instead of any line of that user. The file is made if there
is none. A page that runs takes the change within a second; other sessions of that user
end. Taking a line away with an editor ends those of its user. Standard input is read if
it is not a terminal: its first line is the password.`,
		Example: `  croupier web passwd ann --users page-users
  croupier web --users page-users --listen 0.0.0.0:8443 --https-cert page.pem --https-key page.key`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&users, "users", "", "file with the users")
	must(cmd.MarkFlagRequired("users"))
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		password, err := readNewPassword(cmd.InOrStdin(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		if err := login.SetPassword(users, args[0], password); err != nil {
			return fmt.Errorf("--users: %w", err)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s can log in to pages that are started with --users %s\n", args[0], users)
		return nil
	})
	return cmd
}

// readNewPassword asks twice for a password on a terminal, without showing it, and reads a line of anything else.
func readNewPassword(in io.Reader, prompt io.Writer) (string, error) {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(in, 1<<10)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	var typed [2]string
	for i, question := range []string{"Password: ", "Again: "} {
		fmt.Fprint(prompt, question)
		text, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(prompt)
		if err != nil {
			return "", err
		}
		typed[i] = string(text)
	}
	if typed[0] != typed[1] {
		return "", usage("the two passwords are not the same")
	}
	return typed[0], nil
}
