package rating

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"croupier/engine"
	"croupier/messages"
)

const (
	// MaxMatchSets bounds the sets of one match.
	MaxMatchSets = 1 << 12
	// DefaultMatchSets are those of a match unless settings say otherwise.
	DefaultMatchSets = 10
	// MaxPairSets bounds the sets of a pair that are played to rate it, numbered from 0.
	MaxPairSets = 1 << 23
	// FirstGateSet is the number of the first set that is played for the gate. As many
	// follow. They decide and do nothing else: what is quoted comes from other sets.
	FirstGateSet = MaxPairSets
	// MaxAgentName is the greatest length of an agent's name in bytes.
	MaxAgentName = 128
)

// ErrDuplicate reports that some sets of a result are already counted.
var ErrDuplicate = errors.New("sets are already counted")

// Span is a range of sets of a pair, First included, End excluded.
type Span struct {
	First uint64 `json:"first"`
	End   uint64 `json:"end"`
}

// Limit is the end of the sets of a pair that are of the same purpose as the range's first.
func (s Span) Limit() uint64 {
	if s.First < FirstGateSet {
		return FirstGateSet
	}
	return FirstGateSet + MaxPairSets
}

// weights identify a version: the SHA-256 of its file; zero for agents without one.
type weights [sha256.Size]byte

// bytes returns them as messages have them.
func (w weights) bytes() []byte {
	if w == (weights{}) {
		return nil
	}
	return w[:]
}

func (w weights) hex() string { return hex.EncodeToString(w.bytes()) }

// readWeights reads what a message has, false for what is not a SHA-256.
func readWeights(sum []byte) (w weights, ok bool) {
	return w, copy(w[:], sum) == len(sum) && (len(sum) == 0 || len(sum) == len(w))
}

// Key identifies two agents, in the order of their names: a name is for people, and in a run
// that has lost a part of its state the same one may have meant other weights.
type Key struct {
	A, B   string
	as, bs weights
}

// NewKey is the key of agents without weights.
func NewKey(x, y string) Key {
	if y < x {
		x, y = y, x
	}
	return Key{A: x, B: y}
}

// Key is that of two agents as they are known by their names.
func (b *Results) Key(x, y string) Key {
	k := NewKey(x, y)
	k.as, k.bs = b.weights[k.A], b.weights[k.B]
	return k
}

func (k Key) digest() [32]byte {
	return sha256.Sum256(slices.Concat([]byte(k.A+"\x00"+k.B), k.as.bytes(), k.bs.bytes()))
}

// Base is the number of the pair's first set. Pairs have different sets, and so
// different dice: their results are independent, as the intervals take them to be.
func (k Key) Base() uint64 {
	d := k.digest()
	return uint64(binary.BigEndian.Uint32(d[:])) * (FirstGateSet + MaxPairSets)
}

// MatchID is the same whenever the same sets of the same pair are asked for in the same
// attempt: a match that is published again after a crash has only one result of an actor.
func (k Key) MatchID(s Span, attempt uint32) string {
	d := k.digest()
	id := fmt.Sprintf("%x-%d-%d", d[:8], s.First, s.End)
	if attempt > 0 {
		id += fmt.Sprintf("-%d", attempt)
	}
	return id
}

// Pair is all that is known of two agents' games.
type Pair struct {
	Key Key
	// Done are the sets that are counted: sorted, disjoint, not touching.
	Done  []Span
	rated Sums   // results of the sets below FirstGateSet
	Trial *Trial // of those from there on; nil without any
}

// Total returns the results of all sets but those of the gate.
func (p *Pair) Total() Sums { return p.rated }

// Results keeps the results of all pairs. Equal sets of results make it equal, in
// whatever order and however often each of them came.
type Results struct {
	Spec  *engine.Spec
	Run   string
	Rules [8]byte
	Gate  Sequential
	Pairs map[Key]*Pair
	// weights are those of the versions, by each name under which one plays.
	weights  map[string]weights
	met      map[string]bool  // agents that have results
	recorded map[Key]Recorded // by the pairs of names
	// Figures are the sums of each agent's games alone among others of one kind, by
	// figure of the game.
	Figures map[string][]ExactRatio
}

// NewResults has no results yet. The gate is the test that sets for the gate decide.
func NewResults(spec *engine.Spec, run string, rules [8]byte, gate Sequential) *Results {
	return &Results{
		Spec: spec, Run: run, Rules: rules, Gate: gate,
		Pairs: map[Key]*Pair{}, weights: map[string]weights{}, met: map[string]bool{}, recorded: map[Key]Recorded{},
		Figures: map[string][]ExactRatio{},
	}
}

// SetWeights notes the SHA-256 of the weights that play under a name.
func (b *Results) SetWeights(name string, sum []byte) { b.weights[name], _ = readWeights(sum) }

// HasResults reports whether an agent has any results.
func (b *Results) HasResults(name string) bool { return b.met[name] }

