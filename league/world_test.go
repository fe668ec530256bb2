package league

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
	"croupier/policy"
)

// world is everything around a core: a learner, actors, and a bus that keeps one
// result per match.
type world struct {
	t         require.TestingT
	core      *core
	now       time.Duration
	sim       *ratingtest.Simulation
	pointer   *messages.Pointer            // of the main agent
	others    map[string]*messages.Pointer // of the other learning agents
	strength  map[string]float64           // of the versions of those
	resets    []*messages.Reset
	tables    map[string]*messages.Matchmaking
	members   []*messages.Member
	promoted  []*messages.Promotion
	dropped   []messages.DroppedMember
	setbacks  []*messages.Setback
	queue     []*messages.Match // asked for, not played
	issued    []*messages.Match // all that were
	results   []*messages.Result
	counted   [][]byte // the first of these, as the journal has them
	played    map[string]bool
	published []*messages.Points
	table     *messages.Matchmaking
	ladder    *messages.Ladder
	bests     []string
	wanted    *measureTable // the measurement that was asked for and not taken
	done      bool
}

func testConfig() Config {
	c := DefaultConfig()
	c.FreezeUpdates, c.Outstanding, c.MatchSets = 64, 4, 5
	c.ReferenceSets, c.GateSets, c.GateMaxSets, c.FinalSets, c.MaxSets = 13, 22, 44, 31, 60
	c.GateGain = 0.3
	return c
}

func newTestCore(config Config, seats int, evaluates bool) *core {
	return newCore(coreOptions{
		spec: ratingtest.Spec(seats), run: "run", rules: ratingtest.Rules, config: config,
		references: []string{"random", "threshold(100)"}, zero: "threshold(100)", kind: ratingtest.Kind, evaluates: evaluates,
	})
}

func newWorld(t require.TestingT, config Config, seats int, seed uint64) *world {
	return &world{
		t: t, core: newTestCore(config, seats, false), played: map[string]bool{}, others: map[string]*messages.Pointer{},
		strength: map[string]float64{}, tables: map[string]*messages.Matchmaking{},
		sim: &ratingtest.Simulation{Spec: ratingtest.Spec(seats), Theta: map[string]float64{"random": -1}, Luck: 0.3,
			RNG: engine.NewRNG(seed, 0)},
	}
}

// playedWorld returns a world of three seats in which a first version and the references have played ten rounds of
// matches.
func playedWorld(t require.TestingT, seed uint64) *world {
	w := newWorld(t, testConfig(), 3, seed)
	w.step(caughtUp{})
	w.learn(0)
	for range 10 {
		w.tick()
		w.play(0)
	}
	return w
}

// step hands an event to the core and carries out the effects.
func (w *world) step(e event) {
	effects, err := w.core.step(e)
	require.NoError(w.t, err)
	for _, e := range effects {
		switch e := e.(type) {
		case freeze:
			// A version is a little stronger than the one before.
			w.sim.Theta[e.member.Name] = -1 + 0.25*float64(e.member.Order)
			w.sim.Theta[policy.Greedy.Of(e.member.Name)] = -0.5 + 0.25*float64(e.member.Order)
			if theta, ok := w.strength[agentOf(e.member)]; ok {
				w.sim.Theta[e.member.Name] = theta
			}
			w.members = append(w.members, e.member)
			w.step(memberKnown{e.member})
		case drop:
			w.dropped = append(w.dropped, e.members...)
			w.step(membersDropped{w.droppedMembers()})
		case promote:
			w.promoted = append(w.promoted, e.promotion)
			w.step(promotionKnown(e))
		case setBack:
			w.setbacks = append(w.setbacks, e.setback)
			w.step(setbackKnown(e))
		case beginAgain:
			w.resets = append(w.resets, e.reset)
			w.step(resetKnown(e))
		case publishMatch:
			w.checkMatch(e.match)
			w.queue = append(w.queue, e.match)
			w.issued = append(w.issued, e.match)
		case publishTable:
			w.tables[e.table.Learner] = e.table
			w.table = w.tables[messages.LearningAgent]
		case publishLadder:
			w.ladder = e.ladder
		case publishPoints:
			w.published = append(w.published, e.points)
		case measureTable:
			w.wanted = &e
		case moveBest:
			w.bests = append(w.bests, e.to)
		case settled:
			if e.err != nil {
				require.ErrorIs(w.t, e.err, rating.ErrDuplicate)
			}
		case finished:
			w.done = true
		}
	}
	if w.core.ready {
		require.LessOrEqual(w.t, len(w.core.outstanding), w.core.config.Outstanding)
	}
}

// tellResets has a core know of the last resets.
func (w *world) tellResets(c *core) {
	for _, r := range w.core.resets {
		_, err := c.step(resetKnown{r})
		require.NoError(w.t, err)
	}
}

// droppedMembers are all members that were dropped.
func (w *world) droppedMembers() (members []*messages.Member) {
	for _, m := range w.dropped {
		members = append(members, m.Member)
	}
	return members
}

