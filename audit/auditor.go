package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/internal/meter"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
	"croupier/messages/roles"
	"croupier/player"
	"croupier/policy"
)

// Bounds on what an auditor remembers.
const (
	maxActors    = 4096 // with a game that waits to be audited
	maxVersions  = 64   // of the learning agent's weights
	maxOpponents = 1024 // names that the league has listed
	// loadTimeout is how long an opponent may take to load; a solver that takes longer is not
	// asked again, and games with it are passed over.
	loadTimeout = 10 * time.Second
	idleWait    = 20 * time.Millisecond
)

// Options of an Auditor.
type Options struct {
	roles.Common
	Resolver player.Resolver
	Agent    string // the learning agent
}

// Auditor audits training games. It takes one of an actor's games after the other, each chosen
// at random among those that arrived since the last, and one actor after the other, so that
// no actor escapes in the crowd of another's games.
type Auditor struct {
	o       Options
	conduct *conduct.Monitor
	audits  *prometheus.CounterVec
	took    prometheus.Counter
	games   []*Replayer // by stage

	mutex      sync.Mutex
	candidates map[string]*candidate // by actor
	turn       []string              // actors with a candidate, in the order of their turn

	// Of the goroutine of Run and its followers, under follow.
	follow    sync.Mutex
	versions  map[uint64]*version
	newest    uint64
	opponents map[string]*opponent
}

// candidate is the game of an actor that is audited next.
type candidate struct {
	batch *messages.Experience
	game  int
	seen  int // batches since the actor's last audit
}

// version is a published version of the learning agent.
type version struct {
	pointer *messages.Pointer
	data    []byte // of the weights; nil: they could not be had
	player  *player.Player
}

// opponent is an agent that the league has listed.
type opponent struct {
	player *player.Player
	failed bool // it takes too long to load, or cannot be
}

// Outcomes of audits, the label values of the metric that counts them.
const (
	outcomeExact   = "exact"
	outcomeRounded = "rounded"
	outcomeWrong   = "wrong"
	outcomeSkipped = "skipped"
)

// NewAuditor returns an auditor; Run makes it work.
func NewAuditor(o Options) *Auditor {
	f := meter.Meter{Registerer: o.Registerer}
	a := &Auditor{
		o: o, conduct: conduct.NewMonitor(o.Conduct, o.Bus.State(), messages.AuditRole, o.Log),
		candidates: map[string]*candidate{}, versions: map[uint64]*version{}, opponents: map[string]*opponent{},
		audits: f.Counters("croupier_audit_games_total",
			"Training games replayed by the audit, by outcome: exact, rounded, wrong, or skipped without the weights.", "outcome"),
		took: f.Counter("croupier_audit_seconds_total", "Time spent on replaying training games."),
	}
	for _, g := range o.TrainingGames() {
		a.games = append(a.games, NewReplayer(g))
	}
	for _, outcome := range []string{outcomeExact, outcomeRounded, outcomeWrong, outcomeSkipped} {
		a.audits.WithLabelValues(outcome)
	}
	return a
}

// Offer shows a verified batch of an actor to the auditor, which keeps it or does not. It
// never waits, and the batch must not change afterwards.
func (a *Auditor) Offer(sender string, x *messages.Experience) {
	if a.o.Conduct.AuditShare == 0 || len(x.Episodes) == 0 {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	c := a.candidates[sender]
	if c == nil {
		if len(a.candidates) >= maxActors {
			return
		}
		c = &candidate{}
		a.candidates[sender] = c
		a.turn = append(a.turn, sender)
	}
	// Each of the batches since the last audit is the candidate with the same probability.
	if c.seen++; rand.IntN(c.seen) == 0 {
		c.batch, c.game = x, rand.IntN(len(x.Episodes))
	}
}

// next takes the candidate of the actor whose turn it is, nil if there is none.
func (a *Auditor) next() (sender string, c *candidate) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if len(a.turn) == 0 {
		return "", nil
	}
	sender = a.turn[0]
	a.turn = a.turn[1:]
	c = a.candidates[sender]
	delete(a.candidates, sender)
	return sender, c
}

