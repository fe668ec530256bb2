package train

import (
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

// addGame appends a game as it is, if the agent has samples in it, and counts its decisions.
func (r *Rollout) addGame(g *Rows) {
	kept := game{history: g.episode.History, stage: g.episode.Stage}
	for seat := range g.seats {
		d, version := &g.seats[seat], g.episode.Versions[seat]
		r.Size.add(d.samples, d.made, version)
		if d.samples == 0 {
			continue
		}
		if kept.seats == 0 || version < kept.version {
			kept.version = version
		}
		kept.seats |= 1 << seat
		kept.samples += int32(d.samples)
	}
	if kept.samples > 0 {
		r.games = append(r.games, kept)
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

// replayer reads stored games again. It belongs to one goroutine.
type replayer struct {
	recorder *Recorder
	stages   []stageState // by stage
	episode  Episode      // the current one, whose steps the replayer itself reads

	*stageState       // of the episode
	seats       uint8 // of the agent in it
	at          int   // number of the next step
	legal       []int
	returns     []float64
	results     []float32
}

// stageState is what replaying the games of one stage takes.
type stageState struct {
	state   engine.State
	width   int     // bytes of a step in a history
	largest float64 // Spec.MaxReturn
}

// newReplayer returns a replayer for the games of a curriculum, given by stage number.
func newReplayer(c Config, games []engine.Game, memory bool) *replayer {
	seats := games[0].Spec().Seats
	p := &replayer{recorder: newRecorder(c, games, memory), returns: make([]float64, seats),
		results: make([]float32, seats)}
	p.episode.Versions, p.episode.Steps = make([]uint64, seats), p
	for _, g := range games {
		p.stages = append(p.stages, stageState{g.NewState(), messages.HistoryWidth(g.Spec()), g.Spec().MaxReturn})
	}
	return p
}

// replay appends the agent's samples in a game to the rollout, with the given weight in
// the loss. The behaviour log-probabilities, which are not kept, are 0.
func (p *replayer) replay(g *game, weight float32, to *Rollout) {
	p.episode.Stage, p.episode.History = g.stage, g.history
	for seat := range p.episode.Versions {
		p.episode.Versions[seat] = g.version
	}
	p.stageState, p.seats, p.at = &p.stages[g.stage], g.seats, 0
	p.state.Reset()
	rows, err := p.recorder.Record(&p.episode)
	if err != nil {
		panic("train: a verified game does not replay: " + err.Error())
	}
	to.Add(rows, weight)
}

// Next implements [Steps]. What chance brought is passed over.
func (p *replayer) Next(s *Step) bool {
	for {
		if p.at > 0 {
			apply(p.state, messages.StepAt(p.episode.History, p.width, p.at-1))
		}
		if p.at == len(p.episode.History)/p.width {
			return false
		}
		p.at++
		if seat := p.state.Player(); seat >= 0 {
			p.legal = p.state.LegalActions(p.legal[:0])
			action := messages.StepAt(p.episode.History, p.width, p.at-1)
			*s = Step{p.state, seat, action, p.legal, 0, p.seats>>seat&1 == 1}
			return true
		}
	}
}

// End implements [Steps].
func (p *replayer) End() ([]float32, error) {
	p.state.Returns(p.returns)
	for seat, x := range p.returns {
		p.results[seat] = float32(x / p.largest)
	}
	return p.results, nil
}

// append copies the games of another rollout to the end of this one.
func (r *Rollout) append(o *Rollout) {
	base := r.Len()
	for _, s := range o.Sequences {
		s.First += base
		r.Sequences = append(r.Sequences, s)
	}
	r.Decisions.append(&o.Decisions, o.Len())
	r.Size.Merge(&o.Size)
}

// sequences returns the number of the game's sequences: one for each seat of the agent.
func (g *game) sequences() int { return bits.OnesCount8(g.seats) }
