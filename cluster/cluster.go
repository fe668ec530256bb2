// Package cluster runs the roles of a run: all of them in one process ([Open]), or each in
// a process of its own ([Process.ServeActor] and its siblings). Both run the same code, and
// roles share nothing that could not cross a network.
//
// A [Run] says which run is meant, its [Plan] holds settings and game, and a [Cluster]
// works on it:
//
//	plan, err := cluster.Run{Game: "kuhn", Dir: "runs/evening"}.Plan(ctx)
//	c, err := cluster.Open(ctx, plan, cluster.Options{Games: 50_000})
//	defer c.Close()
//	err = c.Run(ctx)
//
// Errors name options like the flags of the command line: --resume, --metrics. A request
// that is wrong in itself gives an [Invalid].
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"croupier/actor"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/messages"
	"croupier/messages/bus/broker"
	"croupier/messages/curves"
	"croupier/web"
)

// Options configure a cluster in one process. The zero value trains until the context ends.
type Options struct {
	Length time.Duration // train this long, then rate the newest version; 0: no time limit
	Games  uint64        // train on this many games in all; 0: no limit on games
	// Processor ends the training when this process has used so much processor time for it, user and system,
	// on all cores; 0: no such limit. Only for new runs: what earlier calls have used is not on record.
	Processor time.Duration
	// Deterministic plays and trains in turn, so that the weights of every version follow from the seed and the
	// settings. The agent plays against itself alone; nothing of the league or the clock gets into its training.
	Deterministic bool
	// Until are goals, of which the first that is reached ends the training, or a length of it, as
	// [until.Parse] reads them.
	Until []string
	// Unrated leaves out the matches of the newest version that follow the training.
	Unrated bool
	// Rating bounds the time of these matches; 0: a third of the training of this call, and LeastRating at least.
	Rating  time.Duration
	Workers int // that play; 0: one per core
	Page    Page
	// TensorBoard is a folder in which the curves are written as an event file while they come; "": nowhere.
	TensorBoard string
	// KeepPage has the page continue after the run's own end, until ctx of [Cluster.KeepPage] ends.
	KeepPage bool
	Learners int // of each agent: a leader and its peers share its work; 0: one
	// Judge, unless nil, makes the command that calls this program with arguments: where there is a page, games that
	// the best version has lost are then judged while cores are idle, each time in a process of its own.
	Judge    func(args ...string) *exec.Cmd
	Broker   Broker // without a URL, a broker is embedded
	Embedded Embedded
	// OnPhase, unless nil, is called when a new phase of the run begins.
	OnPhase func(Phase)
	Log     *slog.Logger // nil: no log
}

// LeastRating is how long the last matches of a run may take, however short the training was.
const LeastRating = 10 * time.Second

// Cluster is a run with all its roles in this process.
type Cluster struct {
	*node
	plan     *Plan
	o        Options
	embedded *broker.Broker
	claim    *rundir.Claim
	working  *working
	broker   Broker // how the roles reach it

	clock   *schedule
	goals   goals
	phase   atomic.Value // Phase
	rating  lastRating
	agents  []*trainee // the main one first
	league  *league.League
	actor   *actor.Actor
	feed    *web.Feed
	judging *judging
	pages   http.Handler
	serving *serving
}

// Open claims the run directory, starts or reaches the broker and makes the roles. A failed
// call leaves no new run directory behind.
func Open(ctx context.Context, plan *Plan, o Options) (*Cluster, error) {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	id := processID(messages.ActorRole)
	if o.Deterministic {
		id = lockStepActor // the games' seeds depend on it
	}
	c := &Cluster{plan: plan, o: o, serving: newServing(ctx), node: &node{
		id:   id,
		game: plan.Game, config: plan.Settings, dir: plan.Dir, weights: plan.weights,
		registry: newRegistry(), metricsAddress: o.Page.address(), log: o.Log,
		files: o.Broker.URL == "" && o.Embedded.Listen == "" && !plan.noFiles,
	}}
	c.warnForeign()
	var err error
	err = errors.Join(c.parseGoals(), c.checkDeterministic())
	if err == nil && !c.files {
		err = plan.checkNamed(false)
	}
	if err != nil {
		c.serving.end()
		return nil, err
	}
	if c.claim, err = plan.claim(append(c.learners(messages.LearnerOf), messages.LeagueRole)...); err != nil {
		c.serving.end()
		return nil, err
	}
	if err = c.startBroker(); err == nil {
		err = c.guarded(ctx, c.prepare)
	}
	if err == nil && o.TensorBoard != "" {
		if c.events, err = curves.OpenEvents(o.TensorBoard); err != nil {
			err = fmt.Errorf("--tensorboard: %w", err)
		}
	}
	if err != nil {
		c.serving.end()
		c.disconnect()
		c.claim.Abandon()
		return nil, err
	}
	return c, nil
}