// Run audits until ctx ends. It takes no more than its share of a core, on average.
func (a *Auditor) Run(ctx context.Context) error {
	if a.o.Conduct.AuditShare == 0 {
		return nil
	}
	var following sync.WaitGroup
	defer following.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pointers, err := a.o.Bus.State().Watch(ctx, messages.PointerKey(a.o.Agent))
	if err != nil {
		return fmt.Errorf("audit: watch weights: %w", err)
	}
	tables, err := a.o.Bus.State().Watch(ctx, messages.MatchmakingKey(a.o.Agent))
	if err != nil {
		return fmt.Errorf("audit: watch matchmaking: %w", err)
	}
	following.Go(func() { _ = a.conduct.Run(ctx) }) // ends with ctx or the bus
	following.Go(func() {
		for e := range pointers {
			a.published(ctx, e.Value)
		}
	})
	following.Go(func() {
		for e := range tables {
			a.listed(e.Value)
		}
	})
	for ctx.Err() == nil {
		sender, c := a.next()
		if c == nil {
			pause(ctx, idleWait)
			continue
		}
		began := time.Now()
		a.audit(ctx, sender, c)
		spent := time.Since(began)
		a.took.Add(spent.Seconds())
		pause(ctx, time.Duration(float64(spent)*(1/a.o.Conduct.AuditShare-1)))
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// published remembers a version: its object is deleted long before the last game with it comes.
func (a *Auditor) published(ctx context.Context, value []byte) {
	p := &messages.Pointer{}
	if value == nil || messages.Decode(value, p) != nil {
		return
	}
	data, err := a.o.Bus.GetObject(ctx, p.Object)
	if sum := sha256.Sum256(data); err != nil || !bytes.Equal(sum[:], p.Sha256) {
		data = nil
	}
	a.follow.Lock()
	defer a.follow.Unlock()
	a.newest = p.Version
	a.versions[p.Version] = &version{pointer: p, data: data}
	for v := range a.versions {
		if v+maxVersions <= p.Version {
			delete(a.versions, v)
		}
	}
}

// listed remembers whom the league has let play.
func (a *Auditor) listed(value []byte) {
	table := &messages.Matchmaking{}
	if value == nil || messages.Decode(value, table) != nil {
		return
	}
	a.follow.Lock()
	defer a.follow.Unlock()
	for _, o := range table.Opponents {
		if a.opponents[o.Name] == nil && len(a.opponents) < maxOpponents {
			a.opponents[o.Name] = &opponent{}
		}
	}
}

// errSkipped is the end of an audit that cannot be made.
var errSkipped = errors.New("without the weights there is no audit")

// audit plays a candidate again, counts what came out and blames the actor.
func (a *Auditor) audit(ctx context.Context, sender string, c *candidate) {
	o, err := a.replay(ctx, c.batch, c.batch.Episodes[c.game])
	outcome := [...]string{Exact: outcomeExact, Rounded: outcomeRounded}[o]
	var refusal *messages.Refusal
	switch {
	case errors.As(err, &refusal):
		outcome = outcomeWrong
		a.conduct.Offence(sender, &messages.Refusal{Reason: refusal.Reason,
			Detail: fmt.Sprintf("game %d of %s: %s", c.batch.Episodes[c.game].Number, c.batch.Actor, refusal.Detail)})
	case err != nil:
		outcome = outcomeSkipped
	}
	a.audits.WithLabelValues(outcome).Inc()
}

// replay plays an episode again. The error is a *messages.Refusal or errSkipped.
func (a *Auditor) replay(ctx context.Context, x *messages.Experience, ep *messages.Episode) (Outcome, error) {
	players, learning := make([]*player.Player, len(ep.Seats)), make([]bool, len(ep.Seats))
	for seat, i := range ep.Seats {
		agent := x.Agents[i]
		p, err := a.player(ctx, agent, int(x.Stage))
		if err != nil {
			return 0, err
		}
		if len(agent.Sha256) > 0 && !bytes.Equal(agent.Sha256, p.SHA256) {
			return 0, refuse("%s of version %d has the weights %x, the actor played with %x", agent.Name, agent.Version,
				p.SHA256, agent.Sha256)
		}
		players[seat], learning[seat] = p, agent.Learning
	}
	return a.games[x.Stage].Game(ep, players, learning)
}

// player returns an agent of a batch as it should have played. Only the learning agent
// learns, and only whom the league has listed are its opponents: others that an actor names are never loaded. What was
// listed before the auditor began are frozen versions.
func (a *Auditor) player(ctx context.Context, agent *messages.Agent, stage int) (*player.Player, error) {
	a.follow.Lock()
	defer a.follow.Unlock()
	if agent.Learning {
		return a.learner(agent, stage)
	}
	o := a.opponents[agent.Name]
	if o == nil {
		if len(a.opponents) >= maxOpponents {
			return nil, errSkipped
		}
		if err := a.frozen(ctx, agent.Name); err != nil {
			return nil, err
		}
		o = &opponent{}
		a.opponents[agent.Name] = o
	}
	if o.player == nil && !o.failed {
		loading, cancel := context.WithTimeout(ctx, loadTimeout)
		defer cancel()
		p, err := a.o.Resolver.Player(loading, agent.Name)
		o.player, o.failed = p, err != nil && ctx.Err() == nil
	}
	if o.player == nil {
		return nil, errSkipped
	}
	return o.player, nil
}

// frozen reports why a name is not that of a frozen version.
func (a *Auditor) frozen(ctx context.Context, name string) error {
	agent, number, ok := messages.ParseMemberName(name)
	err := bus.ErrNotFound
	if ok {
		asking, cancel := context.WithTimeout(ctx, loadTimeout)
		defer cancel()
		_, err = a.o.Bus.State().Get(asking, messages.MemberKey(agent, number))
	}
	switch {
	case errors.Is(err, bus.ErrNotFound):
		return &messages.Refusal{Reason: messages.ReasonAgents, Detail: fmt.Sprintf("the league never listed %q", name)}
	case err != nil:
		return errSkipped
	}
	return nil
}

// learner returns a version of the learning agent. The caller holds follow.
func (a *Auditor) learner(agent *messages.Agent, stage int) (*player.Player, error) {
	v := a.versions[agent.Version]
	if agent.Name != a.o.Agent || v == nil || v.data == nil {
		return nil, errSkipped
	}
	if v.pointer.Stage != uint32(stage) {
		return nil, refuse("version %d plays stage %d, not %d", agent.Version, v.pointer.Stage, stage)
	}
	if v.player == nil {
		network, err := a.o.Resolver.Network(v.data, v.pointer.Sha256)
		if err != nil {
			return nil, errSkipped
		}
		v.player = &player.Player{
			Name: agent.Name, Version: agent.Version, Stage: stage, Learning: true, SHA256: v.pointer.Sha256,
			Network: network, Temperature: policy.Sampled, Exploration: min(max(v.pointer.Exploration, 0), 1),
		}
	}
	return v.player, nil
}