// checkMatch holds for every match that is published.
func (w *world) checkMatch(m *messages.Match) {
	known := func(name string) bool {
		return slices.Contains(w.core.references, name) || slices.ContainsFunc(w.members, func(x *messages.Member) bool {
			return name == w.core.player(x) || w.core.samples && name == x.Name
		})
	}
	require.True(w.t, known(m.A), m.A)
	require.True(w.t, known(m.B), m.B)
	require.NotEqual(w.t, m.A, m.B)
	require.NoError(w.t, messages.CheckToken(m.Id))
	require.Equal(w.t, messages.SchemaVersion, int(m.Schema))
	require.NotZero(w.t, m.Sets)
}

// learn publishes weights after further updates.
func (w *world) learn(updates uint64) {
	p := &messages.Pointer{Schema: messages.SchemaVersion, Agent: messages.LearningAgent, Version: 1}
	if w.pointer != nil {
		p.Version, p.Updates = w.pointer.Version+1, w.pointer.Updates+updates
	}
	p.Samples, p.Seconds = 100*p.Updates, float64(p.Version)
	sum := sha256.Sum256(fmt.Append(nil, p.Version))
	p.Sha256, p.Object = sum[:], messages.LiveObject(messages.LearningAgent, p.Version, sum)
	w.pointer = p
	w.step(pointerMoved{p})
}

// learnAs publishes weights of another learning agent after further updates, and that many resets.
func (w *world) learnAs(agent string, updates, resets uint64) {
	p := &messages.Pointer{Schema: messages.SchemaVersion, Agent: agent, Version: 1, Updates: updates, Resets: resets}
	if last := w.others[agent]; last != nil {
		p.Version, p.Updates = last.Version+1, last.Updates+updates
	}
	p.Samples, p.Seconds = 100*p.Updates, float64(p.Version)
	sum := sha256.Sum256(fmt.Append(nil, agent, p.Version))
	p.Sha256, p.Object = sum[:], messages.LiveObject(agent, p.Version, sum)
	w.others[agent] = p
	w.step(pointerMoved{p})
}

// play plays match i of the queue. Only the first result of a match is kept.
func (w *world) play(i int) {
	m := w.queue[i]
	w.queue = slices.Delete(w.queue, i, i+1)
	if w.played[m.Id] {
		return
	}
	w.played[m.Id] = true
	r := w.sim.Play(m)
	w.results = append(w.results, r)
	w.step(arrival(uint64(len(w.results)), r))
}

// arrival is a result as the stream of results has it.
func arrival(sequence uint64, r *messages.Result) resultArrived {
	e := resultArrived{sequence: sequence, digest: 7 * sequence, subject: messages.ResultSubject(r.Match.Id, "actor-0"),
		result: r}
	if len(r.Returns) == 0 {
		e.subject = r.Match.Id // of an old program
	}
	return e
}

// playAll plays until nothing is asked for.
func (w *world) playAll() {
	for range 10000 {
		if len(w.queue) == 0 {
			w.tick()
		}
		if len(w.queue) == 0 {
			return
		}
		w.play(0)
	}
	require.Fail(w.t, "the arena never comes to rest")
}

func (w *world) tick() {
	w.now += time.Second
	w.step(tick{w.now})
}

// replay gives a new core the members, promotions and results, and returns the ladder.
func replay(
	t require.TestingT, c *core, members []*messages.Member, promoted []*messages.Promotion,
	results []*messages.Result, first uint64,
) *messages.Ladder {
	for _, p := range promoted {
		_, err := c.step(promotionKnown{p})
		require.NoError(t, err)
	}
	for _, m := range members {
		_, err := c.step(memberKnown{m})
		require.NoError(t, err)
	}
	for i, r := range results {
		_, err := c.step(arrival(first+uint64(i), r))
		require.NoError(t, err)
	}
	return ladderOf(t, c)
}

func ladderOf(t require.TestingT, c *core) *messages.Ladder {
	_, err := c.step(caughtUp{})
	require.NoError(t, err)
	_, err = c.step(tick{time.Hour})
	require.NoError(t, err)
	return c.standing.Ladder
}

func document(t require.TestingT, l *messages.Ladder) string {
	doc, err := json.Marshal(l)
	require.NoError(t, err)
	return string(doc)
}

// shuffled returns a permutation of items, some of them more than once.
func shuffled[T any](rng *engine.RNG, items []T) []T {
	out := slices.Clone(items)
	for range len(items) / 3 {
		out = append(out, items[rng.IntN(len(items))])
	}
	for i := len(out) - 1; i > 0; i-- {
		j := rng.IntN(i + 1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}

func cloneResults(results []*messages.Result) []*messages.Result {
	var out []*messages.Result
	for _, r := range results {
		out = append(out, proto.CloneOf(r))
	}
	return out
}

func sumOf(t *messages.Matchmaking) float64 {
	sum := 0.0
	for _, o := range t.Opponents {
		sum += o.Weight
	}
	return sum
}

func seriesOf(p *messages.Points) []string {
	var out []string
	for _, x := range p.Points {
		out = append(out, x.Series)
	}
	return out
}
