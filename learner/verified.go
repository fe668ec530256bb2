package learner

import (
	"fmt"
	"slices"

	"croupier/engine"
	"croupier/learner/train"
	"croupier/messages"
)

// reader reads the episodes of batches, one after the other.
type reader struct {
	agent  string
	stages []stageGames // by stage
	game   verified     // whose steps are read
}

// stageGames reports how the games of one stage are checked and counted.
type stageGames struct {
	verifier *messages.Verifier
	largest  float64 // Spec.MaxReturn
	measured bool    // the game has the same figures as the run's own
}

// newReader returns a reader of games of the agent that the options name.
func newReader(o *Options) reader {
	r := reader{agent: o.Agent}
	games := o.Curriculum.Games(o.Game)
	for _, game := range games {
		s := game.Spec()
		r.stages = append(r.stages, stageGames{
			verifier: messages.NewVerifier(game, o.Run, o.RunSeed), largest: s.MaxReturn,
			measured: slices.Equal(s.Figures, games[0].Spec().Figures),
		})
	}
	return r
}

// header checks what a batch says about itself against the game of its stage.
func (r *reader) header(x *messages.Experience) error {
	if int(x.Stage) >= len(r.stages) {
		detail := fmt.Sprintf("stage %d of a curriculum of %d", x.Stage, len(r.stages)-1)
		return &messages.Refusal{Reason: messages.ReasonRules, Detail: detail}
	}
	return r.stages[x.Stage].verifier.Header(x)
}

// read reads games of an encoded batch into a rollout.
func (r *reader) read(batch []byte, episodes []uint32, record *train.Recorder, into *train.Rollout) error {
	x := &messages.Experience{}
	if err := messages.Decode(batch, x); err != nil {
		return err
	}
	if err := r.header(x); err != nil {
		return err
	}
	for _, i := range episodes {
		if int(i) >= len(x.Episodes) {
			return fmt.Errorf("game %d of a batch of %d", i, len(x.Episodes))
		}
		rows, err := record.Record(r.open(x, int(i)))
		if err != nil {
			return err
		}
		into.Add(rows, 1)
	}
	return nil
}

// learns reports whether the learner trains on the decisions of agent i of a batch.
func (r *reader) learns(x *messages.Experience, i byte) bool {
	return int(i) < len(x.Agents) && x.Agents[i].Learning && x.Agents[i].Name == r.agent
}

// verified is an episode of a batch, which is verified while its steps are read.
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
func (r *reader) open(x *messages.Experience, i int) *train.Episode {
	v := &r.game
	v.stage, v.sent, v.unlikely = &r.stages[x.Stage], x.Episodes[i], 0
	v.replay = v.stage.verifier.Episode(x, i)
	v.learns, v.Versions = v.learns[:0], v.Versions[:0]
	for _, i := range v.sent.Seats {
		learns, version := r.learns(x, i), uint64(0)
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
