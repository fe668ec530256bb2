package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"croupier/cluster"
	"croupier/internal/rundir"
	"croupier/messages"
)

func newBrokerCredentialsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "credentials",
		Short: "Make, change and revoke the keys of roles",
		Long: `Credentials makes the keys (NATS nkeys, Ed25519) of a cluster. Create makes a set for one
run in a folder: broker.yaml, which holds only public keys and goes to every broker
(croupier broker --credentials), and a file with the secret of each role and actor, which
goes to that role (--creds FILE) and nowhere else; it never travels over the network. The
brokers let each key do what its role needs, and nothing else. After add, rotate, retire
and revoke, give every broker the new broker.yaml: it is read again within a second.

Without a subcommand it makes a single key pair for a broker (--nkey) whose roles all may do
everything, and prints it as two lines of an environment file.`,
		Example: `  croupier broker credentials create credentials --run runs/evening --actors 3
  croupier broker credentials add credentials actor-4
  croupier broker credentials revoke credentials actor-4
  croupier broker credentials`,
		Args: cobra.NoArgs,
	}
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		return writeOutput("-", cmd.OutOrStdout(), printCredentials)
	})
	cmd.AddCommand(newCreateCredentialsCommand(), newAddCredentialCommand(),
		newChangeCredentialCommand("rotate", "Replace a key; the old one is valid until retire",
			"give %[1]s the new %[2]s; then retire the old key\n", (*cluster.CredentialSet).Rotate),
		newChangeCredentialCommand("retire", "End the validity of the key before the rotation",
			"the old key of %[1]s is no longer valid\n", (*cluster.CredentialSet).Retire),
		newChangeCredentialCommand("revoke", "Revoke a key for ever and disconnect its clients",
			"the key of %[1]s is no longer valid\n", (*cluster.CredentialSet).Revoke))
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

func newCreateCredentialsCommand() *cobra.Command {
	var run string
	var actors int
	cmd := &cobra.Command{
		Use:   "create FOLDER --run RUN",
		Short: "Make a credential set for a run",
		Long: `Create makes a folder with a key for the operator (who may do everything), the learner, the
league, the web page and a number of actors, actor-1 and so on, of one run. The last
element of --run names the run on the broker, as for the roles.`,
		Example: `  croupier broker credentials create credentials --run runs/evening --actors 3`,
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&run, "run", "", "run directory of the run that the keys are for; it need not exist")
	cmd.Flags().IntVar(&actors, "actors", 1, "number of actors to make keys for")
	must(cmd.MarkFlagRequired("run"))
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		id, err := rundir.ID(run)
		if err != nil {
			return usage("--run: %w", err)
		}
		if actors < 0 {
			return usage("--actors %d: it must not be negative", actors)
		}
		names := make([]string, actors)
		for i := range names {
			names[i] = fmt.Sprintf("actor-%d", i+1)
		}
		set, err := cluster.CreateCredentials(args[0], id, names...)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%d keys for the run %s in %s\n", len(set.Keys.Keys), id, set.Dir)
		return nil
	})
	return cmd
}

func newAddCredentialCommand() *cobra.Command {
	roles := []struct{ flag, role, usage string }{
		{"contributor", cluster.ContributorRole, "make it the key of a contributor"},
		{"leaf", cluster.LeafRole, "make it the key of a leaf broker"},
		{"peer", messages.PeerRole, "make it the key of a learner that joins another"},
		{"arena", messages.ArenaRole, "make it a key for holding tournaments"},
		{"sweep", messages.SweepRole, "make it a key for sweeps that distribute trainings"},
		{"sweeper", messages.SweeperRole, "make it the key of a worker that plays trainings of sweeps"},
	}
	wanted := make([]bool, len(roles))
	cmd := &cobra.Command{
		Use:   "add FOLDER NAME",
		Short: "Make the key of another actor",
		Long: `Add makes a key for an actor, whose id in the run is the name. A contributor's key plays
training games and nothing else. A leaf's key is for a leaf broker (croupier broker --leaf-of),
and may do what actors may under any name. A peer's key is for learners that share the work of
the run's learner (croupier learner). An arena's key is for tournaments that are held on
the run's actors (croupier arena --nats). A sweep's key is for croupier sweep FILE --nats, a
sweeper's for one of the workers that train for it (croupier sweep --worker).`,
		Example: `  croupier broker credentials add credentials actor-4
  croupier broker credentials add credentials alice --contributor
  croupier broker credentials add credentials there --leaf
  croupier broker credentials add credentials desk --peer
  croupier broker credentials add credentials cup --arena
  croupier broker credentials add credentials cellar --sweeper`,
		Args: cobra.ExactArgs(2),
	}
	var flags []string
	for i, r := range roles {
		cmd.Flags().BoolVar(&wanted[i], r.flag, false, r.usage)
		flags = append(flags, r.flag)
	}
	cmd.MarkFlagsMutuallyExclusive(flags...)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		role := messages.ActorRole
		if i := slices.Index(wanted, true); i >= 0 {
			role = roles[i].role
		}
		return changeCredentials(cmd, args, "%[1]s: its secret is in %[2]s\n",
			func(s *cluster.CredentialSet, name string) error { return s.Add(name, role) })
	})
	return cmd
}

// newChangeCredentialCommand returns a command that changes one key of a set; said is its
// answer, about the name and the file with the secret.
func newChangeCredentialCommand(use, short, said string, change func(*cluster.CredentialSet,
	string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " FOLDER NAME", Short: short, Args: cobra.ExactArgs(2),
		Long:    short + ".\nGive every broker the new broker.yaml: it is read again within a second.",
		Example: "  croupier broker credentials " + use + " credentials actor-4",
	}
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error { return changeCredentials(cmd, args, said, change) })
	return cmd
}

func changeCredentials(cmd *cobra.Command, args []string, said string,
	change func(*cluster.CredentialSet, string) error) error {
	set, err := cluster.OpenCredentials(args[0])
	if err == nil {
		err = change(set, args[1])
	}
	if err != nil {
		return err
	}
	seed := set.Seed(args[1])
	_, err = fmt.Fprintf(cmd.OutOrStdout(), said, args[1], seed)
	return err
}