// Close disconnects from the broker, stops an embedded one and releases the run directory.
// Run must have returned.
func (c *Cluster) Close() {
	c.serving.end()
	c.disconnect()
	c.claim.Release()
}

// guarded runs do for as long as the embedded broker works.
func (c *Cluster) guarded(ctx context.Context, do func(ctx context.Context) error) error {
	if c.embedded == nil {
		return do(ctx)
	}
	group, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group.Go(func() error { return watchBroker(ctx, c.embedded.Stopped, c.embedded.Healthy) })
	group.Go(func() error { defer cancel(); return do(ctx) })
	return group.Wait()
}

// disconnect closes the bus and stops the embedded broker, if they exist.
func (c *Cluster) disconnect() {
	if c.working != nil {
		c.working.release()
	}
	if c.bus != nil {
		if err := c.bus.Close(); err != nil {
			c.log.Debug("experience was on its way", "error", err)
		}
	}
	if c.embedded != nil {
		c.embedded.Shutdown()
		os.Remove(c.broker.Credentials)
	}
}

// prepare connects to the broker and makes the roles. Once all of them are ready, it saves
// the configuration.
func (c *Cluster) prepare(ctx context.Context) (err error) {
	opts := c.broker.options(trainRole, c.config.Run, c.node)
	if c.embedded != nil {
		opts.InProcess = c.embedded
	}
	end := func(err error) { c.log.Error("another learner has raised the run's schema", "error", err) }
	if err := c.connect(ctx, c.serving.ctx, opts, end); err != nil {
		return err
	}
	c.clock = &schedule{length: c.o.Length, games: c.o.Games, processor: c.o.Processor}
	if c.working, err = c.start(ctx, !c.plan.resume, c.roles()...); err != nil {
		return err
	}
	_, c.clock.before = c.Trained()
	c.clock.played = func() uint64 { games, _ := c.Trained(); return games }
	c.watchRoom(c.serving.ctx)
	if c.o.Page.Listener != nil {
		c.judging = newJudging(c.config.Catalog(), c.o.Judge, func() []*View { return []*View{c.view()} }, c.log)
	}
	c.feed, c.pages = c.newWeb(c.serving.ctx, c.o.Page, c.judging)
	return c.save(ctx)
}

// roles are those of the whole run: its learners, the main one first, and those that work until its last matches are
// rated.
func (c *Cluster) roles() (roles []role) {
	progress := c.clock.progress
	if !c.clock.bounded() {
		progress = nil // the learner uses its horizon
	}
	all := c.config.League.Learning()
	for _, a := range all {
		how := training{resume: c.plan.resume, progress: progress, lockStep: c.o.Deterministic, games: c.o.Games}
		if len(all) > 1 {
			how.workers = workersOf(a, all)
		}
		if c.o.Learners > 1 {
			how.workers = max(1, cmp.Or(how.workers, runtime.GOMAXPROCS(0))/c.o.Learners)
		}
		roles = append(roles, c.learnerRole(a, how, func(t *trainee) { c.agents = append(c.agents, t) }))
		for range c.o.Learners - 1 {
			roles = append(roles, c.peerRole(a, how.workers, true))
		}
	}
	actorRole := roleOf(func(context.Context) (*actor.Actor, error) { return c.newActor() },
		func(a *actor.Actor) { c.actor = a })
	return append(roles,
		c.leagueRole(func(l *league.League) { c.league = l }),
		actorRole, c.archiverRole(), c.curvesRole(), c.schemaRole(),
		role{run: c.watchActor}, role{run: c.watchLearning, trains: true}, role{run: c.serving.failure},
	)
}

// Run runs the roles until ctx or the run ends, or one of them fails; call it only once. At
// the run's own end the newest version plays its last matches, unless ctx ends first.
func (c *Cluster) Run(ctx context.Context) error {
	if err := rundir.Begin(c.dir, c.o.Until...); err != nil {
		return err
	}
	defer c.reach(c.broker)()
	c.servePages()
	err := c.train(ctx)
	if err == nil {
		err = rundir.End(c.dir, c.Reached(), growing()...)
	}
	if err == nil && c.o.KeepPage && ctx.Err() == nil {
		return c.tellEnd()
	}
	return errors.Join(err, c.stopPages())
}

