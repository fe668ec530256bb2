// Package agents turns names into players: bots, solutions, frozen versions of a run,
// files, and networks that look ahead. It also measures networks against exact answers and
// plays tournaments between agents.
package agents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"croupier/agents/external"
	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/family"
	"croupier/internal/input"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
	"croupier/solver/solutions"
)

// Agents finds the players of one game by name:
//
//	random             every legal action with equal probability
//	expert             a level of the game (see Levels), where Sources permit it
//	threshold(100)     a bot of the game
//	solver:optimal     a solution of the game, if there is one
//	main@12            a frozen version of the run
//	trained            the network that comes with the program for the rules
//	file:PATH          an exported network, or a table written by solve
//	greedy:main@12     a network that always takes its likeliest action; also
//	                   temperature(T):… (see policy.Temperature). Without either it
//	                   draws from the distribution it was trained to
//	search:main@12     a network that looks ahead; also search(DEPTH):… and
//	                   search(DEPTH,SAMPLES):…
//	exec:COMMAND       a program of anybody's, http://HOST/PATH a server (package external);
//	                   they live as long as the context with which they are asked for
//
// It is an player.Resolver and may be shared by goroutines.
type Agents struct {
	game     engine.Game
	entry    catalog.Game // what the catalog has of the game
	sources  Sources
	solved   *solutions.Cache
	trained  func() shipped
	compared func() recordedComparison
	outside  outside
}

// Sources are where agents come from besides the game itself.
type Sources struct {
	// Catalog has what games bring along: solutions, a trained network and a comparison of agents. nil has nothing.
	Catalog *catalog.Catalog
	// Frozen returns the file of a frozen version; nil if there is no run.
	Frozen Frozen
	// Files permits names of the form file:PATH. It is only for callers entitled to read
	// any file that this process can read, which names from a network or a web page are
	// not.
	Files bool
	// Levels permits names of levels, such as expert. They are for people: an agent that is recorded has its own name.
	Levels bool
	// Programs permits names of the form exec:COMMAND, which runs the command, and http://HOST,
	// which asks the server. It is only for callers entitled to do what this process can do.
	Programs bool
}

// Frozen returns the file of a frozen version by its name.
type Frozen func(ctx context.Context, name string) ([]byte, error)

// New returns the agents of a game.
func New(game engine.Game, sources Sources) *Agents {
	entry := sources.Catalog.Of(game)
	a := &Agents{game: game, entry: entry, sources: sources, solved: solutions.NewCache(entry)}
	a.trained = sync.OnceValue(a.findTrained)
	a.compared = sync.OnceValue(func() recordedComparison {
		c, here, err := entry.Compared(game)
		return recordedComparison{c, here, err}
	})
	return a
}

// Game returns the game of the agents.
func (a *Agents) Game() engine.Game { return a.game }

// Entry returns what the catalog has of the game.
func (a *Agents) Entry() catalog.Game { return a.entry }

// Solutions returns the solutions of the game under its rules, as [solutions.Of] does.
func (a *Agents) Solutions() []catalog.Solution { return solutions.Of(a.entry, a.game) }

// FromBus reads frozen versions from a run's population.
func FromBus(b bus.Bus) Frozen {
	return func(ctx context.Context, name string) ([]byte, error) {
		agent, number, ok := messages.ParseMemberName(name)
		if !ok {
			return nil, errors.New("it does not look like main@12")
		}
		entry, err := b.State().Get(ctx, messages.MemberKey(agent, number))
		if errors.Is(err, bus.ErrNotFound) {
			return nil, fmt.Errorf("the run has no version %s, or no longer its weights: %w", name, err)
		}
		if err != nil {
			return nil, err
		}
		var member messages.Member
		if err := messages.Decode(entry.Value, &member); err != nil {
			return nil, err
		}
		data, err := b.GetObject(ctx, member.Object)
		if err != nil {
			return nil, err
		}
		return data, checkSum(name, data, member.Sha256)
	}
}

// FromRun reads frozen versions from a run directory.
func FromRun(dir string) Frozen {
	return func(_ context.Context, name string) ([]byte, error) {
		if _, _, ok := messages.ParseMemberName(name); !ok {
			return nil, &NameError{errors.New("it does not look like main@12")}
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("run directory: %w", err)
		}
		defer root.Close()
		// Runs of older programs have no list.
		doc, err := regular.ReadIn(root, rundir.MembersFile, nn.MaxFileBytes)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		list, _ := messages.ParseMembers(doc)
		data, err := regular.ReadIn(root, rundir.VersionFile(name), nn.MaxFileBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &NameError{missing(dir, name, list)}
		}
		if err != nil {
			return nil, err
		}
		for _, m := range list.Kept {
			if m.Name == name {
				return data, checkSum(name, data, m.Sha256)
			}
		}
		return data, nil
	}
}

