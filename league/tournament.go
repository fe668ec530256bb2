package league

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/messages"
)

// Tournament is a tournament between given agents, without a population.
type Tournament struct {
	Spec      *engine.Spec
	RulesHash [8]byte // engine.RulesHash of the game
	Run       string  // what the matches are to carry as their run
	Agents    []string
	Format    Format                   // nil: RoundRobin
	Kind      func(name string) string // network, bot or solver
	Zero      string                   // agent whose rating is 0; if it takes no part, the mean is 0
	Sets      uint64                   // of each meeting; SetsFor has the number for so many games
	MatchSets uint64                   // of a match; 0: DefaultConfig().MatchSets
	Workers   int                      // matches played at the same time; 0: one
	// Known, unless nil, returns the result of a match that was played earlier, else nil. Goroutines call it at the
	// same time.
	Known func(match *messages.Match) *messages.Result
	// Keep, unless nil, is given each new result, by one goroutine at a time.
	Keep func(*messages.Result) error
	// Show, unless nil, is given the ladder now and then, by one goroutine at a time, with whom
	// results are missing.
	Show func(*messages.Ladder) error
	// Progress, unless nil, is called after each match, by one goroutine at a time. Of matches it
	// knows those of the rounds so far.
	Progress func(played, matches int)
}

// SetsFor returns the sets in which each lineup of a pair has at least that many games.
func SetsFor(spec *engine.Spec, games uint64) uint64 {
	seats := uint64(spec.Seats)
	return (games + seats - 1) / seats
}

// Play plays the tournament and rates the agents. The ladder does not depend on
// Workers. It ends early with the first error of play or of ctx.
func (t Tournament) Play(ctx context.Context, play func(context.Context, *messages.Match) (*messages.Result, error)) (*messages.Ladder, error) {
	if t.Format == nil {
		t.Format = RoundRobin{}
	}
	if err := t.validate(); err != nil {
		return nil, fmt.Errorf("tournament: %w", err)
	}
	h := &hall{
		Tournament: t, play: play,
		course: &course{agents: t.Agents, sets: t.Sets, book: newBook(t.Spec, t.Run, t.RulesHash, sequential{})},
	}
	for meetings := t.Format.round(h.course); len(meetings) > 0; meetings = t.Format.round(h.course) {
		if err := h.round(ctx, meetings); err != nil {
			return nil, fmt.Errorf("tournament: %w", err)
		}
	}
	ladder, err := h.ladder()
	if err != nil {
		return nil, fmt.Errorf("tournament: %w", err)
	}
	return ladder, nil
}

// hall is a tournament at work.
type hall struct {
	Tournament
	play   func(context.Context, *messages.Match) (*messages.Result, error)
	course *course

	mu              sync.Mutex // the course's book and all below
	played, planned int        // matches
	shown           time.Time  // when the ladder was shown last
	showing         time.Duration
}

// round plays the meetings of a round at the same time.
func (h *hall) round(ctx context.Context, meetings []meeting) error {
	before := make([]counts, len(meetings))
	for i, m := range meetings {
		before[i] = h.course.book.pair(m.a, m.b).total()
	}
	matches := h.matches(meetings)
	h.planned += len(matches)
	group, playing := errgroup.WithContext(ctx)
	group.SetLimit(max(1, h.Workers))
	for _, m := range matches {
		if playing.Err() != nil {
			break
		}
		group.Go(func() error { return h.match(playing, m) })
	}
	err := group.Wait()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	round := make(messages.Round, len(meetings))
	for i, m := range meetings {
		round[i] = h.course.result(m, before[i])
	}
	h.course.past = append(h.course.past, round)
	return nil
}

