// Package croupier is the program as a library: trainings of games by distributed self-play in a few lines of Go, with
// games of the caller's own.
//
//	app := croupier.New(standard.Games, croupier.Game(nim.Entry))
//	run, err := app.Train(ctx, croupier.Run{Game: "nim", For: 10 * time.Minute})
//	ladder, err := run.Ladder()
//	best, err := run.Best(ctx)
//	decision, err := best.Choose([]byte(`{"piles": [3, 4, 5]}`), 1)
//
// A game is a [catalog.Game]: an implementation of [engine.Game], and whatever else the game brings along.
// docs/guide/library.md names the packages that are meant for others; docs/guide/add-a-game.md describes how a game is
// written.
package croupier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"croupier/agents"
	"croupier/catalog"
	"croupier/cli"
	"croupier/cluster"
	"croupier/engine"
	"croupier/internal/reach"
	"croupier/league"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/policy"
	"croupier/settings"
)

// App is a program that knows some games. Goroutines may share it.
type App struct{ games *catalog.Catalog }

// Option is something that a program has besides the games of a catalog.
type Option func(*App)

// Game is a further game.
func Game(g catalog.Game) Option { return func(a *App) { a.games = a.games.With(g) } }

// Algorithm is a learning algorithm besides PPO and DQN, by a function that returns its usual settings. Trainings use
// it with learner.algorithm, and have its settings below learner, both under its name.
func Algorithm(settings func() train.Settings) Option {
	return func(a *App) { a.games = a.games.Learning(func() any { return settings() }) }
}

// New returns the program with the games of a catalog, such as standard.Games, and what else it has. nil is an empty
// catalog.
func New(games *catalog.Catalog, options ...Option) *App {
	if games == nil {
		games = catalog.New()
	}
	a := &App{games}
	for _, option := range options {
		option(a)
	}
	return a
}

// Games returns the games that the program knows.
func (a *App) Games() *catalog.Catalog { return a.games }

// Run is a training. The zero value but for Game trains until its context ends.
type Run struct {
	Game string // may be "" with Resume
	// Dir is the run directory, in which everything is kept; "": a new one below runs, or with Resume the newest there.
	Dir    string
	Resume bool          // a run that was begun before
	For    time.Duration // of training; then the newest version is rated. 0: no limit
	Games  uint64        // to train on, in all; 0: no limit
	// Set are settings, as croupier config GAME prints them: "learner.ppo.epochs=3", "rules.players=4".
	Set     []string
	Seed    uint64       // of the run; 0: that of the settings, 1
	Workers int          // that play; 0: one for each core
	Listen  string       // address of the page, "127.0.0.1:8080"; "": no page
	Log     *slog.Logger // nil: nothing is logged
}