// missing reports why a run has no weights of a version.
func missing(dir, name string, list messages.MemberList) error {
	if slices.ContainsFunc(list.Dropped, func(m messages.DroppedMember) bool { return m.Name == name }) {
		return fmt.Errorf("run %s no longer has the weights of version %s (league.keep_members says which are kept)", dir,
			name)
	}
	return fmt.Errorf("run %s has no version %s", dir, name)
}

// checkSum reports when the file of a version is not the one that was frozen.
func checkSum(name string, data, sum []byte) error {
	if got := sha256.Sum256(data); !bytes.Equal(got[:], sum) {
		return fmt.Errorf("version %s: its file has the SHA-256 %x…, %.4x… was frozen", name, got[:4], sum)
	}
	return nil
}

// readFile reads an agent's file.
func (a *Agents) readFile(path string) ([]byte, error) {
	if !a.sources.Files {
		return nil, &NameError{errors.New("files are not read here")}
	}
	data, err := regular.Read(path, nn.MaxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		err = &NameError{err}
	}
	return data, err
}

// Player implements player.Resolver. The error is a *NameError where the name stands for no agent here.
func (a *Agents) Player(ctx context.Context, name string) (*player.Player, error) {
	if a.sources.Levels {
		name = a.Resolve(name)
	}
	t, agent, err := policy.CutTemperature(name)
	if err != nil {
		return nil, &NameError{fmt.Errorf("agent %s: %w", name, err)}
	}
	if agent == name {
		return a.player(ctx, name)
	}
	if err := checkTemperature(agent); err != nil {
		return nil, &NameError{fmt.Errorf("agent %s: %w", name, err)}
	}
	p, err := a.player(ctx, agent)
	if err != nil {
		return nil, err
	}
	if err := setTemperature(p, name, t); err != nil {
		return nil, &NameError{fmt.Errorf("agent %s: %w", name, err)}
	}
	return p, nil
}

