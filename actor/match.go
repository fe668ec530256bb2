package actor

import (
	"bytes"
	"context"
	"fmt"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/messages"
)

// maxSets bounds the games of one match, so that a lease is never held for long.
const maxSets = 4096

// checkMatch says why a match cannot be of this run.
func checkMatch(m *messages.Match, run string, rules [8]byte) error {
	switch {
	case m.Run != run:
		return fmt.Errorf("it is of the run %q, not %q", m.Run, run)
	case !bytes.Equal(m.RulesHash, rules[:]):
		return fmt.Errorf("its rules %x are not the run's %x", m.RulesHash, rules)
	case m.Sets < 1 || m.Sets > maxSets:
		return fmt.Errorf("%d sets are not in 1..%d", m.Sets, maxSets)
	}
	return messages.CheckToken(m.Id)
}

// matchPlay is an arena match in progress: it hands out the games of the match
// and gathers what came out of them. The result depends on the match and the
// agents alone, not on the order in which the games end.
type matchPlay struct {
	match   *messages.Match
	spec    *engine.Spec
	runSeed uint64
	lineups []*lineup
	total   int // games of the match
	dealt   int // games handed out
	played  int // games finished
	shares  []float64
	kept    *keptMatch // nil: the games are not kept
}

// lineup is the half of a match in which one focal agent sits among opponents of
// the other kind.
type lineup struct {
	seats []*Player // of each seat assignment: [focal seat][seat]
	// By game, set-major: focal's share of the win and return.
	share, payoff []float64
	wins, ties    uint64
	// figures of the focal agent, by game and figure; others are those of its opponent
	// in a game for two, else empty.
	figures, others []engine.Sum
}

// newMatchPlay prepares the match between players a and b.
func newMatchPlay(spec *engine.Spec, runSeed uint64, match *messages.Match, a, b *Player) *matchPlay {
	m := &matchPlay{match: match, spec: spec, runSeed: runSeed, shares: make([]float64, spec.Seats)}
	m.lineups = append(m.lineups, newLineup(spec, int(match.Sets), a, b))
	if spec.Seats > 2 {
		m.lineups = append(m.lineups, newLineup(spec, int(match.Sets), b, a))
	}
	m.total = len(m.lineups) * int(match.Sets) * spec.Seats
	return m
}

func newLineup(spec *engine.Spec, sets int, focal, other *Player) *lineup {
	seats, games := spec.Seats, sets*spec.Seats
	l := &lineup{
		seats:   make([]*Player, seats*seats),
		share:   make([]float64, games),
		payoff:  make([]float64, games),
		figures: make([]engine.Sum, games*len(spec.Figures)),
	}
	if seats == 2 {
		l.others = make([]engine.Sum, len(l.figures))
	}
	for i := range l.seats {
		l.seats[i] = other
		if i/seats == i%seats {
			l.seats[i] = focal
		}
	}
	return l
}

// next returns the next game of the match, in the order of the sets.
func (m *matchPlay) next() (assignment, bool) {
	if m.dealt == m.total {
		return assignment{}, false
	}
	n := m.spec.Seats
	game := m.dealt / len(m.lineups) // set-major number within the lineup
	l := m.lineups[m.dealt%len(m.lineups)]
	m.dealt++
	set, focal := game/n, game%n
	number := m.match.FirstSet + uint64(set)
	return assignment{
		seed:     engine.GameSeed(m.runSeed, messages.ArenaPurpose, number),
		seats:    l.seats[focal*n : (focal+1)*n],
		measured: true,
		finish: func(r *record) {
			m.played++
			m.kept.add(number, r)
			m.spec.Shares(r.returns, m.shares)
			if r.cut {
				for i := range m.shares {
					m.shares[i] = 1 / float64(n)
				}
			}
			l.share[game], l.payoff[game] = m.shares[focal], r.returns[focal]
			l.measure(game, focal, r.sums)
			if !r.cut {
				l.count(r.returns, focal)
			}
		},
	}, true
}

// measure keeps the figures of a game.
func (l *lineup) measure(game, focal int, sums engine.Sums) {
	own := sums.Of(focal)
	copy(l.figures[game*len(own):], own)
	if len(l.others) > 0 {
		copy(l.others[game*len(own):], sums.Of(1-focal))
	}
}

// count notes whether the focal seat had the highest return, alone or with others.
func (l *lineup) count(returns []float64, focal int) {
	best, at := returns[focal], 0
	for _, r := range returns {
		switch {
		case r > best:
			return
		case r == best:
			at++
		}
	}
	if at == 1 {
		l.wins++
	} else {
		l.ties++
	}
}

// done says whether all games are finished.
func (m *matchPlay) done() bool { return m.played == m.total }

// result sums up the finished match.
func (m *matchPlay) result() *messages.Result {
	r := &messages.Result{Schema: messages.SchemaVersion, Run: m.match.Run, Match: m.match}
	r.OneA = m.lineups[0].sum(m.spec.Seats)
	r.FiguresA = m.figures(m.lineups[0].figures)
	r.FiguresB = m.figures(m.lineups[0].others)
	if len(m.lineups) > 1 {
		r.OneB = m.lineups[1].sum(m.spec.Seats)
		r.FiguresB = m.figures(m.lineups[1].figures)
		for set := range int(m.match.Sets) {
			r.ShareProducts += m.lineups[0].meanShare(set, m.spec.Seats) * m.lineups[1].meanShare(set, m.spec.Seats)
		}
	}
	return r
}

// figures sums up figures by game and figure, set by set and in their order.
func (m *matchPlay) figures(games []engine.Sum) *messages.FigureSums {
	if len(games) == 0 {
		return nil
	}
	n := len(m.spec.Figures)
	all, set := make([]stat.Ratio, n), make([]engine.Sum, n)
	for i, sum := range games {
		set[i%n].Add(sum)
		if (i+1)%(n*m.spec.Seats) == 0 {
			for f := range all {
				all[f].Add(set[f].Value, set[f].Weight)
			}
			clear(set)
		}
	}
	return messages.PackFigures(m.spec.Figures, all)
}

// meanShare is the value of a set: the mean over its seat assignments.
func (l *lineup) meanShare(set, seats int) float64 { return mean(l.share[set*seats : (set+1)*seats]) }

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// sum adds up in the order of the sets, so that the bits do not depend on the
// order of play.
func (l *lineup) sum(seats int) *messages.Lineup {
	out := &messages.Lineup{
		Games: uint64(len(l.share)),
		Sets:  uint64(len(l.share) / seats),
		Wins:  l.wins,
		Ties:  l.ties,
	}
	for set := range int(out.Sets) {
		share, payoff := l.meanShare(set, seats), mean(l.payoff[set*seats:(set+1)*seats])
		out.ShareSum += share
		out.ShareSquares += share * share
		out.ReturnSum += payoff
		out.ReturnSquares += payoff * payoff
	}
	for _, share := range l.share {
		out.GameShareSquares += share * share
	}
	return out
}

// PlayMatch plays a whole match in the calling goroutine, on as many tables at a
// time, and returns its result. It ends early with ctx's error.
func PlayMatch(ctx context.Context, game engine.Game, runSeed uint64, match *messages.Match, a, b *Player, tables int) (*messages.Result, error) {
	m := newMatchPlay(game.Spec(), runSeed, match, a, b)
	r := newRoom(game, tables)
	for !m.done() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.step(func(int) (assignment, bool) { return m.next() })
	}
	return m.result(), nil
}