// Pair returns what is known of two agents, which may be nothing yet.
func (b *Results) Pair(x, y string) *Pair {
	return b.PairOf(b.Key(x, y))
}

// PairOf returns what is known of a pair.
func (b *Results) PairOf(k Key) *Pair {
	if p := b.Pairs[k]; p != nil {
		return p
	}
	return &Pair{Key: k}
}

// Focal returns the sets with the focal agent among opponents of the other kind.
func (b *Results) Focal(agent, opponent string) Focal {
	p := b.Pair(agent, opponent)
	return b.FocalOf(p.Key, p.Total(), agent)
}

// FocalOf returns those of some results of a pair in which the agent is the focal one.
func (b *Results) FocalOf(k Key, c Sums, agent string) Focal {
	return c.focal(k.A == agent, b.Spec)
}

// Games returns how many games those sets of a pair are, in all lineups.
func (b *Results) Games(sets uint64) uint64 {
	if b.Spec.Seats > 2 {
		sets *= 2
	}
	return sets * uint64(b.Spec.Seats)
}

// Match asks for sets of a pair.
func (b *Results) Match(k Key, s Span, attempt uint32) *messages.Match {
	return &messages.Match{
		Schema: messages.SchemaVersion, Run: b.Run, Id: k.MatchID(s, attempt), RulesHash: b.Rules[:],
		A: k.A, B: k.B, ASha256: k.as.bytes(), BSha256: k.bs.bytes(),
		FirstSet: k.Base() + s.First, Sets: uint32(s.End - s.First), Attempt: attempt,
	}
}

// VerifySums reports what is wrong with the numbers of a result of these sets. Its error is [ErrDuplicate],
// or a *messages.Refusal.
func (b *Results) VerifySums(k Key, s Span, r *messages.Result) error {
	if p := b.Pairs[k]; p != nil {
		if _, free := AddSpan(p.Done, s); !free {
			return ErrDuplicate
		}
	}
	for _, focal := range []struct {
		name    string
		figures *messages.FigureSums
	}{{k.A, r.FiguresA}, {k.B, r.FiguresB}} {
		if _, err := messages.UnpackFigures(focal.figures, s.End-s.First, b.Spec.Figures); err != nil {
			return messages.Refuse(messages.ReasonReturns, "one %s: %v", focal.name, err)
		}
	}
	if len(r.Returns) > 0 {
		return messages.CheckSums(b.Spec, r)
	}
	return nil
}

// Apply verifies a result and counts it.
func (b *Results) Apply(r *messages.Result) error {
	k, s, err := b.Check(r)
	if err == nil {
		err = b.VerifySums(k, s, r)
	}
	if err == nil {
		b.Count(k, s, r)
	}
	return err
}

// Count enters a result that is verified.
func (b *Results) Count(k Key, s Span, r *messages.Result) {
	p := b.Pairs[k]
	if p == nil {
		p = &Pair{Key: k}
		b.enter(p)
	}
	p.Done, _ = AddSpan(p.Done, s)
	// They were read before without an error.
	figuresA, _ := messages.UnpackFigures(r.FiguresA, s.End-s.First, b.Spec.Figures)
	figuresB, _ := messages.UnpackFigures(r.FiguresB, s.End-s.First, b.Spec.Figures)
	b.addFigures(k.A, figuresA)
	b.addFigures(k.B, figuresB)
	c := NewSums(r, b.Spec)
	if s.First < FirstGateSet {
		p.rated.Add(c)
		return
	}
	if p.Trial == nil {
		p.Trial = &Trial{}
	}
	p.Trial.add(s.First-FirstGateSet, c)
	b.judge(p)
}

// enter adds a pair.
func (b *Results) enter(p *Pair) {
	b.Pairs[p.Key] = p
	b.met[p.Key.A], b.met[p.Key.B] = true, true
}

// AddSpan adds a range to sorted disjoint ones, unless it overlaps with one.
func AddSpan(spans []Span, s Span) ([]Span, bool) {
	i, _ := slices.BinarySearchFunc(spans, s.First, func(x Span, first uint64) int {
		if x.End <= first {
			return -1
		}
		return 1
	})
	if i < len(spans) && spans[i].First < s.End {
		return spans, false
	}
	spans = slices.Insert(slices.Clone(spans), i, s)
	if i+1 < len(spans) && spans[i+1].First == s.End {
		spans[i].End = spans[i+1].End
		spans = slices.Delete(spans, i+1, i+2)
	}
	if i > 0 && spans[i-1].End == s.First {
		spans[i-1].End = spans[i].End
		spans = slices.Delete(spans, i, i+1)
	}
	return spans, true
}

// SetsOf reads which sets of which pair a match is about; false where the SHA-256 of a version is none.
func SetsOf(m *messages.Match) (k Key, s Span, ok bool) {
	k = Key{A: m.GetA(), B: m.GetB()}
	var okA, okB bool
	k.as, okA = readWeights(m.GetASha256())
	k.bs, okB = readWeights(m.GetBSha256())
	first := m.GetFirstSet() - k.Base()
	return k, Span{first, first + uint64(m.GetSets())}, okA && okB
}

