package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/messages/bus"
)

// Runs finds the runs of a server: the one that it is about, or all below a directory.
type Runs interface {
	// Find returns the run of an ID. An empty ID means the run that the server is about; where it
	// is about none, as with a directory of runs, the result is nil without an error.
	Find(ctx context.Context, id string) (*View, error)
	// Newest returns the run whose versions are asked about a game where no run is named and the
	// server is about none: the newest that is of the game under its rules, nil if there is none.
	Newest(ctx context.Context, game engine.Game) (*View, error)
}

// View is a run as the pages see it that serve every run. It may be shared by goroutines. Nil is
// no run: there are then no versions and no ladder.
type View struct {
	ID   string
	Game engine.Game // under the run's rules
	Dir  string      // run directory; "" where it is not on this machine

	frozen agents.Frozen
	ladder func(context.Context) (*messages.Ladder, error)
}

// Ladder returns the run's ladder, nil without an error until something has been rated.
func (s *View) Ladder(ctx context.Context) (*messages.Ladder, error) {
	if s == nil {
		return nil, nil
	}
	return s.ladder(ctx)
}

// Sources are where agents come from on a page, which must not read files of this machine: the
// versions of the run.
func (s *View) Sources(games *catalog.Catalog) agents.Sources {
	if s == nil {
		return agents.Sources{Catalog: games}
	}
	return agents.Sources{Catalog: games, Frozen: s.frozen}
}

// view returns the node's run. It reads from the bus, because the directory may be on another machine.
func (s *node) view() *View {
	dir := s.dir
	if info, err := rundir.ReadInfo(dir); err != nil || info.ID != s.config.Run {
		dir = ""
	}
	return &View{ID: s.config.Run, Game: s.game, Dir: dir, frozen: agents.FromBus(s.bus), ladder: s.ladder}
}

// ladder reads the run's ladder from the bus.
func (s *node) ladder(ctx context.Context) (*messages.Ladder, error) {
	entry, err := s.bus.State().Get(ctx, messages.LadderKey)
	if errors.Is(err, bus.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ladder: %w", err)
	}
	ladder, err := messages.ParseLadder(entry.Value)
	if err != nil {
		return nil, fmt.Errorf("read the ladder: %w", err)
	}
	return ladder, nil
}

// oneRun is the Runs of a server that is about one.
type oneRun struct{ run *View }

func (o oneRun) Find(_ context.Context, id string) (*View, error) {
	if id != "" && id != o.run.ID {
		return nil, fmt.Errorf("there is no run %.80q here, only %s", id, o.run.ID)
	}
	return o.run, nil
}

// Newest implements Runs: the server is about this run alone.
func (o oneRun) Newest(context.Context, engine.Game) (*View, error) { return nil, nil }

// maxKnownRules bounds how many games with rules, of how many runs, a resolvers remembers.
const maxKnownRules = 32

// resolvers keeps the agents of games with their solutions and networks, which take long to make.
type resolvers struct {
	games *catalog.Catalog
	mutex sync.Mutex
	known map[resolverKey]*agents.Agents
}

type resolverKey struct {
	run   string
	rules [8]byte // engine.RulesHash
}

// of returns the agents of a game, among them the versions of the run; nil is no run.
func (r *resolvers) of(run *View, game engine.Game) *agents.Agents {
	key := resolverKey{rules: engine.RulesHash(game)}
	if run != nil {
		key.run = run.ID
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if known := r.known[key]; known != nil {
		return known
	}
	if r.known == nil || len(r.known) == maxKnownRules {
		r.known = map[resolverKey]*agents.Agents{}
	}
	r.known[key] = agents.New(game, run.Sources(r.games))
	return r.known[key]
}
