// Package actor plays games: training games whose histories it publishes as
// experience, and arena matches whose results it publishes.
//
// Terms:
//
//   - A player.Player is an agent with fixed weights. It never changes inside a game.
//   - A table is one game in progress. A room is all the tables of one worker;
//     the decisions of all tables that wait for the same network are one batch.
//   - A worker plays one room on one core, or on a part of it. An actor process has several.
//   - A link to a learner is what its agent's training games need. A worker plays those of one link; a core that several
//     agents share has a worker for each.
//   - The policy pool of a link keeps the newest weights, the matchmaking table and the players.
//
// The caller provides a Bus, a game and a player.Resolver, and runs [Actor.Run].
package actor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/internal/strict"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/presence"
	"croupier/messages/roles"
	"croupier/player"
)

// Config are the settings of an actor.
type Config struct {
	// Tables is the number of games that one worker plays at the same time. More
	// make larger batches and slower games.
	Tables int `yaml:"tables"`
	// ArenaShare is the share of a worker's time that serves arena matches while there are any, and of all time while
	// training games wait for a learner that is at work on the same cores.
	ArenaShare float64 `yaml:"arena_share"`
	// Backlog is the number of experience batches waiting for the learner above
	// which no training games are started: experience that waits goes stale.
	Backlog int `yaml:"backlog"`
}

// DefaultConfig returns settings for small networks on a few cores.
func DefaultConfig() Config {
	return Config{
		Tables:     64,   // a batch large enough for the matrix kernels, games of a second or less
		ArenaShare: 0.25, // the ladder moves without starving the learner
		Backlog:    8,    // about one iteration of the learner
	}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.Tables < 1 || c.Tables > 4096:
		return strict.Errorf("tables", "%d is not in 1..4096", c.Tables)
	case !(c.ArenaShare > 0 && c.ArenaShare <= 1):
		return strict.Errorf("arena_share", "%v is not above 0 and at most 1", c.ArenaShare)
	case c.Backlog < 1:
		return strict.Errorf("backlog", "%d is less than 1", c.Backlog)
	}
	return nil
}

// Options of an actor.
type Options struct {
	roles.Common // Dir is for the journals
	Resolver     player.Resolver
	Config       Config
	Keeping      Keeping
	ID           string // of the process, a token: the subject of all that it publishes
	Start        string // a part without "-" that no other start of a process of this ID has
	Name         string // what the owner calls the process, shown on the Cluster page; "" for nothing
	// Agents are the learning agents, each of which has its share of the cores.
	Agents []Agent
	// LockStep, unless nil, is for an actor with a single learning agent and at least two workers.
	LockStep *LockStep
	// TrainingOnly: it plays no arena matches.
	TrainingOnly bool
	Workers      int // cores that play
}

// Actor is one actor process.
type Actor struct {
	opts    Options
	metrics *metrics
	links   []*learnerLink // by agent
	dealt   [][]part       // by core
	counts  counts
	matches chan *lease
	recent  recentMatches
	started time.Time
}

// New checks the options.
func New(opts Options) (*Actor, error) {
	if err := opts.Config.Validate(); err != nil {
		return nil, fmt.Errorf("actor: %w", err)
	}
	if opts.Workers < 1 {
		return nil, fmt.Errorf("actor: %d workers", opts.Workers)
	}
	if len(opts.Agents) == 0 {
		return nil, errors.New("actor: no agent to play for")
	}
	if err := messages.CheckToken(opts.ID); err != nil {
		return nil, fmt.Errorf("actor id: %w", err)
	}
	last := messages.WorkerName(opts.ID, opts.Start, opts.Workers+len(opts.Agents)-2)
	if messages.CheckToken(last) != nil || messages.ActorOf(last) != opts.ID {
		return nil, fmt.Errorf("actor id: invalid name %q", last)
	}
	a := &Actor{opts: opts, metrics: newMetrics(opts.Registerer), matches: make(chan *lease), started: time.Now()}
	a.deal()
	return a, nil
}

// Run plays until ctx ends, then closes in good order and returns nil.
func (a *Actor) Run(ctx context.Context) error {
	if a.opts.Dir != "" {
		if err := sweepJournals(a.opts.Dir); err != nil {
			a.opts.Log.Warn("old journals stay", "error", err)
		}
		if damaged := damagedJournals(a.opts.Dir); len(damaged) > 0 {
			a.opts.Log.Warn("what workers have produced before is not known: their files are damaged", "files", len(damaged),
				"first", damaged[0])
		}
	}
	group, inner := errgroup.WithContext(ctx)
	for _, l := range a.links {
		group.Go(func() error { return l.pool.follow(inner) })
		group.Go(func() error { return a.watchBacklog(inner, l) })
	}
	if !a.opts.TrainingOnly {
		group.Go(func() error { return a.fetchMatches(inner, bus.Matches) })
		group.Go(func() error { return a.followAssigned(inner) })
		group.Go(func() error { a.fetchContests(inner); return nil })
	}
	group.Go(func() error { return a.heartbeat(inner) })
	number := 0
	for _, parts := range a.dealt {
		first := number
		number += len(parts)
		group.Go(func() error {
			c, err := a.newCore(first, parts)
			if err != nil {
				return err
			}
			return c.run(inner)
		})
	}
	err := group.Wait()
	for _, l := range a.links {
		l.pool.close()
	}
	if ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())) {
		return nil
	}
	return err
}