// match plays a match, or takes its result from an earlier time, and counts it.
func (h *hall) match(ctx context.Context, m *messages.Match) error {
	var result *messages.Result
	if h.Known != nil {
		result = h.Known(m)
	}
	known := result != nil
	if !known {
		var err error
		if result, err = h.play(ctx, m); err != nil {
			return fmt.Errorf("%s against %s: %w", m.A, m.B, err)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.course.book.apply(result); err != nil {
		return fmt.Errorf("result of %s against %s: %w", m.A, m.B, err)
	}
	if h.played++; h.Progress != nil {
		h.Progress(h.played, h.planned)
	}
	if known {
		return nil
	}
	if h.Keep != nil {
		if err := h.Keep(result); err != nil {
			return err
		}
	}
	return h.show()
}

// showShare is the share of the time, at most, that goes into showing the ladder.
const showShare = 0.05

// show shows the ladder, unless that was done a moment ago.
func (h *hall) show() error {
	now := time.Now()
	if h.Show == nil || now.Sub(h.shown) < max(time.Second, time.Duration(float64(h.showing)/showShare)) {
		return nil
	}
	ladder, err := h.ladder()
	if err == nil {
		err = h.Show(ladder)
	}
	h.shown = time.Now()
	h.showing = h.shown.Sub(now)
	return err
}

// ladder rates the agents.
func (h *hall) ladder() (*messages.Ladder, error) {
	standing, err := h.course.book.rate(listing{agents: h.Agents, kind: h.Kind, zero: h.Zero})
	if err != nil {
		return nil, err
	}
	standing.ladder.Format = h.Format.String()
	if h.Format.inRounds() {
		standing.ladder.Rounds = h.course.past
	}
	if d, ok := h.Format.(Duel); ok {
		standing.ladder.Test = d.report(h.course)
	}
	return standing.ladder, nil
}

// result says how a meeting has ended, of a pair that had these results before.
func (c *course) result(m meeting, before counts) messages.Meeting {
	if m.b == "" {
		return messages.Meeting{A: m.a, PointsA: 1}
	}
	p := c.book.pair(m.a, m.b)
	own := p.total().less(before)
	of := func(agent string) focalSets { return own.focal(p.key.a == agent, c.book.spec) }
	a, b := of(m.a), of(m.b)
	out := messages.Meeting{
		A: m.a, B: m.b, PointsA: 0.5, Games: c.book.played(own.Sets),
		MeanReturnA: a.meanReturn().Value, MeanReturnB: b.meanReturn().Value,
	}
	// Sums of fixed numbers: what is level is so to the bit.
	switch cmp.Compare(a.deciding(), b.deciding()) {
	case 1:
		out.PointsA = 1
	case -1:
		out.PointsA = 0
	}
	return out
}

// deciding is what a meeting is won by: the sum of shares of the win, or of returns in games for
// money.
func (f focalSets) deciding() fixed {
	if f.spec.Payoff == engine.Money {
		return f.Return
	}
	return f.Share
}

func (t Tournament) validate() error {
	if len(t.Agents) < 2 {
		return fmt.Errorf("%d agents, at least two are needed", len(t.Agents))
	}
	for i, a := range t.Agents {
		if a == "" || len(a) > maxAgentName {
			return fmt.Errorf("agent %d: a name has 1..%d bytes", i+1, maxAgentName)
		}
		if slices.Contains(t.Agents[:i], a) {
			return fmt.Errorf("agent %s is named twice", a)
		}
	}
	if err := t.Format.Check(len(t.Agents)); err != nil {
		return err
	}
	if t.Sets < 1 || t.Sets > maxPairSets {
		return fmt.Errorf("%d sets, not 1..%d", t.Sets, maxPairSets)
	}
	if t.MatchSets > maxMatchSets {
		return fmt.Errorf("%d sets in a match, at most %d are possible", t.MatchSets, maxMatchSets)
	}
	return nil
}

// matches lists all matches of meetings, the first of every meeting first.
func (h *hall) matches(meetings []meeting) []*messages.Match {
	size := h.MatchSets
	if size == 0 {
		size = DefaultConfig().MatchSets
	}
	var out []*messages.Match
	for offset, more := uint64(0), true; more; offset += size {
		more = false
		for _, m := range meetings {
			if first := m.sets.First + offset; m.b != "" && first < m.sets.End {
				out = append(out, h.course.book.match(newPairKey(m.a, m.b), span{first, min(first+size, m.sets.End)}, 0))
				more = true
			}
		}
	}
	return out
}
