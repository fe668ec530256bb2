package learner

import (
	"croupier/engine"
	"croupier/learner/train"
	"croupier/messages"
)

// verified is an episode of a batch, which is verified while its steps are read. It belongs to its ingestion, which
// reads one after the other.
type verified struct {
	train.Episode
	replay   *messages.Replay
	stage    *stageGames
	sent     *messages.Episode
	learns   []bool  // the agent plays, by seat
	unlikely float32 // smallest log-probability
	results  []float32
}

// open begins to read episode i of a batch.
func (v *verified) open(g *ingestion, x *messages.Experience, i int) *train.Episode {
	v.stage, v.sent, v.unlikely = &g.stages[x.Stage], x.Episodes[i], 0
	v.replay = v.stage.verifier.Episode(x, i)
	v.learns, v.Versions = v.learns[:0], v.Versions[:0]
	for _, i := range v.sent.Seats {
		learns, version := g.learns(x, i), uint64(0)
		if learns {
			version = x.Agents[i].Version
		}
		v.learns, v.Versions = append(v.learns, learns), append(v.Versions, version)
	}
	v.Stage, v.Seed, v.History, v.Steps = x.Stage, v.sent.Seed, v.sent.History, v
	return &v.Episode
}

// Next implements [train.Steps].
func (v *verified) Next(s *train.Step) bool {
	r := v.replay
	if !r.Next() {
		return false
	}
	own := r.Seat != engine.Chance && v.learns[r.Seat]
	if own {
		v.unlikely = min(v.unlikely, r.LogProb)
	}
	*s = train.Step{State: r.State(), Seat: r.Seat, Action: r.Action, Legal: r.Legal(), LogProb: r.LogProb, Own: own}
	return true
}

// End implements [train.Steps]. The error is a *messages.Refusal.
func (v *verified) End() ([]float32, error) {
	if err := v.replay.Err(); err != nil {
		return nil, err
	}
	if v.unlikely < minLogProb {
		return nil, messages.Refuse(messages.ReasonLogProb, "game %d: an action of log-probability %v was chosen",
			v.sent.Number, v.unlikely)
	}
	v.results = v.results[:0]
	for seat := range v.sent.Seats {
		v.results = append(v.results, float32(float64(messages.FloatAt(v.sent.Returns, seat))/v.stage.largest))
	}
	return v.results, nil
}
