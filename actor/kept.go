package actor

import (
	"context"
	"slices"
	"time"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/player"
)

// Keeping reports which games an actor offers to the run's archive. The zero value offers none.
type Keeping struct {
	TrainingShare     float64 // share of the training games
	TrainingPerSecond float64 // most of them that each worker offers per second, on average
	ArenaPerSecond    float64 // most games of matches: a match is offered whole or not at all
}

const (
	// offerAge is how old games may be before they are sent, and offerBytes how many
	// bytes of them wait at most.
	offerAge   = time.Second
	offerBytes = 128 << 10
	// countedSteps is how many steps count as a game where games per second are bounded: what a
	// game costs the archive is its replay.
	countedSteps = 500
	// maxMatchBytes bounds the histories of a match that wait for its end: of a longer one no
	// games are offered.
	maxMatchBytes = 4 << 20
)

// archiveOffers offers games of one worker to the archive. Nothing waits for what it sends: games
// that the bus does not take, or that come while there is no archive, are gone.
type archiveOffers struct {
	Keeping
	bus     bus.Bus
	metrics *metrics
	run     string
	actor   string
	arena   [8]byte   // hash of the rules of matches
	rules   [][8]byte // hashes of those of training games, by stage

	training *offer
	share    float64 // of the next training game that is due
	// The most games that may be offered now, which time refills. A match or a long game takes
	// more than there is; then the next ones wait until that is made up for.
	trainingLeft, arenaLeft allowance
}

// offer is a batch of games in the making.
type offer struct {
	kept   *messages.Kept
	agents map[*player.Player]byte
	bytes  int
	oldest time.Time
}

// allowance is a number of games that grows with time up to what a second brings, or to 1.
type allowance struct {
	games float64
	at    time.Time
}

func (a *allowance) refill(perSecond float64, now time.Time) {
	a.games = min(max(perSecond, 1), a.games+perSecond*now.Sub(a.at).Seconds())
	a.at = now
}

// take counts a game.
func (a *allowance) take(r *episode) { a.games -= max(1, float64(r.steps)/countedSteps) }

// newArchiveOffers begins the offers of a worker, which plays matches of a game and training games, given by stage.
func newArchiveOffers(k Keeping, b bus.Bus, m *metrics, run, actor string, game engine.Game,
	training ...engine.Game) *archiveOffers {
	keeper := &archiveOffers{Keeping: k, bus: b, metrics: m, run: run, actor: actor}
	keeper.trainingLeft, keeper.arenaLeft = allowance{1, time.Now()}, allowance{1, time.Now()}
	keeper.arena = engine.RulesHash(game)
	for _, g := range training {
		keeper.rules = append(keeper.rules, engine.RulesHash(g))
	}
	return keeper
}

func (k *archiveOffers) newOffer(match string, rules [8]byte, stage int) *offer {
	return &offer{agents: map[*player.Player]byte{}, oldest: time.Now(), kept: &messages.Kept{
		Schema: messages.SchemaVersion, Run: k.run, Actor: k.actor, RulesHash: rules[:],
		Stage: uint32(stage), Match: match,
	}}
}

// add adds a finished game: of its set in a match, else of its number in training.
func (o *offer) add(number uint64, r *episode) {
	seats := make([]byte, len(r.seats))
	for i, p := range r.seats {
		at, known := o.agents[p]
		if !known {
			at = byte(len(o.kept.Agents))
			o.agents[p] = at
			o.kept.Agents = append(o.kept.Agents, &messages.Agent{Name: p.Name, Version: p.Version, Sha256: p.SHA256})
			o.bytes += agentOverhead + len(p.Name) + len(p.SHA256)
		}
		seats[i] = at
	}
	returns := make([]byte, 0, 4*len(r.returns))
	for _, v := range r.returns {
		returns = messages.AppendFloat(returns, float32(v))
	}
	o.kept.Games = append(o.kept.Games, &messages.Episode{
		Number: number, Seed: r.seed, Seats: seats, History: slices.Clone(r.history), Returns: returns,
	})
	o.bytes += episodeOverhead + len(seats) + len(r.history) + len(returns)
}

// trained takes a finished training game into the sample, if it is its turn.
func (k *archiveOffers) trained(ctx context.Context, number uint64, stage int, r *episode) {
	if k.share += k.TrainingShare; k.share < 1 || k.TrainingPerSecond == 0 {
		return
	}
	k.share--
	if k.trainingLeft.refill(k.TrainingPerSecond, time.Now()); k.trainingLeft.games < 1 || len(r.history) > offerBytes {
		return
	}
	k.trainingLeft.take(r)
	if t := k.training; t != nil && (int(t.kept.Stage) != stage || len(t.agents)+len(r.seats) > messages.MaxAgents) {
		k.send(ctx)
	}
	if k.training == nil {
		k.training = k.newOffer("", k.rules[stage], stage)
	}
	k.training.add(number, r)
}

// due reports whether the sample of training games should go out.
func (k *archiveOffers) due() bool {
	return k.training != nil && (k.training.bytes >= offerBytes || time.Since(k.training.oldest) >= offerAge)
}

// send sends the sample of training games, if there is any.
func (k *archiveOffers) send(ctx context.Context) {
	if k.training != nil {
		k.publish(ctx, k.training.kept, kindTraining)
		k.training = nil
	}
}

// publish sends a batch.
func (k *archiveOffers) publish(ctx context.Context, kept *messages.Kept, kind string) {
	data, err := messages.Encode(kept)
	if err == nil {
		err = k.bus.Publish(ctx, bus.Kept, messages.ActorOf(k.actor), data)
	}
	if err == nil {
		k.metrics.offered.WithLabelValues(kind).Add(float64(len(kept.Games)))
	}
}

// keptMatch gathers the games of a match until its result is published.
type keptMatch struct {
	by     *archiveOffers
	match  string
	offers []*offer
	bytes  int
}

// match returns what gathers the games of a match, nil if they are not kept.
func (k *archiveOffers) match(m *messages.Match) *keptMatch {
	if k.arenaLeft.refill(k.ArenaPerSecond, time.Now()); k.arenaLeft.games < 1 || k.ArenaPerSecond == 0 {
		return nil
	}
	return &keptMatch{by: k, match: m.Id}
}

// add adds a finished game of a set; nil takes none.
func (m *keptMatch) add(set uint64, r *episode) {
	if m == nil || r.cut || m.bytes > maxMatchBytes {
		return
	}
	if n := len(m.offers); n == 0 || m.offers[n-1].bytes+len(r.history) > offerBytes {
		m.offers = append(m.offers, m.by.newOffer(m.match, m.by.arena, 0))
	}
	last := m.offers[len(m.offers)-1]
	last.add(set, r)
	m.bytes += len(r.history)
	m.by.arenaLeft.take(r)
}

// games returns what was gathered.
func (m *keptMatch) games() (list []*messages.Kept) {
	if m == nil || m.bytes > maxMatchBytes {
		return nil
	}
	for _, o := range m.offers {
		list = append(list, o.kept)
	}
	return list
}

// publish sends the games.
func (m *keptMatch) publish(ctx context.Context) {
	for _, kept := range m.games() {
		m.by.publish(ctx, kept, kindArena)
	}
}