// newCore makes the workers of a core, which are numbered from first.
func (a *Actor) newCore(first int, parts []part) (*core, error) {
	c := &core{rota: newRota(parts)}
	for i, p := range parts {
		w, err := a.newWorker(first+i, p)
		if err != nil {
			return nil, err
		}
		c.workers = append(c.workers, w)
	}
	return c, nil
}

func (a *Actor) newWorker(i int, p part) (*worker, error) {
	o := a.opts
	id := messages.WorkerName(o.ID, o.Start, i)
	j, err := openJournal(o.Dir, id)
	if err != nil {
		return nil, err
	}
	purpose, lane := messages.TrainPurpose(id), a.links[p.agent]
	var inStep *round
	matches := a.matches
	if o.LockStep != nil && i == 0 {
		inStep, matches = &round{LockStep: *o.LockStep}, nil
	}
	return &worker{
		inStep:     inStep,
		arenaOnly:  o.LockStep != nil && i > 0,
		actor:      id,
		purpose:    purpose,
		runSeed:    o.RunSeed,
		spec:       o.Game.Spec(),
		room:       newRoom(o.Config.Tables, o.TrainingGames()...),
		arena:      newRoom(o.Config.Tables, o.Game),
		link:       lane,
		out:        newExperience(o.Bus, j, a.metrics, o.Run, id, lane.agent, o.TrainingGames()...),
		kept:       newArchiveOffers(o.Keeping, o.Bus, a.metrics, o.Run, id, o.Game, o.TrainingGames()...),
		journal:    j,
		work:       matches,
		bus:        o.Bus,
		log:        o.Log.With("actor", id),
		metrics:    a.metrics,
		counts:     &a.counts,
		arenaShare: o.Config.ArenaShare,
		part:       p.weight,
		draw:       engine.NewRNG(engine.GameSeed(o.RunSeed, purpose, math.MaxUint64), engine.ActionStream),
	}, nil
}

// maxPrepared bounds the matches that are held while their players are loaded.
const maxPrepared = 4

// fetchMatches hands the matches of a queue to free workers, one at a time, so that a match is
// not held by a process that has no worker for it. Matches whose players have to be
// loaded do not hold up the others.
func (a *Actor) fetchMatches(ctx context.Context, queue bus.Stream) error {
	consumer, err := a.opts.Bus.Consume(ctx, queue, messages.ArenaConsumer, "")
	if err != nil {
		return fmt.Errorf("arena: %w", err)
	}
	defer consumer.Close()
	hash := engine.RulesHash(a.opts.Game)
	var preparing errgroup.Group
	preparing.SetLimit(maxPrepared)
	for ctx.Err() == nil {
		fetched, err := consumer.Fetch(ctx, 1, time.Second)
		if err != nil && ctx.Err() == nil {
			a.opts.Log.Debug("no matches fetched", "error", err)
			sleep(ctx, time.Second)
		}
		for _, m := range fetched {
			match := a.check(ctx, m, hash)
			switch {
			case match == nil:
			case queue == bus.Matches && !a.recent.begin(match.Id) && m.Deliveries() == 1:
				a.leave(ctx, m)
			case a.arena().known(match.A) != nil && a.arena().known(match.B) != nil:
				a.prepare(ctx, m, match)
			default:
				preparing.Go(func() error {
					a.prepare(ctx, m, match)
					return nil
				})
			}
		}
	}
	return preparing.Wait()
}

// leave acknowledges a match that this actor has begun when it was given by name.
func (a *Actor) leave(ctx context.Context, m bus.Message) {
	if err := m.Ack(ctx); err != nil {
		a.opts.Log.Debug("match not acknowledged", "match", m.Subject(), "error", err)
	}
}

// check decodes a match. What can never be played is acknowledged and counted.
func (a *Actor) check(ctx context.Context, m bus.Message, rules [8]byte) *messages.Match {
	match := &messages.Match{}
	err := messages.Decode(m.Data(), match)
	if err == nil {
		err = checkMatch(match, a.opts.Run, rules)
	}
	if err == nil {
		return match
	}
	a.metrics.matches.WithLabelValues(matchRefused).Inc()
	a.opts.Log.Error("match refused", "match", m.Subject(), "error", err)
	if err := m.Ack(ctx); err != nil {
		a.opts.Log.Debug("refused match not removed", "match", m.Subject(), "error", err)
	}
	return nil
}