// player finds an agent by a name without a temperature.
func (a *Agents) player(ctx context.Context, name string) (*player.Player, error) {
	p := &player.Player{Name: name, Temperature: policy.Sampled}
	var err error
	switch kindOf(name) {
	case "file":
		var data []byte
		if data, err = a.readFile(strings.TrimPrefix(name, "file:")); err == nil {
			err = a.open(p, data)
		}
		if err != nil {
			err = fmt.Errorf("agent %s: %w", name, err)
		}
	case "search":
		p.NewPolicy, err = a.searching(ctx, name)
	case "external":
		p.NewPolicy, err = a.external(ctx, name)
	case "trained":
		p.Network, err = a.trained().network, a.trained().err
	case "solver":
		p.NewPolicy, err = a.exact(ctx, name)
	case "network":
		if a.sources.Frozen == nil {
			return nil, &NameError{fmt.Errorf("agent %s: a version of a run needs --run", name)}
		}
		var data []byte
		if data, err = a.sources.Frozen(ctx, name); err == nil {
			sum := sha256.Sum256(data)
			p.SHA256 = sum[:]
			p.Network, err = a.decode(data)
		}
		if err != nil {
			err = fmt.Errorf("agent %s: %w", name, err)
		}
	default:
		p.NewPolicy, err = a.bot(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// kindOf derives an agent's kind from its name without a temperature: bot, solver, network, file,
// trained, search or external.
func kindOf(name string) string {
	switch {
	case external.Is(name):
		return "external"
	case isSearch(name):
		return "search"
	case strings.HasPrefix(name, "file:"):
		return "file"
	case strings.HasPrefix(name, catalog.SolutionPrefix):
		return "solver"
	case strings.Contains(name, "@"):
		return "network"
	case name == Trained:
		return "trained"
	}
	return "bot"
}

// Kind derives an agent's kind from its name, in the words of the ladder: bot, solver or
// network.
func Kind(name string) string {
	if _, network, err := policy.CutTemperature(name); err == nil {
		name = network
	}
	switch kind := kindOf(name); kind {
	case "file", "search", "trained":
		return "network"
	case "external":
		return "bot"
	default:
		return kind
	}
}

// open makes the player of a file: an exported network or a solver's table.
func (a *Agents) open(p *player.Player, data []byte) (err error) {
	text, notText := input.Text(data) // a network may begin as such a text does
	for _, format := range a.sources.Catalog.Formats() {
		content := data
		if format.Text {
			content = text
		}
		if (format.Text && notText != nil) || !format.Is(content) {
			continue
		}
		p.NewPolicy, err = exactly(format.Read(a.game, content))
		return err
	}
	if p.Network, err = a.decode(data); err != nil && notText != nil {
		return notText
	}
	return err
}

func (a *Agents) bot(ctx context.Context, name string) (func() policy.Policy, error) {
	if solutions.Has(a.entry, a.game, name) {
		return a.exact(ctx, name)
	}
	if name == policy.RandomName {
		return func() policy.Policy { return policy.Random{} }, nil
	}
	b, err := a.game.Bots().New(name)
	if err != nil {
		return nil, a.misnamed(name, err)
	}
	return func() policy.Policy { return policy.Bot(b) }, nil
}

// exact returns a solution's policies; the first call for each solution solves the game.
func (a *Agents) exact(ctx context.Context, name string) (func() policy.Policy, error) {
	if _, err := solutions.Find(a.entry, a.game, name); err != nil {
		return nil, &NameError{fmt.Errorf("agent %s: %w", name, err)}
	}
	factory, err := exactly(a.solved.Get(ctx, a.game, name))
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", name, err)
	}
	return factory, nil
}

// exactly turns a solver's factory into a factory of policies.
func exactly(factory func() policy.Stochastic, err error) (func() policy.Policy, error) {
	return func() policy.Policy { return factory() }, err
}

// Network implements player.Resolver.
func (a *Agents) Network(data, sum []byte) (*nn.Network, error) {
	if got := sha256.Sum256(data); !bytes.Equal(got[:], sum) {
		return nil, fmt.Errorf("its SHA-256 is %x, not %x", got[:8], sum)
	}
	return a.decode(data)
}

// decode reads a network file, which must be for this game under these rules.
func (a *Agents) decode(data []byte) (*nn.Network, error) {
	file, game, err := nn.Decode(data, a.sources.Catalog.New)
	if err != nil {
		return nil, err
	}
	if f, is := game.(*family.Game); is {
		encoding, err := f.Encoding(a.game)
		if err != nil {
			return nil, err
		}
		return file.Network.At(encoding), nil
	}
	if engine.RulesHash(game) != engine.RulesHash(a.game) {
		return nil, fmt.Errorf("it is for %s, not %s", describe(game), describe(a.game))
	}
	return file.Network, nil
}

// describe names a game with its rules.
func describe(g engine.Game) string {
	rules, err := json.Marshal(g.Rules())
	if err != nil || string(rules) == "{}" {
		return g.Spec().Name
	}
	return g.Spec().Name + " " + string(rules)
}

// References names the fixed agents on every ladder of the game: random, the game's
// bots, its solutions and the network that comes with the program for it.
func (a *Agents) References() []string {
	names := append([]string{policy.RandomName}, a.game.Bots().References...)
	for _, s := range a.Solutions() {
		if !s.Part {
			names = append(names, s.Agent)
		}
	}
	if a.HasTrained() {
		names = append(names, DefaultPlay(a.game.Spec(), Trained))
	}
	return names
}

// StrongestBot names the bot of a game's ladders that was the strongest of them in the recorded
// comparison: whose worst result against another of them is best. It is random if none was
// compared. Its rating is 0 on every ladder of the game that has it: it never changes, so that curves have no
// steps, and trained networks have games against it that are neither all won nor all lost, so that it adds little to
// the error of their ratings; random, which soon never wins, would add the most.
func (a *Agents) StrongestBot() string {
	recorded, _, err := a.Compared()
	if err != nil {
		return policy.RandomName
	}
	best, most := policy.RandomName, math.Inf(-1)
	for _, bot := range a.game.Bots().References {
		worst := math.Inf(1) // against another of them
		for _, other := range a.game.Bots().References {
			if m, met := recorded.Between(bot, other); met {
				worst = min(worst, m.Mean)
			}
		}
		if !math.IsInf(worst, 1) && worst > most {
			best, most = bot, worst
		}
	}
	return best
}
