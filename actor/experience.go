package actor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
)

// A batch of experience is published when it holds this many learning decisions
// or is this old, whichever comes first. Small batches keep the learner close to
// the present; the broker handles thousands of them in a second.
const (
	batchDecisions = 1024
	batchAge       = 100 * time.Millisecond
)

// experience gathers the finished training games of one worker and publishes them
// in numbered batches. The numbers let the learner count what was lost on the way.
type experience struct {
	bus     bus.Bus
	journal *journal
	metrics *metrics
	actor   string
	rules   [][8]byte // hashes of the games by stage

	batch     *messages.Experience
	agents    map[*Player]byte
	decisions int // in the batch, of all seats
	learning  int // of these, with their log-probability
	oldest    time.Time
}

// newExperience begins the experience of an actor in the game and those of the stages.
func newExperience(b bus.Bus, j *journal, m *metrics, run, actor string, game engine.Game, stages ...engine.Game) *experience {
	e := &experience{bus: b, journal: j, metrics: m, actor: actor, agents: map[*Player]byte{}}
	for _, g := range append([]engine.Game{game}, stages...) {
		e.rules = append(e.rules, engine.RulesHash(g))
	}
	e.batch = &messages.Experience{Schema: messages.SchemaVersion, Run: run, Actor: actor, Sequence: 1, RulesHash: e.rules[0][:]}
	return e
}

// takes says whether a game of the stage can be added to the batch: all games of a
// batch are of one stage.
func (e *experience) takes(stage int) bool {
	return len(e.batch.Episodes) == 0 || int(e.batch.Stage) == stage
}

// add appends a finished game of a stage that the batch takes.
func (e *experience) add(number uint64, stage int, r *record) {
	if len(e.batch.Episodes) == 0 {
		e.oldest = time.Now()
		e.batch.Stage, e.batch.RulesHash = uint32(stage), e.rules[stage][:]
	}
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

func (e *experience) agent(p *Player) byte {
	i, known := e.agents[p]
	if !known {
		i = byte(len(e.batch.Agents))
		e.agents[p] = i
		e.batch.Agents = append(e.batch.Agents, &messages.Agent{Name: p.Name, Version: p.Version, Learning: p.Learning})
	}
	return i
}

// due says whether the batch should go out now.
func (e *experience) due() bool {
	if len(e.batch.Episodes) == 0 {
		return false
	}
	// The index of an agent is one byte.
	return e.learning >= batchDecisions || len(e.batch.Agents) >= 200 || time.Since(e.oldest) >= batchAge
}

// publish sends the batch, also an empty one: the closing batch of a worker, by
// which the learner notices if the ones before it were lost.
func (e *experience) publish(ctx context.Context) error {
	data, err := messages.Encode(e.batch)
	if err != nil {
		return err
	}
	games := uint64(len(e.batch.Episodes))
	if err := e.journal.write(e.batch.EpisodesBefore+games, e.batch.Sequence); err != nil {
		return err
	}
	err = e.bus.Publish(ctx, bus.Experience, e.actor, data)
	e.metrics.published.Add(float64(games))
	e.metrics.publishedBytes.Add(float64(len(data)))
	e.metrics.publishedDecisions.Add(float64(e.decisions))
	e.batch.Sequence++
	e.batch.EpisodesBefore += games
	e.batch.Episodes, e.batch.Agents = e.batch.Episodes[:0], e.batch.Agents[:0]
	clear(e.agents)
	e.decisions, e.learning = 0, 0
	if err != nil {
		return fmt.Errorf("publish experience: %w", err)
	}
	return nil
}
