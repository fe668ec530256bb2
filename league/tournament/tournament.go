package tournament

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/league/rating"
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
	Sets      uint64                   // of each meeting; SetsFor has the number for that many games
	MatchSets uint64                   // of a match; 0: as many as in a run
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
func (t Tournament) Play(ctx context.Context, play func(context.Context, *messages.Match) (*messages.Result,
	error)) (*messages.Ladder, error) {
	if t.Format == nil {
		t.Format = RoundRobin{}
	}
	if err := t.validate(); err != nil {
		return nil, fmt.Errorf("tournament: %w", err)
	}
	h := &hall{
		Tournament: t, play: play,
		course: &course{agents: t.Agents, sets: t.Sets, results: rating.NewResults(
			t.Spec, t.Run, t.RulesHash, rating.Sequential{})},
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

	mu              sync.Mutex // the course's results and all below
	played, planned int        // matches
	shown           time.Time  // when the ladder was shown last
	showing         time.Duration
}

// round plays the meetings of a round at the same time.
func (h *hall) round(ctx context.Context, meetings []meeting) error {
	before := make([]rating.Sums, len(meetings))
	for i, m := range meetings {
		before[i] = h.course.results.Pair(m.a, m.b).Total()
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
	if err := h.course.results.Apply(result); err != nil {
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
	standing, err := h.course.results.Rate(rating.Listing{Agents: h.Agents, Kind: h.Kind, Zero: h.Zero})
	if err != nil {
		return nil, err
	}
	standing.Ladder.Format = h.Format.String()
	if h.Format.inRounds() {
		standing.Ladder.Rounds = h.course.past
	}
	if d, ok := h.Format.(Duel); ok {
		standing.Ladder.Test = d.report(h.course)
	}
	return standing.Ladder, nil
}

// result reports how a meeting has ended, of a pair that had these results before.
func (c *course) result(m meeting, before rating.Sums) messages.Meeting {
	if m.b == "" {
		return messages.Meeting{A: m.a, PointsA: 1}
	}
	p := c.results.Pair(m.a, m.b)
	own := p.Total().Minus(before)
	a, b := c.results.FocalOf(p.Key, own, m.a), c.results.FocalOf(p.Key, own, m.b)
	out := messages.Meeting{
		A: m.a, B: m.b, PointsA: 0.5, Games: c.results.Games(own.Sets),
		MeanReturnA: a.MeanReturn().Value, MeanReturnB: b.MeanReturn().Value,
	}
	switch a.Compare(b) {
	case 1:
		out.PointsA = 1
	case -1:
		out.PointsA = 0
	}
	return out
}

func (t Tournament) validate() error {
	if len(t.Agents) < 2 {
		return fmt.Errorf("%d agents, at least two are needed", len(t.Agents))
	}
	for i, a := range t.Agents {
		if a == "" || len(a) > rating.MaxAgentName {
			return fmt.Errorf("agent %d: a name has 1..%d bytes", i+1, rating.MaxAgentName)
		}
		if slices.Contains(t.Agents[:i], a) {
			return fmt.Errorf("agent %s is named twice", a)
		}
	}
	if err := t.Format.Check(len(t.Agents)); err != nil {
		return err
	}
	if t.Sets < 1 || t.Sets > rating.MaxPairSets {
		return fmt.Errorf("%d sets, not 1..%d", t.Sets, rating.MaxPairSets)
	}
	if t.MatchSets > rating.MaxMatchSets {
		return fmt.Errorf("%d sets in a match, at most %d are possible", t.MatchSets, rating.MaxMatchSets)
	}
	return nil
}

// matches lists all matches of meetings, the first of every meeting first.
func (h *hall) matches(meetings []meeting) []*messages.Match {
	size := h.MatchSets
	if size == 0 {
		size = rating.DefaultMatchSets
	}
	var out []*messages.Match
	for offset, more := uint64(0), true; more; offset += size {
		more = false
		for _, m := range meetings {
			if first := m.sets.First + offset; m.b != "" && first < m.sets.End {
				out = append(out, h.course.results.Match(rating.NewKey(m.a, m.b),
					rating.Span{First: first, End: min(first+size, m.sets.End)}, 0))
				more = true
			}
		}
	}
	return out
}
