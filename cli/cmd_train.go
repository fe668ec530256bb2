package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"croupier/cluster"
	"croupier/internal/plural"
	"croupier/league/rating"
)

// trainOptions are the flags of croupier train.
type trainOptions struct {
	cluster.Run
	cluster.Options
	settings settingsFlags
	page     pageFlags
	broker   brokerFlags
	log      logFlags
}

func newTrainCommand(p program) *cobra.Command {
	o := trainOptions{Run: cluster.Run{Catalog: p.catalog}}
	cmd := &cobra.Command{
		Use:   "train [GAME]",
		Short: "Train an agent by self-play: a whole cluster in one process",
		Long: `Train starts a broker, actors, a learner, a league and a web page in this process and
trains an agent for the game until Ctrl-C, until the limit of --for, --games or --processor-time, or
until a goal of --until. Ctrl-C saves everything and exits with status 0; so does a closed terminal,
unless nohup ignores it. At a limit or a goal the newest version first plays its last arena matches,
for at most --rate; agents that they cannot tell apart share places. At the end train prints the
ladder, what was saved where, and how to continue. --keep-page keeps the page after that.

GAME is the name of a game, the path of one that is a file ("croupier help guide/own-games"), or exec:COMMAND,
a program that is one ("croupier help guide/game-programs"), as in every command that takes a game.

--until ends the training when it has come far enough; of several, at the first that holds:
  plateau[=SIZE]       versions gain less than SIZE, in the ladder's unit, per doubling of the
                       training time (default: a twentieth of all that they have gained)
  rating=X             the newest version or the best is rated X at least
  beats=AGENT          the newest version or the best beats an agent; one that the game's ladder does not
                       have, such as file:PATH, joins the ladder of this run
  exploitability=X     the newest version can lose X at most per game (small games)
  2h                   as --for
The probability that a goal is wrongly declared reached is at most 5 %, however often it is checked.
The status estimates when goals will be reached.

All state is in the run directory, and --resume continues from it. --set and --config
change settings; --algo dqn trains action values instead of a policy.

With --family, or rules with a key family, training games are at many tables, which differ in the
number of players, the length and the switches of the rules. The agent then plays at all of them,
and the league measures it at the default table ("croupier help guide/families").

With --from FILE the agent begins with the weights of a network, of the same game and with the same
layers: one that was trained under the default rules continues on a family (--from trained --family).
What the network does not observe begins without influence.

With --league FILE, several agents learn, each with a learner of its own: the main one, and
others that look for its weaknesses or for those of the whole population. They share the cores
by their declared shares.

With --deterministic, games and updates take turns, and the same seed, settings and --games give
the same weights to the last bit, whatever else the machine does, on processors whose kernels
have the same bits (croupier --version); their SHA-256 is printed at the end. The agent then
plays against itself alone. It takes longer, because nothing is done at the same time.

With --nats-listen, other machines help: croupier actor and croupier contribute connect there to
play, and croupier learner --join to share the work of the learner, each with a key of its own.
The keys are in the folder credentials of the run directory, or where --credentials says; croupier
broker credentials add makes another during the training. An address beyond this machine needs TLS
(--nats-tls-cert, --nats-tls-key), so that nobody on the way reads or changes games, weights and
settings, or --insecure.

Standard output has the run directory, the address of the page, the status (live on a terminal,
otherwise a line every ten seconds) and at the end the ladder. Log lines go to
standard error. With --quiet there is no status, and only errors are logged. With
--json-logs everything but the ladder is in the log, one JSON object per line, and the
ladder is one JSON object.`,
		Example: `  croupier train bank
  croupier train bank --for 10m --run runs/evening
  croupier train --resume --run runs/evening
  croupier train kuhn --until exploitability=0.01 --until 10m
  croupier train ./connect-four.wasm --for 10m
  croupier train pig --algo dqn --for 5m
  croupier train bank --league league.yaml --for 10m
  croupier train bank --nats-listen 0.0.0.0:4222 --nats-tls-cert broker.pem --nats-tls-key broker.key
  croupier train kuhn --deterministic --games 200000 --seed 7
  croupier train kuhn --for 2m --set learner.learning_rate_start=0.002`,
		Args: cobra.MaximumNArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "run", "", "run directory (default runs/GAME-<start time>; with --resume the newest)")
	f.BoolVar(&o.Resume, "resume", false, "continue the run in the run directory")
	f.StringVar(&o.From, "from", "", "network whose weights the agent begins with: a file from export, or \"trained\"")
	f.DurationVar(&o.Length, "for", 0, "train for this long, then rate and stop (default: until Ctrl-C)")
	f.StringArrayVar(&o.Until, "until", nil,
		"end at the first goal: plateau[=SIZE], rating=X, exploitability=X, beats=AGENT or 2h; may be repeated")
	f.Uint64Var(&o.Games, "games", 0, "stop after this many training games in all")
	f.DurationVar(&o.Processor, "processor-time", 0,
		"stop after this much processor time of all cores, user and system; programs (exec:, openspiel:) are not counted")
	f.DurationVar(&o.Rating, "rate", 0,
		"limit on the time of the last arena matches (default: a third of the training, and 10s at least)")
	f.BoolVar(&o.Deterministic, "deterministic", false,
		"play and train in turn, so that --seed and the settings determine the weights (needs --games or no length; slower)")
	f.IntVar(&o.Workers, "actors", runtime.GOMAXPROCS(0), "workers that play, each on its own core")
	f.IntVar(&o.Learners, "learners", 1,
		"learners that share the work of each agent and the cores; weights are those of one, unless learner.group says weights")
	o.page.add(cmd, "page", "; \"off\" for none")
	f.BoolVar(&o.KeepPage, "keep-page", false, "keep the page after the training, until Ctrl-C")
	f.StringVar(&o.TensorBoard, "tensorboard", "",
		"folder for the curves in TensorBoard's format, written during the training; steps are training samples")
	o.settings.add(f, p.catalog)
	o.broker.add(f)
	f.StringVar(&o.Embedded.Listen, "nats-listen", "", "HOST:PORT where actors of other machines connect, with keys")
	f.StringVar(&o.Embedded.Keys, "credentials", "",
		"public file of the credential set for --nats-listen (default RUN/credentials/broker.yaml, made if there is none)")
	f.StringVar(&o.Embedded.TLS.Cert, "nats-tls-cert", "",
		"PEM file with the certificate of --nats-listen; read again when it changes")
	f.StringVar(&o.Embedded.TLS.Key, "nats-tls-key", "", "PEM file with the key of --nats-tls-cert")
	f.Lookup("insecure").Usage = "open the page, or --nats-listen, to other machines though it lacks TLS, or the page a login"
	o.log.addWithStatus(f)
	group(f, lengthFlags, "for", "until", "games", "processor-time", "rate")
	group(f, pageGroup, "keep-page")
	group(f, runFlags, "run", "resume", "actors", "learners", "deterministic")
	group(f, networkFlags, "nats-listen", "credentials", "nats-tls-cert", "nats-tls-key")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		o.Changes = o.settings.changes(cmd)
		if len(args) == 1 {
			o.Game = args[0]
		}
		return train(cmd, &o, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

// check refuses flags that make no sense.
func (o *trainOptions) check() error {
	if o.Rating < 0 {
		return usage("--rate %s: it cannot be negative", o.Rating)
	}
	if o.Workers < 1 {
		return usage("--actors %d: at least one is needed", o.Workers)
	}
	if o.Learners < 1 || o.Learners > 64 {
		return usage("--learners %d: 1 to 64 are possible", o.Learners)
	}
	if o.Length < 0 {
		return usage("--for %v: it must not be negative", o.Length)
	}
	if o.Processor < 0 {
		return usage("--processor-time %v: it must not be negative", o.Processor)
	}
	if o.Processor > 0 && o.Resume {
		return usage("--processor-time is for new runs: what earlier calls have used is not on record")
	}
	if o.KeepPage && (o.page.listen == "off" || o.Length == 0 && o.Games == 0 && o.Processor == 0 && len(o.Until) == 0) {
		return usage("--keep-page: it needs a page, and training that ends by itself (--for, --until, --games or --processor-time)")
	}
	if err := o.checkListen(); err != nil {
		return err
	}
	return o.broker.check()
}

// checkListen refuses what does not fit --nats-listen, and to open it to other machines without TLS, unless that is
// what is wanted.
func (o *trainOptions) checkListen() error {
	e := &o.Embedded
	switch {
	case e.Listen == "" && e.Keys != "":
		return usage("--credentials is for the keys of those who connect at --nats-listen, which is not given")
	case e.Listen == "" && (e.TLS.Cert != "" || e.TLS.Key != ""):
		return usage("--nats-tls-cert and --nats-tls-key are for --nats-listen, which is not given")
	case e.Listen == "":
		return nil
	case o.broker.URL != "":
		return usage("--nats-listen is for the broker in this process; with --nats there is none")
	case (e.TLS.Cert == "") != (e.TLS.Key == ""):
		return usage("--nats-tls-cert and --nats-tls-key belong together")
	}
	open, err := beyond("--nats-listen", e.Listen)
	if err != nil || !open || e.TLS.Cert != "" || o.page.insecure {
		return err
	}
	return usage("--nats-listen %s opens the run to other machines: add --nats-tls-cert and --nats-tls-key for TLS; "+
		"or --insecure, if nobody on the way can read or change what they send", e.Listen)
}

// train runs the whole cluster in this process. A call that fails before training
// begins leaves no new run directory behind.
func train(cmd *cobra.Command, o *trainOptions, out, errOut io.Writer) error {
	ctx := cmd.Context()
	if err := o.check(); err != nil {
		return err
	}
	screen := newConsole(out, !o.log.quiet && !o.log.json)
	log, err := o.log.logger(screen.logs(errOut))
	if err != nil {
		return err
	}
	plan, err := o.Plan(ctx)
	if err != nil {
		return err
	}
	moved := false
	if o.page.listen != "off" {
		if o.log.json {
			out = io.Discard // a token is shown to people only
		}
		if o.Page, moved, err = o.page.open(cmd, out, log); err != nil {
			return err
		}
		defer o.Page.Listener.Close()
	}
	status := newStatus(screen, o.log, log)
	o.Broker, o.Log, o.OnPhase, o.Judge = o.broker.Broker, log, status.enter, again()
	c, err := cluster.Open(ctx, plan, o.Options)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer c.Close()
	o.announce(c, plan.Dir, moved, screen, out)
	if err := status.during(c, func() error { return c.Run(ctx) }); err != nil {
		return err
	}
	if err := o.printLadder(c, screen); err != nil && !screen.gone(err) {
		return err
	}
	o.farewell(c, plan, screen)
	if !o.KeepPage || ctx.Err() != nil {
		return nil
	}
	return c.KeepPage(ctx)
}

// farewell reports what was saved, and what can be done with it.
func (o *trainOptions) farewell(c *cluster.Cluster, plan *cluster.Plan, screen *console) {
	games, trained := c.Trained()
	ladder, err := c.Ladder()
	best, found := ladder.Best()
	if o.log.json {
		o.Log.Info("training ended", "dir", plan.Dir, "games", games, "trained", trained, "best", best.Name,
			"reached", c.Reached())
		return
	}
	if o.log.quiet || err != nil {
		return
	}
	name := "no version is best yet"
	if found {
		name = "best " + best.Name
	}
	if reached := c.Reached(); reached != "" {
		fmt.Fprintf(screen, "\nThe goal is reached, %s.", reached)
	}
	if left := c.Unplayed(); left > 0 {
		fmt.Fprintf(screen, "\nThe time for the last rating ran out with at most %s left to play; --rate 10m allows more.",
			plural.Of(left, "game"))
	}
	run, game := quoted(plan.Dir), plan.Settings.Game
	if games == 0 {
		fmt.Fprint(screen, "\nStopped before training began. To continue:\n")
	} else {
		fmt.Fprintf(screen, "\nTrained for %s on %s; %s. Everything is saved in %s.\n",
			trained.Round(time.Second), plural.Of(games, "game"), name, plan.Dir)
		if o.Deterministic {
			fmt.Fprintf(screen, "The weights have the SHA-256 %s.\n", c.WeightsSum())
		}
		fmt.Fprintf(screen, "  croupier play %s --run %s\n", game, run)
		fmt.Fprintf(screen, "  croupier web --runs %s\n", quoted(filepath.Dir(plan.Dir)))
	}
	fmt.Fprintf(screen, "  croupier train --resume --run %s\n", run)
	if o.KeepPage && o.Page.Listener != nil {
		fmt.Fprintf(screen, "The page stays at %s until Ctrl-C.\n", o.Page.URL())
	}
}

// quoted writes a path for the shell.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+=@%:,", r)
	}) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// announce reports where the run is.
func (o *trainOptions) announce(c *cluster.Cluster, dir string, moved bool, screen *console, out io.Writer) {
	broker, keys := c.Listening()
	url := ""
	if o.Page.Listener != nil {
		url = o.Page.URL()
	}
	if o.log.json {
		o.Log.Info("training begins", "dir", dir, "url", url, "nats", broker, "credentials", keys)
		return
	}
	fmt.Fprintf(screen, "Run directory  %s\n", dir)
	if url != "" {
		url = o.page.address(o.Page, "", out)
	}
	if moved {
		url += fmt.Sprintf(" (%s is taken)", o.page.listen)
	}
	if url != "" {
		fmt.Fprintf(screen, "Web page       %s\n", url)
	}
	if broker != "" {
		fmt.Fprintf(screen, "Other machines %s, with keys of %s\n", broker, quoted(keys))
	}
}

// printLadder prints the run's ladder, if it has one yet.
func (o *trainOptions) printLadder(c *cluster.Cluster, screen *console) error {
	ladder, err := c.Ladder()
	if err != nil || ladder == nil {
		return err
	}
	if o.log.json {
		return json.NewEncoder(screen).Encode(ladder)
	}
	return rating.Render(screen, ladder, rating.Style{Width: screen.width()})
}
