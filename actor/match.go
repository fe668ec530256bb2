package actor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/messages"
	"croupier/player"
)

// maxSets bounds the games of one match, so that a lease is never held for long.
const maxSets = 4096

// checkMatch reports why a match cannot be of this run.
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

// checkWeights reports why a player is not the one that a match names: it was made of other weights.
func checkWeights(p *player.Player, sha256 []byte) error {
	if len(sha256) > 0 && !bytes.Equal(p.SHA256, sha256) {
		return fmt.Errorf("%s has weights %.4x here, the match is for %.4x", p.Name, p.SHA256, sha256)
	}
	return nil
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
	// By game, numbered as in messages.Result: a float32 column of the seats' returns, and the
	// SHA-256 of the history.
	returns   []byte
	histories [][sha256.Size]byte
	kept      *keptMatch // nil: the games are not kept
}

// lineup is the half of a match in which one focal agent sits among opponents of
// the other kind.
type lineup struct {
	seats []*player.Player // of each seat assignment: [focal seat][seat]
	// figures of the focal agent, by game and figure; others are those of its opponent
	// in a game for two, else empty.
	figures, others []engine.Sum
}

// newMatchPlay prepares the match between players a and b.
func newMatchPlay(spec *engine.Spec, runSeed uint64, match *messages.Match, a, b *player.Player) *matchPlay {
	m := &matchPlay{match: match, spec: spec, runSeed: runSeed, total: messages.MatchGames(spec, match.Sets)}
	m.lineups = append(m.lineups, newLineup(spec, int(match.Sets), a, b))
	if spec.Seats > 2 {
		m.lineups = append(m.lineups, newLineup(spec, int(match.Sets), b, a))
	}
	m.returns = make([]byte, 4*spec.Seats*m.total)
	m.histories = make([][sha256.Size]byte, m.total)
	return m
}

func newLineup(spec *engine.Spec, sets int, focal, other *player.Player) *lineup {
	seats, games := spec.Seats, sets*spec.Seats
	l := &lineup{
		seats:   make([]*player.Player, seats*seats),
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
	lineup := m.dealt % len(m.lineups)
	l := m.lineups[lineup]
	m.dealt++
	set, focal := game/n, game%n
	number := m.match.FirstSet + uint64(set)
	return assignment{
		seed:     engine.GameSeed(m.runSeed, messages.ArenaPurpose, number),
		seats:    l.seats[focal*n : (focal+1)*n],
		measured: true,
		finish: func(r *episode) {
			m.played++
			m.kept.add(number, r)
			m.note(lineup*int(m.match.Sets)*n+game, r)
			l.measure(game, focal, r.sums)
		},
	}, true
}

// note keeps what came out of a game.
func (m *matchPlay) note(game int, r *episode) {
	m.histories[game] = sha256.Sum256(r.history)
	column := m.returns[4*game*m.spec.Seats:]
	for seat, v := range r.returns {
		if r.cut {
			v = math.NaN()
		}
		binary.LittleEndian.PutUint32(column[4*seat:], math.Float32bits(float32(v)))
	}
}

// measure keeps the figures of a game.
func (l *lineup) measure(game, focal int, sums engine.Sums) {
	own := sums.Of(focal)
	copy(l.figures[game*len(own):], own)
	if len(l.others) > 0 {
		copy(l.others[game*len(own):], sums.Of(1-focal))
	}
}

// done reports whether all games are finished.
func (m *matchPlay) done() bool { return m.played == m.total }

// result sums up the finished match.
func (m *matchPlay) result() (*messages.Result, error) {
	r := &messages.Result{
		Schema: messages.SchemaVersion, Run: m.match.Run, Match: m.match, Returns: m.returns, Digests: m.digests(),
	}
	if err := messages.SumUp(m.spec, r); err != nil {
		return nil, err
	}
	r.FiguresA = m.figures(m.lineups[0].figures)
	r.FiguresB = m.figures(m.lineups[0].others)
	if len(m.lineups) > 1 {
		r.FiguresB = m.figures(m.lineups[1].figures)
	}
	return r, nil
}

// digestBytes is how much of a set's SHA-256 a result has.
const digestBytes = 4

// digests returns the beginning of each set's SHA-256, over those of its games' histories.
func (m *matchPlay) digests() []byte {
	n, sets := m.spec.Seats, int(m.match.Sets)
	var out []byte
	for set := range sets {
		sum := sha256.New()
		for lineup := range m.lineups {
			for _, history := range m.histories[(lineup*sets+set)*n:][:n] {
				sum.Write(history[:])
			}
		}
		out = append(out, sum.Sum(nil)[:digestBytes]...)
	}
	return out
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

// PlayMatch plays a whole match in the calling goroutine, on as many tables at a
// time, and returns its result. It ends early with ctx's error.
func PlayMatch(ctx context.Context, game engine.Game, runSeed uint64, match *messages.Match, a, b *player.Player,
	tables int) (*messages.Result, error) {
	return finishMatch(ctx, game, newMatchPlay(game.Spec(), runSeed, match, a, b), tables)
}

// PlayAndKeep is PlayMatch, and returns the games as well, as an archive takes them: all of them, or
// none if their histories are very long together.
func PlayAndKeep(
	ctx context.Context, game engine.Game, runSeed uint64, match *messages.Match, a, b *player.Player, tables int,
) (*messages.Result, []*messages.Kept, error) {
	m := newMatchPlay(game.Spec(), runSeed, match, a, b)
	m.kept = &keptMatch{by: newArchiveOffers(Keeping{}, nil, nil, match.Run, match.Run, game), match: match.Id}
	result, err := finishMatch(ctx, game, m, tables)
	return result, m.kept.games(), err
}

func finishMatch(ctx context.Context, game engine.Game, m *matchPlay, tables int) (*messages.Result, error) {
	r := newRoom(tables, game)
	for !m.done() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.step(ctx, func() (assignment, bool) { return m.next() })
	}
	return m.result()
}
