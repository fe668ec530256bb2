package messages

import (
	"bytes"
	"crypto/sha256"
	"math"
	"unicode/utf8"

	"croupier/engine"
)

// maxAgentName is the greatest length of an agent's name in bytes.
const maxAgentName = 128

// Verifier checks the games of one run by replaying them. It belongs to
// one goroutine, and allocates nothing for an episode that it accepts.
type Verifier struct {
	run   string
	seed  uint64
	rules [8]byte
	spec  *engine.Spec
	width int

	actor   string // whose purpose is kept in purpose
	purpose string
	state   engine.State
	meter   engine.Measured // the state in a game with figures, else nil
	sums    engine.Sums
	chance  engine.RNG
	legal   []int
	returns []float64

	replayed Replay
}

// NewVerifier returns a Verifier for the run of the given id and seed.
func NewVerifier(game engine.Game, run string, runSeed uint64) *Verifier {
	spec := game.Spec()
	v := &Verifier{
		run:     run,
		seed:    runSeed,
		rules:   engine.RulesHash(game),
		spec:    spec,
		width:   HistoryWidth(spec),
		state:   game.NewState(),
		sums:    engine.NewSums(spec),
		returns: make([]float64, spec.Seats),
	}
	v.meter, _ = v.state.(engine.Measured)
	return v
}

// Figures returns the game's figures of the episode that was accepted last; they are
// valid until the next one.
func (v *Verifier) Figures() engine.Sums { return v.sums }

// Header checks what a batch says of itself: schema, run, rules, actor, numbering
// and agents. Its error is a *Refusal.
func (v *Verifier) Header(e *Experience) error {
	if err := v.header(e); err != nil {
		return err
	}
	if e.Sequence == 0 || e.Sequence == 1 && e.EpisodesBefore != 0 {
		return Refuse(ReasonSequence, "batch %d after %d episodes", e.Sequence, e.EpisodesBefore)
	}
	return checkAgents(e.Agents, len(e.Episodes))
}

// KeptHeader is Header for games that are offered to the archive.
func (v *Verifier) KeptHeader(k *Kept) error {
	if err := v.header(k); err != nil {
		return err
	}
	if k.Match != "" {
		if err := CheckToken(k.Match); err != nil {
			return Refuse(ReasonMatch, "%v", err)
		}
	}
	return checkAgents(k.Agents, len(k.Games))
}

// CheckSender refuses what the sender sends as a worker of another actor. Its error is a *Refusal.
func CheckSender(worker, sender string) error {
	if ActorOf(worker) != sender {
		return Refuse(ReasonActor, "batch of worker %q under the name of another actor", worker)
	}
	return nil
}

// header checks what batches of all kinds say of themselves.
func (v *Verifier) header(b interface {
	Message
	GetRun() string
	GetRulesHash() []byte
	GetActor() string
}) error {
	if err := checkSchema(b); err != nil {
		return err
	}
	if b.GetRun() != v.run {
		return Refuse(ReasonRun, "run %.80q, this is run %q", b.GetRun(), v.run)
	}
	if !bytes.Equal(b.GetRulesHash(), v.rules[:]) {
		return Refuse(ReasonRules, "rules %.8x, %s has %x here", b.GetRulesHash(), v.spec.Name, v.rules)
	}
	if err := CheckToken(b.GetActor()); err != nil {
		return Refuse(ReasonActor, "%v", err)
	}
	return nil
}

// checkAgents checks the agents of a batch of that many games.
func checkAgents(agents []*Agent, games int) error {
	// Only a batch without games, the closing one of an actor, needs no agents.
	if len(agents) == 0 && games > 0 || len(agents) > MaxAgents {
		return Refuse(ReasonAgents, "%d agents, not 1..%d", len(agents), MaxAgents)
	}
	for i, a := range agents {
		if a.GetName() == "" || len(a.GetName()) > maxAgentName || !utf8.ValidString(a.GetName()) {
			return Refuse(ReasonAgents, "agent %d: invalid name %.80q: use 1 to %d bytes", i, a.GetName(), maxAgentName)
		}
		if n := len(a.GetSha256()); n != 0 && n != sha256.Size {
			return Refuse(ReasonAgents, "agent %.80q: a SHA-256 of %d bytes", a.GetName(), n)
		}
	}
	return nil
}