// learners names the learner of each agent.
func (c *Cluster) learners(name func(agent string) string) (names []string) {
	for _, a := range c.config.League.Learning() {
		names = append(names, name(a.Name))
	}
	return names
}

// train has the roles work until ctx or the training ends, and then the newest version play its last matches.
func (c *Cluster) train(ctx context.Context) error {
	c.clock.begin()
	c.enter(Training)
	trained := func(all context.Context) bool { return c.await(ctx, all) }
	last := func(all context.Context) error { return c.rate(ctx, all) }
	if c.o.Unrated {
		last = nil
	}
	if err := c.working.run(ctx, trained, last); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// rate has the newest version play its last matches, unless ctx ends first.
func (c *Cluster) rate(ctx, all context.Context) error {
	within := c.rating.begin(c.ratingTime(c.clock.elapsed()))
	c.enter(Rating)
	c.feed.Plan(c.course())
	finishing, cancel := context.WithCancel(all)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	left, err := finishRating(finishing, c.league, within)
	if errors.Is(err, errRatingStuck) {
		c.o.Log.Error("the run ends without its last rating; croupier train --resume rates the newest version",
			"error", err)
		return nil
	}
	c.rating.left.Store(left)
	return err
}

// ratingGrace is how long the last rating may take after its time to publish what there is.
const ratingGrace = time.Minute

var errRatingStuck = errors.New("the last rating did not end, though its time is up: the broker accepts nothing, " +
	"for example since its disk is full")

// finishRating has a league play its last matches. A league that waits for its broker longer than ratingGrace after the
// time within is errRatingStuck.
func finishRating(ctx context.Context, l interface {
	Finish(ctx context.Context, within time.Duration) (left uint64, err error)
}, within time.Duration) (left uint64, err error) {
	bounded, cancel := context.WithTimeoutCause(ctx, within+ratingGrace, errRatingStuck)
	defer cancel()
	left, err = l.Finish(bounded, within)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(bounded), errRatingStuck) {
		err = errRatingStuck
	}
	return left, err
}

// ratingTime is how long the last rating may take after so long a training.
func (c *Cluster) ratingTime(trained time.Duration) time.Duration {
	if c.o.Rating > 0 {
		return c.o.Rating
	}
	return max(LeastRating, trained/3)
}

// Unplayed returns how many games, at most, the last rating has left unplayed because its time was up.
func (c *Cluster) Unplayed() uint64 { return c.rating.left.Load() }

// await waits for the end of training and reports whether the run came to its own end.
func (c *Cluster) await(ctx, all context.Context) (finished bool) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return false
		case <-all.Done():
			return false
		case <-ticker.C:
			if c.clock.bounded() && c.clock.progress() >= 1 {
				return true
			}
			if n%lookEvery == 0 {
				c.feed.Plan(c.course())
				if c.look() {
					return true
				}
			}
		}
	}
}

// Ladder returns the run's ladder as people are shown it, nil until something has been rated.
func (c *Cluster) Ladder() (*messages.Ladder, error) {
	ladder, err := league.ReadLadder(c.dir)
	if errors.Is(err, league.ErrNoLadder) {
		return nil, nil
	}
	return ladder.InCoin(c.game.Spec()), err
}

// Trained returns the games that the main agent was trained on and the time spent training, in this process and
// before it.
func (c *Cluster) Trained() (games uint64, length time.Duration) { return c.agents[0].learner.Totals() }

// WeightsSum returns the SHA-256 of the main agent's weights, float32 in little-endian order, once training has ended.
func (c *Cluster) WeightsSum() string { return c.agents[0].learner.WeightsSum() }

// ProcessorTime returns the processor time that this process has used since training began.
func (c *Cluster) ProcessorTime() time.Duration { return c.clock.used() }

// Weights returns the file of the newest weights that the learner has published, or of their average. It works until
// Close.
func (c *Cluster) Weights(ctx context.Context) ([]byte, error) {
	entry, err := c.bus.State().Get(ctx, messages.PointerKey(messages.LearningAgent))
	if err != nil {
		return nil, fmt.Errorf("newest weights: %w", err)
	}
	var pointer messages.Pointer
	if err := messages.Decode(entry.Value, &pointer); err != nil {
		return nil, fmt.Errorf("newest weights: %w", err)
	}
	object, _ := pointer.Lasting()
	return c.bus.GetObject(ctx, object)
}

// Metrics returns the metrics of all roles.
func (c *Cluster) Metrics() prometheus.Gatherer { return c.registry }