// Train begins or resumes a training and returns when it is over: after For, after Games, or when ctx ends. Then
// everything is saved, and Resume continues from there. An error of type [*cluster.Invalid] says what is wrong with r.
func (a *App) Train(ctx context.Context, r Run) (*Trained, error) {
	changes := settings.Changes{Set: r.Set}
	if r.Seed != 0 {
		changes.Seed = &r.Seed
	}
	plan, err := cluster.Run{Catalog: a.games, Dir: r.Dir, Game: r.Game, Resume: r.Resume, Changes: changes}.Plan(ctx)
	if err != nil {
		return nil, err
	}
	o := cluster.Options{Length: r.For, Games: r.Games, Workers: r.Workers, Log: r.Log}
	if r.Listen != "" {
		if o.Page.Listener, err = reach.Listen(r.Listen); err != nil {
			return nil, fmt.Errorf("the page: %w", err)
		}
		defer o.Page.Listener.Close()
	}
	c, err := cluster.Open(ctx, plan, o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.Run(ctx); err != nil {
		return nil, err
	}
	return &Trained{app: a, dir: plan.Dir, game: plan.Game}, nil
}

// Serve shows the runs below a directory on a page, at which people also play and ask, until ctx ends. It listens at an
// address of this machine, "127.0.0.1:8080"; there is no login.
func (a *App) Serve(ctx context.Context, dir, listen string, log *slog.Logger) error {
	listener, err := reach.Listen(listen)
	if err != nil {
		return err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return cluster.RunsServer{Catalog: a.games, Dir: dir, Page: cluster.Page{Listener: listener}, Log: log}.Serve(ctx)
}

// Open returns the run in a directory.
func (a *App) Open(dir string) (*Trained, error) {
	config, err := settings.Read(a.games, dir)
	if err != nil {
		return nil, err
	}
	game, err := config.Build()
	if err != nil {
		return nil, err
	}
	return &Trained{app: a, dir: dir, game: game}, nil
}

// Trained is a run on disk.
type Trained struct {
	app  *App
	dir  string
	game engine.Game
}

// Dir returns the run directory.
func (t *Trained) Dir() string { return t.dir }

// Game returns the game under the run's rules.
func (t *Trained) Game() engine.Game { return t.game }

// Ladder is what is known of the strength of agents, as croupier ladder --json prints it.
type Ladder = messages.Ladder

// Ladder returns the agents of the run by their ratings, the strongest first.
func (t *Trained) Ladder() (*Ladder, error) { return league.ReadLadder(t.dir) }

// ErrNoBest reports that no version of the run has become the best yet.
var ErrNoBest = errors.New("no version of the run is the best yet")

// Best returns the version that last proved to be the best, as networks of the game play best. The error is [ErrNoBest]
// before the first.
func (t *Trained) Best(ctx context.Context) (*Agent, error) {
	ladder, err := t.Ladder()
	if err != nil && !errors.Is(err, league.ErrNoLadder) {
		return nil, err
	}
	best, found := ladder.Best()
	if !found {
		return nil, ErrNoBest
	}
	return t.Agent(ctx, agents.DefaultPlay(t.game.Spec(), best.Name))
}

// Agent returns an agent of the run by its name: a version, "main@12" or "greedy:main@12", or what [App.Agent] finds.
func (t *Trained) Agent(ctx context.Context, name string) (*Agent, error) {
	return t.app.agent(ctx, t.game, name, agents.FromRun(t.dir))
}

// Agent returns an agent of a game by its name: a bot of the game, "random", a solution such as "solver:optimal",
// "trained" for the network that the game brings along, "file:PATH" for an exported one. A game may have to be solved
// first.
func (a *App) Agent(ctx context.Context, game engine.Game, name string) (*Agent, error) {
	return a.agent(ctx, game, name, nil)
}

func (a *App) agent(ctx context.Context, game engine.Game, name string, frozen agents.Frozen) (*Agent, error) {
	player, err := agents.New(game, agents.Sources{Catalog: a.games, Frozen: frozen, Files: true, Levels: true}).Player(
		ctx, name)
	if err != nil {
		return nil, err
	}
	return &Agent{name: player.Name, game: game, newPolicy: player.Policy}, nil
}

// Agent plays a game. Goroutines may share it.
type Agent struct {
	name      string
	game      engine.Game
	newPolicy func() policy.Policy
}

// Name returns the agent's name.
func (a *Agent) Name() string { return a.name }

// Policy returns a player of the agent, which belongs to one goroutine.
func (a *Agent) Policy() policy.Policy { return a.newPolicy() }

// Decision is what an agent does in a position.
type Decision struct {
	Action int    // one of the legal ones
	Name   string // of the action, for people
	// Notes say what the position left open and was assumed.
	Notes []string
}

// Choose returns what the agent does in a position, JSON as [engine.PositionOf] reads it. An agent
// that mixes its actions draws by the seed. One with a memory gets the past where the position contains it, and
// else that nothing did.
func (a *Agent) Choose(position []byte, seed uint64) (*Decision, error) {
	state, past, notes, err := engine.PositionOf(a.game, position, engine.NewRNG(seed, 0))
	if err != nil {
		return nil, err
	}
	player, rng := a.newPolicy(), engine.NewRNG(seed, 1)
	player.Reset()
	if past != nil {
		if err := remember(player, a.game.NewState(), past, state.Player()); err != nil {
			return nil, fmt.Errorf("the past of the position: %w", err)
		}
	}
	action := player.Choose(state, state.LegalActions(nil), rng)
	return &Decision{Action: action, Name: state.ActionName(action), Notes: notes}, nil
}

// remember asks the player at the decisions that its seat has made, whatever it answers there.
func remember(player policy.Policy, s engine.State, past []int, seat int) error {
	rng := engine.NewRNG(0, 1)
	for _, step := range past {
		if s.Player() == seat {
			player.Choose(s, s.LegalActions(nil), rng)
		}
		if err := s.Apply(step); err != nil {
			return err
		}
	}
	return nil
}

// Main runs the command line with the app's games, as the command croupier does, on the standard streams, and returns
// the exit status: 0 done, 1 the work failed, 2 the command was called wrongly. It belongs at the beginning of main:
// the processes that a program starts of itself begin there as well.
func (a *App) Main(args []string) int { return cli.Main(a.games, args) }
