package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"croupier/agents"
	"croupier/audit"
	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/settings"
)

// Contest has the matches of a tournament played by the actors of a run that is at work, next to its league, which
// learns nothing of them. Of the run it takes the game and its agents.
type Contest struct {
	Config *settings.Config
	Game   engine.Game
	Agents *agents.Agents // of the run, as its actors know them

	node     *node
	name     string                                        // on the broker
	audit    func(context.Context, *messages.Result) error // nil: none
	verifier *messages.Verifier                            // of games, with mu

	mu      sync.Mutex
	waiting map[string]chan outcome // by match
}

// outcome is what came for a match.
type outcome struct {
	actor  string
	result *messages.Result
	err    error
}

const (
	// contestPatience is after how long a match without result is asked for again. A dead actor's comes to another one
	// sooner, when its lease runs out.
	contestPatience = 2 * time.Minute
	// contestRefusals is how many results of a match may be refused.
	contestRefusals = 8
	// withdrawTime bounds the removal of what a tournament has left on the broker.
	withdrawTime = 5 * time.Second
)

// Hold connects to the run's broker, calls hold with a contest that deals by the seed, and removes from the broker what
// is left of it.
func (p Process) Hold(ctx context.Context, seed uint64, hold func(context.Context, *Contest) error) error {
	return endable(ctx, func(ctx context.Context, end func(error)) error {
		p.Metrics.Address = "off"
		s, release, err := p.open(ctx, end, messages.ArenaRole, nil)
		if err != nil {
			return err
		}
		defer release()
		return s.newContest(seed).hold(ctx, hold)
	})
}

func (s *node) newContest(seed uint64) *Contest {
	c := &Contest{
		Config: s.config, Game: s.game, Agents: agents.New(s.game, agents.Sources{Catalog: s.config.Catalog(),
			Frozen: agents.FromBus(s.bus)}),
		node: s, name: "arena-" + randomID(), waiting: map[string]chan outcome{},
		verifier: messages.NewVerifier(s.game, s.config.Run, seed),
	}
	if share := s.config.Conduct.AuditShare; share > 0 {
		c.audit = audit.Match(audit.MatchOptions{Game: s.game, Resolver: c.Agents, RunSeed: seed, Share: share})
	}
	return c
}

// hold reads outcomes while hold works.
func (c *Contest) hold(ctx context.Context, hold func(context.Context, *Contest) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	info, err := c.node.bus.Info(ctx, bus.Outcomes)
	if err != nil {
		return fmt.Errorf("the run's actors play no tournaments: %w", err)
	}
	outcomes, err := c.node.bus.Read(ctx, bus.Outcomes, info.Last+1)
	if err != nil {
		return err
	}
	var reading sync.WaitGroup
	reading.Go(func() { c.read(outcomes) })
	defer reading.Wait()
	defer cancel()
	defer func() {
		last, done := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
		defer done()
		if err := c.node.bus.Withdraw(last, c.name); err != nil {
			c.node.log.Warn("matches of the tournament stay on the broker for some minutes", "error", err)
		}
	}()
	return hold(ctx, c)
}

// read hands outcomes to those that wait for them.
func (c *Contest) read(outcomes <-chan bus.Message) {
	for m := range outcomes {
		if m == nil {
			continue
		}
		tournament, rest, _ := strings.Cut(m.Subject(), ".")
		match, actor, ok := messages.ParseResultSubject(rest)
		if tournament != c.name || !ok {
			continue
		}
		o := outcome{actor: actor, result: &messages.Result{}}
		o.err = messages.Decode(m.Data(), o.result)
		c.mu.Lock()
		waiting := c.waiting[match]
		c.mu.Unlock()
		select {
		case waiting <- o:
		default: // no caller waits, or one has enough
		}
	}
}

// Play has a match played, and returns its result once it is known to be sound, with its games. It is for
// agents.Tournament.
func (c *Contest) Play(ctx context.Context, m *messages.Match) (*messages.Result, []*messages.Kept, error) {
	asked := proto.CloneOf(m)
	asked.Run = c.Config.Run
	data, err := messages.Encode(asked)
	if err != nil {
		return nil, nil, err
	}
	outcomes := make(chan outcome, contestRefusals)
	c.expect(m.Id, outcomes)
	defer c.expect(m.Id, nil)
	for refused := 0; ; {
		if err := c.ask(ctx, messages.ContestSubject(c.name, m.Id), data); err != nil {
			return nil, nil, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(contestPatience):
			c.node.log.Warn("no result yet; asking again. Does the run have actors?", "match", m.Id, "a", m.A, "b", m.B)
		case o := <-outcomes:
			games, err := c.check(ctx, asked, o)
			if err == nil {
				return o.result, games, nil
			}
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			c.node.log.Warn("result refused; asking again", "actor", o.actor, "match", m.Id, "error", err)
			if refused++; refused == contestRefusals {
				return nil, nil, fmt.Errorf("%d results were refused, the last from actor %s: %w", refused, o.actor, err)
			}
		}
	}
}

// ask publishes a match. Once ctx has ended, a publication under way still has some time: the broker may store what
// has been given up after the matches of the tournament were withdrawn, and it would stay behind.
func (c *Contest) ask(ctx context.Context, subject string, data []byte) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	whole, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(withdrawTime, cancel) })()
	return c.node.bus.Publish(whole, bus.Contests, subject, data)
}

// expect names the caller that waits for the outcomes of a match; nil: none any more.
func (c *Contest) expect(match string, outcomes chan outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if outcomes == nil {
		delete(c.waiting, match)
		return
	}
	c.waiting[match] = outcomes
}

// check reports what is wrong with the result of a match, and takes the games out of it, or none where one is unsound.
func (c *Contest) check(ctx context.Context, asked *messages.Match, o outcome) ([]*messages.Kept, error) {
	r := o.result
	if o.err != nil {
		return nil, o.err
	}
	if r.Run != c.Config.Run || !proto.Equal(r.Match, asked) {
		return nil, errors.New("it is of another match")
	}
	if err := messages.CheckSums(c.Game.Spec(), r); err != nil {
		return nil, err
	}
	games := r.Games
	r.Games = nil
	if err := c.checkGames(asked, games); err != nil {
		return nil, err
	}
	if c.audit == nil {
		return games, nil
	}
	return games, c.audit(ctx, r)
}

// checkGames replays games: they have to be legal ones of the match's agents, dealt by the seed.
func (c *Contest) checkGames(asked *messages.Match, list []*messages.Kept) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, batch := range list {
		if err := c.verifier.KeptHeader(batch); err != nil {
			return err
		}
		if batch.Match != asked.Id {
			return errors.New("games of another match")
		}
		for _, a := range batch.Agents {
			if !slices.Contains([]string{asked.A, asked.B}, a.Name) {
				return fmt.Errorf("games of %.80q, which takes no part", a.Name)
			}
		}
		for i := range batch.Games {
			if err := c.verifier.Kept(batch, i); err != nil {
				return err
			}
		}
	}
	return nil
}
