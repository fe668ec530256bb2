package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/cluster"
)

func newCredentialsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "credentials",
		Short: "Make the credential with which roles prove themselves to the broker",
		Long: `Credentials makes a new key pair (a NATS nkey, Ed25519) and prints it as two lines of
an environment file. CROUPIER_NKEY is public: it goes to the brokers (--nkey).
CROUPIER_SEED is the secret: put it into a file of its own and give that to every other
role (--creds FILE). It never travels over the network.`,
		Example: `  croupier credentials >> deploy/.env`,
		Args:    cobra.NoArgs,
	}
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		return writeOutput("-", cmd.OutOrStdout(), printCredentials)
	})
	return cmd
}

func printCredentials(w io.Writer) error {
	public, seed, err := cluster.NewUser()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "CROUPIER_NKEY=%s\nCROUPIER_SEED=%s\n", public, seed)
	return err
}