// Episode begins to replay episode i of a batch whose Header was accepted.
func (v *Verifier) Episode(e *Experience, i int) *Replay {
	return v.replay(v.trainPurpose(e.Actor), e.Agents, e.Episodes[i])
}

// Kept replays game i of a batch whose KeptHeader was accepted. Its error is a *Refusal.
func (v *Verifier) Kept(k *Kept, i int) error {
	purpose := ArenaPurpose
	if k.Match == "" {
		purpose = v.trainPurpose(k.Actor)
	}
	return v.replay(purpose, k.Agents, k.Games[i]).Rest()
}

// trainPurpose is TrainPurpose without an allocation for the same actor again.
func (v *Verifier) trainPurpose(actor string) string {
	if actor != v.actor {
		v.actor, v.purpose = actor, TrainPurpose(actor)
	}
	return v.purpose
}

// replay begins to replay an episode whose seed is of the purpose.
func (v *Verifier) replay(purpose string, agents []*Agent, ep *Episode) *Replay {
	v.replayed = Replay{verifier: v, episode: ep, agents: agents, steps: len(ep.History) / v.width,
		err: v.begin(purpose, agents, ep)}
	return &v.replayed
}

// begin checks all that can be checked without playing, and sets the game up.
func (v *Verifier) begin(purpose string, agents []*Agent, ep *Episode) error {
	if len(ep.Seats) != v.spec.Seats {
		return Refuse(ReasonSeats, "%d seats, %s has %d", len(ep.Seats), v.spec.Name, v.spec.Seats)
	}
	for seat, agent := range ep.Seats {
		if int(agent) >= len(agents) {
			return Refuse(ReasonSeats, "seat %d: agent %d of %d", seat+1, agent, len(agents))
		}
	}
	if want := engine.GameSeed(v.seed, purpose, ep.Number); ep.Seed != want {
		return Refuse(ReasonSeed, "game %d: seed %#x, not %#x", ep.Number, ep.Seed, want)
	}
	if n := len(ep.History); n%v.width != 0 || n/v.width > v.spec.MaxHistory {
		return Refuse(ReasonLength, "history of %d bytes, at most %d steps of %d", n, v.spec.MaxHistory, v.width)
	}
	v.state.Reset()
	v.sums.Clear()
	v.chance.Seed(ep.Seed, engine.ChanceStream)
	engine.Foresee(v.state, len(ep.History)/v.width, func(i int) int { return StepAt(ep.History, v.width, i) })
	return nil
}

// decisionLogProb returns the log-probability of learning decision number i.
func decisionLogProb(ep *Episode, i int) (float32, error) {
	if len(ep.LogProbs) < 4*(i+1) {
		return 0, Refuse(ReasonLogProb, "%d bytes, too few for decision %d", len(ep.LogProbs), i)
	}
	p := FloatAt(ep.LogProbs, i)
	if !(p <= 0) || math.IsInf(float64(p), -1) {
		return 0, Refuse(ReasonLogProb, "decision %d: %v", i, p)
	}
	return p, nil
}

// end checks that the game is over and that nothing is left over.
func (v *Verifier) end(ep *Episode, steps, decisions int) error {
	if v.state.Player() != engine.Terminal {
		return Refuse(ReasonLength, "%d steps, the game is not over", steps)
	}
	if len(ep.LogProbs) != 4*decisions {
		return Refuse(ReasonLogProb, "%d bytes for %d decisions", len(ep.LogProbs), decisions)
	}
	if len(ep.Returns) != 4*v.spec.Seats {
		return Refuse(ReasonReturns, "%d bytes for %d seats", len(ep.Returns), v.spec.Seats)
	}
	if v.meter != nil {
		v.meter.MeasureEnd(v.sums)
	}
	v.state.Returns(v.returns)
	for seat, want := range v.returns {
		if got := FloatAt(ep.Returns, seat); got != float32(want) {
			return Refuse(ReasonReturns, "seat %d: %v, not %v", seat+1, got, want)
		}
	}
	return nil
}