// prepare finds a match's players and waits for a free worker, renewing the lease from now on: however long a turn
// takes, it runs out only once the process is gone. A match that cannot be played here, or not any more, is given back.
func (a *Actor) prepare(ctx context.Context, m bus.Message, match *messages.Match) {
	release := a.hold(m, match.Id)
	l, err := a.lease(ctx, m, match)
	if err == nil {
		l.release = release
		select {
		case a.matches <- l:
			return
		case <-ctx.Done():
		}
	}
	release()
	a.recent.forget(match.Id)
	outcome, delay := matchReturned, time.Duration(0)
	if ctx.Err() == nil {
		outcome, delay = matchFailed, time.Second
		a.opts.Log.Warn("match given back: no such player here", "match", match.Id, "error", err)
	}
	a.metrics.matches.WithLabelValues(outcome).Inc()
	if err := m.Nak(delay); err != nil {
		a.opts.Log.Debug("match not given back; its lease runs out", "match", match.Id, "error", err)
	}
}

// lease finds the players of a match.
func (a *Actor) lease(ctx context.Context, m bus.Message, match *messages.Match) (*lease, error) {
	first, err := a.arena().player(ctx, match.A)
	if err != nil {
		return nil, err
	}
	second, err := a.arena().player(ctx, match.B)
	if err == nil {
		err = errors.Join(checkWeights(first, match.ASha256), checkWeights(second, match.BSha256))
	}
	if err != nil {
		return nil, err
	}
	tournament, _, contest := strings.Cut(m.Subject(), ".")
	if !contest {
		tournament = ""
	}
	return &lease{message: m, match: match, tournament: tournament, a: first, b: second}, nil
}

// hold renews a match's lease until the returned function is called.
func (a *Actor) hold(m bus.Message, id string) (release func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(leaseTick)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
				if err := m.InProgress(); err != nil {
					a.opts.Log.Warn("lease not renewed", "match", id, "error", err)
				}
			}
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// heartbeat publishes that the actor lives and how it does.
func (a *Actor) heartbeat(ctx context.Context) error {
	process := a.opts.Process(messages.ActorRole, a.opts.ID)
	process.Name, process.Started = a.opts.Name, a.started
	var games, decisions uint64
	last := a.started
	return process.Run(ctx, func(context.Context) presence.State {
		g, d, now := a.counts.games.Load(), a.counts.decisions.Load(), time.Now()
		elapsed := now.Sub(last).Seconds()
		s := a.status()
		s.Values["games"], s.Values["games_per_second"] = float64(g), float64(g-games)/elapsed
		s.Values["decisions"], s.Values["decisions_per_second"] = float64(d), float64(d-decisions)/elapsed
		games, decisions, last = g, d, now
		return s
	}, func(err error) { a.opts.Log.Debug("heartbeat not sent", "error", err) })
}

// status is what a heartbeat says, but for games and decisions.
func (a *Actor) status() presence.State {
	s := presence.State{Words: "playing", Values: map[string]float64{
		"matches": float64(a.counts.matches.Load()), messages.Workers: float64(a.opts.Workers),
	}}
	learners, paused := 0, 0
	for _, l := range a.links {
		p := l.pool.learner.Load()
		if p == nil {
			continue
		}
		learners++
		if l.paused.Load() {
			paused++
		}
		if l == a.links[0] {
			s.Values["version"] = float64(p.Version)
		}
	}
	switch {
	case learners == 0:
		s.Words = "waiting for weights"
	case a.counts.unwritten.Load() > 0:
		s.Words = "journal cannot be written"
	case paused == learners:
		s.Words = "waiting for the learner"
	}
	return s
}

// Progress is what an actor has done since it began.
type Progress struct {
	Games   uint64 // finished ones
	Version uint64 // of the first learning agent's weights, 0 before there are any
	Words   string // playing, or what it waits for
}

// Progress returns what the actor has done so far.
func (a *Actor) Progress() Progress {
	s := a.status()
	return Progress{Games: a.counts.games.Load(), Version: uint64(s.Values["version"]), Words: s.Words}
}

// Accounts returns the State keys of the learners' accounts of this actor's workers.
func (a *Actor) Accounts() (keys []string) {
	number := 0
	for _, parts := range a.dealt {
		for _, p := range parts {
			keys = append(keys, messages.LedgerKey(messages.WorkerName(a.opts.ID, a.opts.Start, number), a.links[p.agent].agent))
			number++
		}
	}
	return keys
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
