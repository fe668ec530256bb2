package learner

import (
	"context"
	"math/bits"

	"croupier/engine"
	"croupier/messages"
)

// game is a verified game as the replay buffer keeps it: its history, from which a
// [replayer] rebuilds what the agent saw.
type game struct {
	history []byte
	seats   uint8  // bit i is set if the agent has samples in seat i
	samples int32  // the agent's
	version uint64 // of the oldest weights that decided
	stage   uint32 // of the curriculum
}

// gameOverhead estimates the memory of a game beyond its history: its entry, two nodes of
// the sum tree, and the rounding of allocations.
const gameOverhead = 80

func (g *game) bytes() int { return len(g.history) + gameOverhead }

// arrivals is DQN's intake: new games for the replay buffer.
type arrivals struct {
	games []game
	size  volume
	// samples and decisions of the agent in the current game, by seat
	samples, decisions []int

	trainer *dqn
}

func newArrivals(t *dqn) *arrivals {
	spec := t.network.Layout.Spec
	return &arrivals{size: newVolume(spec), samples: make([]int, spec.Seats), decisions: make([]int, spec.Seats), trainer: t}
}

func (a *arrivals) learn(ctx context.Context, progress float64) (report, error) {
	return a.trainer.learn(ctx, a, progress)
}

func (a *arrivals) reset() {
	clear(a.games) // let go of the histories, which the replay buffer may keep
	a.games = a.games[:0]
	a.size.reset()
}

func (a *arrivals) volume() *volume { return &a.size }

func (a *arrivals) begin(uint32, uint64) {
	clear(a.samples)
	clear(a.decisions)
}

func (a *arrivals) visit(_ engine.State, seat, _ int, legal []int, _ float32, own bool) {
	if !own {
		return
	}
	a.decisions[seat]++
	if len(legal) > 1 {
		a.samples[seat]++
	}
}

func (a *arrivals) keep(p played) {
	g := game{history: p.history, stage: p.stage}
	for seat, samples := range a.samples {
		a.size.add(samples, a.decisions[seat], p.versions[seat])
		if samples == 0 {
			continue
		}
		if g.seats == 0 || p.versions[seat] < g.version {
			g.version = p.versions[seat]
		}
		g.seats |= 1 << seat
		g.samples += int32(samples)
	}
	a.size.games++
	if g.samples > 0 {
		a.games = append(a.games, g)
	}
}

// replay holds the newest games, as many as fit, drawn by priority. Games are numbered from
// 0 in order of arrival; game k is in slot k modulo the number of slots.
type replay struct {
	maxSamples, maxBytes int

	slots          []game // their number is a power of two
	first, next    uint64 // numbers of the oldest game and of the next one to come
	samples, bytes int
	priorities     *priorities // by slot
	largest        float64     // largest priority ever seen, given to new games
}

func newReplay(maxSamples, maxBytes int) *replay {
	const slots = 1024
	return &replay{
		maxSamples: maxSamples, maxBytes: maxBytes,
		slots: make([]game, slots), priorities: newPriorities(slots), largest: 1,
	}
}

// games returns the number of games.
func (r *replay) games() int { return int(r.next - r.first) }

func (r *replay) slot(number uint64) int { return int(number & uint64(len(r.slots)-1)) }

// insert adds a game with the largest priority, so that every game is drawn soon. It drops
// the oldest games beyond the limits, and all games of another stage, whose rules differed.
func (r *replay) insert(g game) {
	for r.games() > 0 && r.slots[r.slot(r.first)].stage != g.stage {
		r.drop()
	}
	if r.games() == len(r.slots) {
		r.grow()
	}
	slot := r.slot(r.next)
	r.slots[slot] = g
	r.priorities.set(slot, r.largest)
	r.next++
	r.samples += int(g.samples)
	r.bytes += g.bytes()
	for r.games() > 1 && (r.samples > r.maxSamples || r.bytes > r.maxBytes) {
		r.drop()
	}
}

// drop forgets the oldest game.
func (r *replay) drop() {
	slot := r.slot(r.first)
	g := &r.slots[slot]
	r.samples -= int(g.samples)
	r.bytes -= g.bytes()
	*g = game{}
	r.priorities.set(slot, 0)
	r.first++
}

// grow doubles the slots.
func (r *replay) grow() {
	old, p := *r, newPriorities(2*len(r.slots))
	r.slots, r.priorities = make([]game, 2*len(r.slots)), p
	for k := r.first; k < r.next; k++ {
		from, to := old.slot(k), r.slot(k)
		r.slots[to] = old.slots[from]
		p.set(to, old.priorities.at(from))
	}
}

// draw returns the slot of a game drawn by priority, and how many times more often it is
// drawn than in uniform sampling.
func (r *replay) draw(rng *engine.RNG) (slot int, excess float64) {
	total := r.priorities.total()
	slot = r.priorities.find(rng.Float64() * total)
	return slot, r.priorities.at(slot) * float64(r.games()) / total
}

// prioritise sets the priority, above 0, of the game in a slot.
func (r *replay) prioritise(slot int, priority float64) {
	r.priorities.set(slot, priority)
	r.largest = max(r.largest, priority)
}

// replayer rebuilds the decisions of stored games. It belongs to one goroutine.
type replayer struct {
	*recorder
	stages  []stageState // by stage
	legal   []int
	returns []float64
}

// stageState is what replaying the games of one stage takes.
type stageState struct {
	state   engine.State
	width   int     // bytes of a step in a history
	largest float64 // Spec.MaxReturn
}

// newReplayer returns a replayer for the games of a curriculum, given by stage number.
func newReplayer(c Config, games []engine.Game, memory bool) *replayer {
	p := &replayer{recorder: newRecorder(c, games, memory), returns: make([]float64, games[0].Spec().Seats)}
	for _, g := range games {
		p.stages = append(p.stages, stageState{g.NewState(), messages.HistoryWidth(g.Spec()), g.Spec().MaxReturn})
	}
	return p
}

// replay appends the agent's samples in a game to the rollout, with the given weight in
// the loss. The behaviour log-probabilities, which are not kept, are 0.
func (p *replayer) replay(g *game, weight float32, to *rollout) {
	p.begin(g.stage, 0)
	stage := p.stages[g.stage]
	s := stage.state
	s.Reset()
	for i := range len(g.history) / stage.width {
		step := messages.StepAt(g.history, stage.width, i)
		if seat := s.Player(); seat >= 0 {
			p.legal = s.LegalActions(p.legal[:0])
			p.visit(s, seat, step, p.legal, 0, g.seats>>seat&1 == 1)
		}
		if err := s.Apply(step); err != nil {
			panic("learner: a verified game does not replay: " + err.Error())
		}
	}
	s.Returns(p.returns)
	for i := range p.seats {
		to.addSequence(&p.seats[i], float32(p.returns[i]/stage.largest), g.version, weight)
	}
	to.size.games++
}

// append copies the games of another rollout to the end of this one.
func (r *rollout) append(o *rollout) {
	base := r.len()
	for _, s := range o.sequences {
		s.first += base
		r.sequences = append(r.sequences, s)
	}
	r.decisions.append(&o.decisions, o.len())
	r.size.merge(&o.size)
}

// sequences returns the number of the game's sequences: one for each seat of the agent.
func (g *game) sequences() int { return bits.OnesCount8(g.seats) }
