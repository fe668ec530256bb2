package league

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
	// maxMatchSets bounds the sets of one match.
	maxMatchSets = 1 << 12
	// maxPairSets bounds the sets of a pair that are played to rate it, numbered from 0.
	maxPairSets = 1 << 23
	// firstDeciding is the number of the first set that is played for the gate. As many
	// follow. They decide and do nothing else: what is quoted comes from other sets.
	firstDeciding = maxPairSets
	// maxAgentName is the greatest length of an agent's name in bytes.
	maxAgentName = 128
)

// errDuplicate says that some sets of a result are already counted.
var errDuplicate = errors.New("sets are already counted")

// span is a range of sets of a pair, First included, End excluded.
type span struct {
	First uint64 `json:"first"`
	End   uint64 `json:"end"`
}

// limit is the end of the sets of a pair that are of the same purpose as the range's first.
func (s span) limit() uint64 {
	if s.First < firstDeciding {
		return firstDeciding
	}
	return firstDeciding + maxPairSets
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

// readWeights reads what a message has, false for what is no SHA-256.
func readWeights(sum []byte) (w weights, ok bool) {
	return w, copy(w[:], sum) == len(sum) && (len(sum) == 0 || len(sum) == len(w))
}

// pairKey identifies two agents, in the order of their names: a name is for people, and in a run
// that has lost a part of its state the same one may have stood for other weights.
type pairKey struct {
	a, b   string
	as, bs weights
}

// newPairKey is the key of agents without weights.
func newPairKey(x, y string) pairKey {
	if y < x {
		x, y = y, x
	}
	return pairKey{a: x, b: y}
}

// key is that of two agents as they are known by their names.
func (b *book) key(x, y string) pairKey {
	k := newPairKey(x, y)
	k.as, k.bs = b.weights[k.a], b.weights[k.b]
	return k
}

func (k pairKey) digest() [32]byte {
	return sha256.Sum256(slices.Concat([]byte(k.a+"\x00"+k.b), k.as.bytes(), k.bs.bytes()))
}

// base is the number of the pair's first set. Pairs have different sets, and so
// different dice: their results are independent, as the intervals take them to be.
func (k pairKey) base() uint64 {
	d := k.digest()
	return uint64(binary.BigEndian.Uint32(d[:])) * (firstDeciding + maxPairSets)
}

// matchID is the same whenever the same sets of the same pair are asked for in the same
// attempt: a match that is published again after a crash has only one result of an actor.
func (k pairKey) matchID(s span, attempt uint32) string {
	d := k.digest()
	id := fmt.Sprintf("%x-%d-%d", d[:8], s.First, s.End)
	if attempt > 0 {
		id += fmt.Sprintf("-%d", attempt)
	}
	return id
}

// pair is all that is known of two agents' games.
type pair struct {
	key pairKey
	// done are the sets that are counted: sorted, disjoint, not touching.
	done  []span
	rated counts // results of the sets below firstDeciding
	trial *trial // of those from there on; nil without any
}

// total returns the results of all sets but those of the gate.
func (p *pair) total() counts { return p.rated }

// book keeps the results of all pairs. Equal sets of results give equal books, in
// whatever order and however often each of them came.
type book struct {
	spec  *engine.Spec
	run   string
	rules [8]byte
	gate  sequential
	pairs map[pairKey]*pair
	// weights are those of the versions, by each name under which one plays.
	weights  map[string]weights
	met      map[string]bool      // agents that have results
	recorded map[pairKey]Recorded // by the pairs of names
	// figures are the sums of each agent's games alone among others of one kind, by
	// figure of the game.
	figures map[string][]exactRatio
}

func newBook(spec *engine.Spec, run string, rules [8]byte, gate sequential) *book {
	return &book{
		spec: spec, run: run, rules: rules, gate: gate,
		pairs: map[pairKey]*pair{}, weights: map[string]weights{}, met: map[string]bool{}, figures: map[string][]exactRatio{},
	}
}

// pair returns what is known of two agents, which may be nothing yet.
func (b *book) pair(x, y string) *pair {
	return b.pairOf(b.key(x, y))
}

// pairOf returns what is known of a pair.
func (b *book) pairOf(k pairKey) *pair {
	if p := b.pairs[k]; p != nil {
		return p
	}
	return &pair{key: k}
}

// focal returns the sets with the focal agent among opponents of the other kind.
func (b *book) focal(agent, opponent string) focalSets {
	p := b.pair(agent, opponent)
	return p.total().focal(p.key.a == agent, b.spec)
}

// played returns how many games those sets of a pair are, in all lineups.
func (b *book) played(sets uint64) uint64 {
	if b.spec.Seats > 2 {
		sets *= 2
	}
	return sets * uint64(b.spec.Seats)
}

// match asks for sets of a pair.
func (b *book) match(k pairKey, s span, attempt uint32) *messages.Match {
	return &messages.Match{
		Schema: messages.SchemaVersion, Run: b.run, Id: k.matchID(s, attempt), RulesHash: b.rules[:],
		A: k.a, B: k.b, ASha256: k.as.bytes(), BSha256: k.bs.bytes(),
		FirstSet: k.base() + s.First, Sets: uint32(s.End - s.First), Attempt: attempt,
	}
}

// verifySums says what is wrong with the numbers of a result of these sets. Its error is errDuplicate,
// or a *messages.Refusal.
func (b *book) verifySums(k pairKey, s span, r *messages.Result) error {
	if p := b.pairs[k]; p != nil {
		if _, free := insert(p.done, s); !free {
			return errDuplicate
		}
	}
	for _, focal := range []struct {
		name    string
		figures *messages.FigureSums
	}{{k.a, r.FiguresA}, {k.b, r.FiguresB}} {
		if _, err := messages.UnpackFigures(focal.figures, s.End-s.First, b.spec.Figures); err != nil {
			return refuse(messages.ReasonReturns, "one %s: %v", focal.name, err)
		}
	}
	if len(r.Returns) > 0 {
		return messages.CheckSums(b.spec, r)
	}
	return nil
}

// apply verifies a result and counts it.
func (b *book) apply(r *messages.Result) error {
	k, s, err := b.check(r)
	if err == nil {
		err = b.verifySums(k, s, r)
	}
	if err == nil {
		b.count(k, s, r)
	}
	return err
}

// count enters a result that is verified.
func (b *book) count(k pairKey, s span, r *messages.Result) {
	p := b.pairs[k]
	if p == nil {
		p = &pair{key: k}
		b.enter(p)
	}
	p.done, _ = insert(p.done, s)
	// They were read before without an error.
	figuresA, _ := messages.UnpackFigures(r.FiguresA, s.End-s.First, b.spec.Figures)
	figuresB, _ := messages.UnpackFigures(r.FiguresB, s.End-s.First, b.spec.Figures)
	b.addFigures(k.a, figuresA)
	b.addFigures(k.b, figuresB)
	c := counts{Sets: s.End - s.First, OneA: newLineup(r.OneA, b.spec.MaxReturn), Products: toFixed(r.ShareProducts)}
	if r.OneB != nil {
		c.OneB = newLineup(r.OneB, b.spec.MaxReturn)
	}
	if s.First < firstDeciding {
		p.rated.add(c)
		return
	}
	if p.trial == nil {
		p.trial = &trial{}
	}
	p.trial.add(s.First-firstDeciding, c)
	b.judge(p)
}

// enter adds a pair to the book.
func (b *book) enter(p *pair) {
	b.pairs[p.key] = p
	b.met[p.key.a], b.met[p.key.b] = true, true
}

// insert adds a range to sorted disjoint ones, unless it overlaps with one.
func insert(spans []span, s span) ([]span, bool) {
	i, _ := slices.BinarySearchFunc(spans, s.First, func(x span, first uint64) int {
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

// check reads which sets of which pair a result is of, and says what is wrong with it.
func (b *book) check(r *messages.Result) (pairKey, span, error) {
	m := r.GetMatch()
	k := pairKey{a: m.GetA(), b: m.GetB()}
	var okA, okB bool
	k.as, okA = readWeights(m.GetASha256())
	k.bs, okB = readWeights(m.GetBSha256())
	s := span{m.GetFirstSet() - k.base(), m.GetFirstSet() - k.base() + uint64(m.GetSets())}
	fail := func(reason messages.Reason, format string, args ...any) (pairKey, span, error) {
		return k, s, refuse(reason, format, args...)
	}
	switch {
	case r.GetRun() != b.run || m.GetRun() != b.run:
		return fail(messages.ReasonRun, "it is of run %.80q, this is run %q", r.GetRun(), b.run)
	case !bytes.Equal(m.GetRulesHash(), b.rules[:]):
		return fail(messages.ReasonRules, "rules %.8x, %s has %x here", m.GetRulesHash(), b.spec.Name, b.rules)
	case k.a == "" || len(k.a) > maxAgentName || len(k.b) > maxAgentName || k.a >= k.b || !okA || !okB:
		return fail(messages.ReasonAgents, "impossible pair of agents %.80q and %.80q", k.a, k.b)
	case m.GetSets() == 0 || m.GetSets() > maxMatchSets || s.First >= firstDeciding+maxPairSets || s.End > s.limit():
		return fail(messages.ReasonMatch, "impossible sets: %d from number %d on", m.GetSets(), m.GetFirstSet())
	case m.GetId() != k.matchID(s, m.GetAttempt()):
		return fail(messages.ReasonMatch, "id %.80q, those sets of %s and %s have %q",
			m.GetId(), k.a, k.b, k.matchID(s, m.GetAttempt()))
	case s.First >= firstDeciding && !k.gated():
		return fail(messages.ReasonMatch, "sets for the gate, through which neither %s nor %s goes", k.a, k.b)
	}
	return k, s, b.checkSums(k, r)
}

// checkSums refuses what no games can have.
func (b *book) checkSums(k pairKey, r *messages.Result) error {
	sets := r.Match.Sets
	if (r.OneB != nil) != (b.spec.Seats > 2) {
		return refuse(messages.ReasonReturns, "lineups do not fit %d seats", b.spec.Seats)
	}
	if err := b.checkLineup(r.OneA, sets); err != nil {
		return refuse(messages.ReasonReturns, "one %s: %v", k.a, err)
	}
	if r.OneB != nil {
		if err := b.checkLineup(r.OneB, sets); err != nil {
			return refuse(messages.ReasonReturns, "one %s: %v", k.b, err)
		}
	}
	if p := r.ShareProducts; !(p >= 0 && p <= float64(sets)*(1+rounding)) {
		return refuse(messages.ReasonReturns, "impossible sum of share products %v", p)
	}
	return nil
}

func refuse(reason messages.Reason, format string, args ...any) error {
	return &messages.Refusal{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// rounding is the relative error that a sum may have.
const rounding = 1e-9

// checkLineup refuses sums that no games can have.
func (b *book) checkLineup(l *messages.Lineup, sets uint32) error {
	if l.GetSets() != uint64(sets) || l.GetGames() != uint64(sets)*uint64(b.spec.Seats) {
		return fmt.Errorf("%d sets and %d games instead of %d and %d",
			l.GetSets(), l.GetGames(), sets, int(sets)*b.spec.Seats)
	}
	n, seats := float64(sets), float64(b.spec.Seats)
	for _, v := range []struct {
		what              string
		n, sum, squares   float64
		lowest, magnitude float64 // of a single value
	}{
		{"share", n, l.GetShareSum(), l.GetShareSquares(), 0, 1},
		{"return", n, l.ReturnSum, l.ReturnSquares, -b.spec.MaxReturn, b.spec.MaxReturn},
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

// setVarianceRatio compares the variance of a set's mean share, over all pairs, with
// what the mean of as many independent games would have. It reports false before
// there are enough results.
func (b *book) setVarianceRatio() (float64, bool) {
	measured, independent := 0.0, 0.0
	for _, p := range b.pairs {
		c := p.total()
		f := c.focal(true, b.spec)
		if f.sets < 2 {
			continue
		}
		measured += moments(float64(f.sets), f.Share, f.ShareSquares).Squares
		independent += moments(float64(f.games()), fixed(f.spec.Seats)*f.Share, f.GameSquares).Squares / sq(float64(f.spec.Seats))
	}
	return measured / independent, independent > 0
}