// Check reads which sets of which pair a result is of, and says what is wrong with it.
func (b *Results) Check(r *messages.Result) (Key, Span, error) {
	m := r.GetMatch()
	k, s, ok := SetsOf(m)
	fail := func(reason messages.Reason, format string, args ...any) (Key, Span, error) {
		return k, s, messages.Refuse(reason, format, args...)
	}
	switch {
	case r.GetRun() != b.Run || m.GetRun() != b.Run:
		return fail(messages.ReasonRun, "it is of run %.80q, this is run %q", r.GetRun(), b.Run)
	case !bytes.Equal(m.GetRulesHash(), b.Rules[:]):
		return fail(messages.ReasonRules, "rules %.8x, %s has %x here", m.GetRulesHash(), b.Spec.Name, b.Rules)
	case k.A == "" || len(k.A) > MaxAgentName || len(k.B) > MaxAgentName || k.A >= k.B || !ok:
		return fail(messages.ReasonAgents, "impossible pair of agents %.80q and %.80q", k.A, k.B)
	case m.GetSets() == 0 || m.GetSets() > MaxMatchSets || s.First >= FirstGateSet+MaxPairSets || s.End > s.Limit():
		return fail(messages.ReasonMatch, "impossible sets: %d from number %d on", m.GetSets(), m.GetFirstSet())
	case m.GetId() != k.MatchID(s, m.GetAttempt()):
		return fail(messages.ReasonMatch, "id %.80q, those sets of %s and %s have %q",
			m.GetId(), k.A, k.B, k.MatchID(s, m.GetAttempt()))
	case s.First >= FirstGateSet && !k.gated():
		return fail(messages.ReasonMatch, "sets for the gate, through which neither %s nor %s goes", k.A, k.B)
	}
	return k, s, b.checkSums(k, r)
}

// checkSums refuses what no games can have.
func (b *Results) checkSums(k Key, r *messages.Result) error {
	sets := r.Match.Sets
	if (r.OneB != nil) != (b.Spec.Seats > 2) {
		return messages.Refuse(messages.ReasonReturns, "lineups do not fit %d seats", b.Spec.Seats)
	}
	if err := b.checkLineup(r.OneA, sets); err != nil {
		return messages.Refuse(messages.ReasonReturns, "one %s: %v", k.A, err)
	}
	if r.OneB != nil {
		if err := b.checkLineup(r.OneB, sets); err != nil {
			return messages.Refuse(messages.ReasonReturns, "one %s: %v", k.B, err)
		}
	}
	if p := r.ShareProducts; !(p >= 0 && p <= float64(sets)*(1+rounding)) {
		return messages.Refuse(messages.ReasonReturns, "impossible sum of share products %v", p)
	}
	return nil
}

// rounding is the relative error that a sum may have.
const rounding = 1e-9

// checkLineup refuses sums that no games can have.
func (b *Results) checkLineup(l *messages.Lineup, sets uint32) error {
	if l.GetSets() != uint64(sets) || l.GetGames() != uint64(sets)*uint64(b.Spec.Seats) {
		return fmt.Errorf("%d sets and %d games instead of %d and %d",
			l.GetSets(), l.GetGames(), sets, int(sets)*b.Spec.Seats)
	}
	n, seats := float64(sets), float64(b.Spec.Seats)
	for _, v := range []struct {
		what              string
		n, sum, squares   float64
		lowest, magnitude float64 // of a single value
	}{
		{"share", n, l.GetShareSum(), l.GetShareSquares(), 0, 1},
		{"return", n, l.ReturnSum, l.ReturnSquares, -b.Spec.MaxReturn, b.Spec.MaxReturn},
		{"games' share", n * seats, l.ShareSum * seats, l.GameShareSquares, 0, 1},
	} {
		slack := rounding * v.n * max(v.magnitude, sq(v.magnitude))
		within := v.sum >= v.n*v.lowest-slack && v.sum <= v.n*v.magnitude+slack &&
			v.squares >= sq(v.sum)/v.n-slack && v.squares <= v.n*sq(v.magnitude)+slack
		if !within {
			return fmt.Errorf("impossible %s: sum %v, squares %v, of %v", v.what, v.sum, v.squares, v.n)
		}
	}
	return nil
}

// SetVarianceRatio compares the variance of a set's mean share, over all pairs, with
// what the mean of as many independent games would have. It reports false before
// there are enough results.
func (b *Results) SetVarianceRatio() (float64, bool) {
	measured, independent := 0.0, 0.0
	for _, p := range b.Pairs {
		c := p.Total()
		f := c.focal(true, b.Spec)
		if f.Sets < 2 {
			continue
		}
		measured += moments(float64(f.Sets), f.Share, f.ShareSquares).Squares
		independent += moments(float64(f.games()), fixed(f.spec.Seats)*f.Share, f.GameSquares).Squares / sq(
			float64(f.spec.Seats))
	}
	return measured / independent, independent > 0
}
