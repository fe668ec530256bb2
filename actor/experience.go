package actor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/player"
)

// A batch of experience is published when it holds this many learning decisions
// or is this old, whichever comes first. Small batches keep the learner close to
// the present; the broker handles thousands of them in a second.
const (
	batchDecisions = 1024
	batchAge       = 100 * time.Millisecond
)

// Upper bounds on what tags, lengths and numbers take in an encoded batch, besides the
// bytes of names and columns.
const (
	batchOverhead   = 64
	agentOverhead   = 32
	episodeOverhead = 64
)

// experience gathers the finished training games of one worker and publishes them
// in numbered batches. The numbers let the learner count what was lost on the way.
//
// A batch holds games of one stage and has a bounded size. Publishing it ends it,
// whatever comes of that: a batch that cannot be encoded, entered in the journal or
// sent is given up, never kept for later, since experience that waits goes stale. The
// next batch's numbers count its games, so that the learner books them as lost.
type experience struct {
	bus     bus.Bus
	journal *journal
	metrics *metrics
	actor   string    // the worker's name
	learner string    // the learning agent
	rules   [][8]byte // hashes of the games by stage

	batch     *messages.Experience
	agents    map[*player.Player]byte
	bytes     int // of the encoded batch at most
	decisions int // in the batch, of all seats
	learning  int // of these, with their log-probability
	oldest    time.Time
}

// newExperience begins the experience of a worker for an agent in training games, given by stage.
func newExperience(b bus.Bus, j *journal, m *metrics, run, actor, agent string, games ...engine.Game) *experience {
	e := &experience{bus: b, journal: j, metrics: m, actor: actor, learner: agent, agents: map[*player.Player]byte{}}
	for _, g := range games {
		e.rules = append(e.rules, engine.RulesHash(g))
	}
	e.batch = &messages.Experience{Schema: messages.SchemaVersion, Run: run, Actor: actor, Sequence: 1,
		RulesHash: e.rules[0][:]}
	e.bytes = e.empty()
	return e
}

// empty is what a batch without games takes at most.
func (e *experience) empty() int {
	return batchOverhead + len(e.batch.Run) + len(e.batch.Actor) + len(e.batch.RulesHash)
}

// episodeSize is what a game takes in an encoded batch at most, its agents aside.
func episodeSize(r *episode) int {
	return episodeOverhead + len(r.seats) + len(r.history) + len(r.logProbs) + 4*len(r.returns)
}

// takes reports whether a game of the stage can be added to the batch: all games of a
// batch are of one stage, and the bus takes it. An empty batch takes any game.
func (e *experience) takes(stage int, r *episode) bool {
	if len(e.batch.Episodes) == 0 {
		return true
	}
	size := e.bytes + episodeSize(r)
	for _, p := range r.seats {
		size += agentOverhead + len(p.Name) + len(p.SHA256)
	}
	return int(e.batch.Stage) == stage && size <= e.bus.MaxMessage(bus.Experience) &&
		len(e.batch.Episodes) < messages.MaxEpisodes &&
		len(e.agents)+len(r.seats) <= messages.MaxAgents
}

// begin notes the version of the weights with which the worker begins, if it has not begun.
func (e *experience) begin(version uint64) {
	if e.batch.Began == 0 {
		e.batch.Began = version
	}
}

// add appends a finished game of a stage that the batch takes.
func (e *experience) add(number uint64, stage int, r *episode) {
	if len(e.batch.Episodes) == 0 {
		e.oldest = time.Now()
		e.batch.Stage, e.batch.RulesHash = uint32(stage), e.rules[stage][:]
	}
	e.bytes += episodeSize(r)
	seats := make([]byte, len(r.seats))
	for i, p := range r.seats {
		seats[i] = e.agent(p)
	}
	returns := make([]byte, 0, 4*len(r.returns))
	for _, v := range r.returns {
		returns = messages.AppendFloat(returns, float32(v))
	}
	e.batch.Episodes = append(e.batch.Episodes, &messages.Episode{
		Number:   number,
		Seed:     r.seed,
		Seats:    seats,
		History:  slices.Clone(r.history),
		LogProbs: slices.Clone(r.logProbs),
		Returns:  returns,
	})
	e.decisions += r.decisions
	e.learning += len(r.logProbs) / 4
}

func (e *experience) agent(p *player.Player) byte {
	i, known := e.agents[p]
	if !known {
		i = byte(len(e.batch.Agents))
		e.agents[p] = i
		e.bytes += agentOverhead + len(p.Name) + len(p.SHA256)
		e.batch.Agents = append(e.batch.Agents, &messages.Agent{
			Name: p.Name, Version: p.Version, Learning: p.Learning, Sha256: p.SHA256,
		})
	}
	return i
}

// due reports whether the batch should go out now.
func (e *experience) due() bool {
	if len(e.batch.Episodes) == 0 {
		return false
	}
	return e.learning >= batchDecisions || time.Since(e.oldest) >= batchAge
}

// publish sends the batch, also an empty one: the closing batch of a worker, by
// which the learner notices if the ones before it were lost. Afterwards the batch is
// empty and has the next number, also when it was given up. A
// [bus.UnacknowledgedError] is about earlier batches: this one was sent.
func (e *experience) publish(ctx context.Context) error {
	defer e.next()
	games := len(e.batch.Episodes)
	size, err := e.send(ctx)
	var earlier *bus.UnacknowledgedError
	if err != nil && !errors.As(err, &earlier) {
		e.metrics.givenUp.Add(float64(games))
		return fmt.Errorf("batch %d of %d games given up: %w", e.batch.Sequence, games, err)
	}
	e.metrics.published.Add(float64(games))
	e.metrics.publishedBytes.Add(float64(size))
	e.metrics.publishedDecisions.Add(float64(e.decisions))
	return err
}

// send enters the batch in the journal and hands it to the bus. It returns its size.
func (e *experience) send(ctx context.Context) (size int, err error) {
	data, err := messages.Encode(e.batch)
	if err != nil {
		return 0, err
	}
	if err := e.journal.write(e.batch.EpisodesBefore+uint64(len(e.batch.Episodes)), e.batch.Sequence); err != nil {
		return 0, err
	}
	subject := messages.ExperienceSubject(messages.ActorOf(e.actor), e.learner)
	return len(data), e.bus.Publish(ctx, bus.Experience, subject, data)
}

// next begins the batch after this one.
func (e *experience) next() {
	e.batch.Sequence++
	e.batch.EpisodesBefore += uint64(len(e.batch.Episodes))
	e.batch.Episodes, e.batch.Agents = e.batch.Episodes[:0], e.batch.Agents[:0]
	clear(e.agents)
	e.bytes, e.decisions, e.learning = e.empty(), 0, 0
}
