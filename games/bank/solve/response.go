package solve

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	game "croupier/games/bank"
)

// MaxResponseSize is the largest size of tables of a [Response].
const MaxResponseSize = 1000

// Response is the best response of one seat to opponents that play a bot and act alike, so that
// all of them have the same points: a game in which only that seat decides. The bot itself says
// what the opponents do, and the engine plays the phases. A Response is immutable, and
// goroutines may share it.
type Response struct {
	game      engine.Game
	seat      int
	opponents opponents
	size      int
	all       uint8            // mask of the opponents
	rounds    []*responseRound // nil: the tables are not kept
	value     interval
}

// interval bounds a return of the seat.
type interval struct{ low, high float64 }

// A mode is who is active in a round.
type mode int

const (
	everybody mode = iota
	mine           // the seat alone
	theirs         // the opponents alone
	modes
)

// responseRound is a round of the response. Rolls are distinguished up to the one from which on
// the opponents treat them alike, and then by the seat that is asked first: class c stands for roll c
// and, in the last cycle, for all later rolls like it.
type responseRound struct {
	*Response
	number int        // finished rounds
	next   []interval // after the round, by difference + size
	// rolled is the return when the phase after a roll begins, and going the lower bound on it
	// when the phase has ended and the dice are to be rolled, by mode, class - 1, bank and
	// difference + size.
	rolled [modes][][][]interval
	going  [modes][][][]float32
	now    [modes][]interval // scratch: going at one bank
}

// Respond computes the best response of a seat to the bot in all other seats, and keeps its
// tables if it is to be played (four times the memory for ten rounds). It calls progress,
// unless that is nil, after each round. The error reports why there is no response to a bot.
func Respond(
	ctx context.Context, g engine.Game, seat int, bot string, size int, keep bool, progress func(done, total int),
) (*Response, error) {
	rules := g.Rules().(game.Rules)
	switch {
	case seat < 0 || seat >= rules.Players:
		return nil, fmt.Errorf("solver: bank: seat is %d, not in 0..%d", seat, rules.Players-1)
	case size < MinSize || size > MaxResponseSize:
		return nil, fmt.Errorf("solver: bank: size is %d, not in %d..%d", size, MinSize, MaxResponseSize)
	}
	o, err := newOpponents(g, bot)
	if err != nil {
		return nil, err
	}
	r := &Response{
		game: g, seat: seat, opponents: o, size: size, all: uint8(1<<rules.Players-1) &^ (1 << seat),
	}
	if keep {
		r.rounds = make([]*responseRound, rules.Rounds)
	}
	next := make([]interval, 2*size+1)
	for i, v := range endCurve(size).from(-size)[:2*size+1] {
		next[i] = interval{v, v}
	}
	for n := rules.Rounds - 1; n >= 0; n-- {
		now := r.newRound(n, next)
		if next, err = now.solve(ctx); err != nil {
			return nil, err
		}
		if keep {
			r.rounds[n] = now
		}
		if progress != nil {
			progress(rules.Rounds-n, rules.Rounds)
		}
	}
	r.value = next[size]
	return r, nil
}

// Value returns the expected return of the seat, and how far it may be from the truth.
func (r *Response) Value() (value, errorBound float64) {
	return (r.value.low + r.value.high) / 2, (r.value.high - r.value.low) / 2
}

// cycle is the number of classes of later rolls.
func (r *Response) cycle() int {
	if rules := r.game.Rules().(game.Rules); !rules.Repoll {
		return rules.Players
	}
	return 1
}

// class returns the class of a roll.
func (r *Response) class(roll int) int {
	if over := roll - r.opponents.rolls; over > 0 {
		return r.opponents.rolls + over%r.cycle()
	}
	return roll
}

func (r *Response) newRound(number int, next []interval) *responseRound {
	n := &responseRound{Response: r, number: number, next: next}
	classes, width := r.opponents.rolls+r.cycle()-1, 2*r.size+1
	for m := range modes {
		n.rolled[m], n.going[m] = make([][][]interval, classes), make([][][]float32, classes)
		n.now[m] = make([]interval, width)
		for c := range classes {
			banks := mostBank(min(c+1, stages), r.size)
			n.rolled[m][c] = make([][]interval, 2*r.size+1)
			for bank := range banks + 1 {
				n.rolled[m][c][bank] = make([]interval, width)
			}
			if r.rounds != nil {
				n.going[m][c] = make([][]float32, banks+1)
				for bank := range n.going[m][c] {
					n.going[m][c][bank] = make([]float32, width)
				}
			}
		}
	}
	return n
}

// solve returns the values at the beginning of the round.
func (r *responseRound) solve(ctx context.Context) ([]interval, error) {
	classes := len(r.rolled[0])
	for bank := 2 * r.size; bank > r.size; bank-- {
		if isReached(bank, r.size) {
			r.beyond(bank)
		}
	}
	for bank := r.size; bank > 0; bank-- {
		for c := classes; c > 0; c-- {
			if bank > mostBank(min(c, stages), r.size) {
				continue
			}
			if err := r.step(ctx, c, bank); err != nil {
				return nil, err
			}
		}
	}
	begin := make([]interval, 2*r.size+1)
	r.mean(begin, safeAdditions[:], everybody, 1, 0)
	r.rolled = [modes][][][]interval{}
	return begin, nil
}

// step computes one bank of a class for all differences.
func (r *responseRound) step(ctx context.Context, class, bank int) error {
	following := r.class(class + 1)
	for m := range modes {
		clear(r.now[m])
		if class < stages {
			r.mean(r.now[m], safeAdditions[:], m, following, bank)
		} else {
			r.mean(r.now[m], additions[:], m, following, bank)
			twice := r.rolled[m][following-1][2*bank]
			for i, v := range r.next {
				r.now[m][i].low += bust*v.low + double*twice[i].low
				r.now[m][i].high += bust*v.high + double*twice[i].high
			}
		}
		if r.rounds == nil {
			continue
		}
		for i, v := range r.now[m] {
			r.going[m][class-1][bank][i] = float32(v.low)
		}
	}
	var group errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() error {
			s := r.game.NewState().(*game.State)
			for i := w; i <= 2*r.size; i += workers {
				for m := range modes {
					s.SetPoll(r.poll(m, class, bank, i-r.size))
					v, err := r.phase(s, r.leaf)
					if err != nil {
						return err
					}
					r.rolled[m][class-1][bank][i] = v
				}
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

// mean adds up what follows the rolls that add points.
func (r *responseRound) mean(dst []interval, rolls []addition, m mode, class, bank int) {
	for _, add := range rolls {
		for i, v := range r.rolled[m][class-1][bank+add.points] {
			dst[i].low += add.probability * v.low
			dst[i].high += add.probability * v.high
		}
	}
}

// beyond bounds what follows a roll to a bank that the tables do not hold.
func (r *responseRound) beyond(bank int) {
	for m := range modes {
		row := make([]interval, 2*r.size+1)
		for i := range row {
			row[i] = interval{-1, 1}
			if m == mine {
				now := r.after(i - r.size + bank)
				row[i] = interval{now.low, max(now.high, bust*r.next[i].high+(1-bust))}
			}
		}
		for c := range r.rolled[m] {
			r.rolled[m][c][bank] = row
		}
	}
}

// poll is the position after a roll in which a phase begins.
func (r *responseRound) poll(m mode, roll, bank, difference int) game.Poll {
	active := [modes]uint8{r.all | 1<<r.seat, 1 << r.seat, r.all}[m]
	p := game.Poll{Seat: -1, Round: r.number, Roll: roll, Bank: int64(bank), Active: active, Asking: active}
	for seat := range r.game.Spec().Seats {
		p.Totals[seat] = int64(r.size)
	}
	p.Totals[r.seat] += int64(difference)
	return p
}

var errNotAlike = errors.New("solver: bank: the opponents do not act alike, so the response to them is not computed")

// phase plays from a position in which a seat is asked to the end of the phase, where leaf says
// what follows. It changes the state.
func (r *responseRound) phase(
	s *game.State, leaf func(m mode, class, bank, difference int) interval,
) (interval, error) {
	for {
		p := s.Poll()
		if p.Seat < 0 {
			return r.end(p, leaf)
		}
		share := 0.0
		if p.Seat != r.seat {
			share = r.opponents.banks(s)
		}
		if p.Seat != r.seat && (share == 0 || share == 1) {
			if err := s.Apply(int(share)); err != nil {
				return interval{}, err
			}
			continue
		}
		var v [2]interval
		for action := range v {
			next := *s
			err := next.Apply(action)
			if err == nil {
				v[action], err = r.phase(&next, leaf)
			}
			if err != nil {
				return interval{}, err
			}
		}
		if p.Seat == r.seat {
			return interval{max(v[0].low, v[1].low), max(v[0].high, v[1].high)}, nil
		}
		return interval{(1-share)*v[0].low + share*v[1].low, (1-share)*v[0].high + share*v[1].high}, nil
	}
}

// end returns what follows the phase.
func (r *responseRound) end(p game.Poll, leaf func(m mode, class, bank, difference int) interval) (interval, error) {
	other := 0
	if r.seat == 0 {
		other = 1
	}
	for seat := range r.game.Spec().Seats {
		if seat != r.seat && p.Totals[seat] != p.Totals[other] {
			return interval{}, errNotAlike
		}
	}
	difference := int(p.Totals[r.seat] - p.Totals[other])
	if p.Round != r.number {
		return r.after(difference), nil
	}
	m := everybody
	switch {
	case p.Active&r.all == 0:
		m = mine
	case p.Active>>r.seat&1 == 0:
		m = theirs
	}
	return leaf(m, r.class(p.Roll), int(p.Bank), difference), nil
}

// leaf is what follows a phase while the round is computed.
func (r *responseRound) leaf(m mode, _, _, difference int) interval {
	return r.within(difference, func(i int) interval { return r.now[m][i] })
}

// after is what follows the round.
func (r *responseRound) after(difference int) interval {
	return r.within(difference, func(i int) interval { return r.next[i] })
}

// within looks a difference up. Beyond the tables anything is possible, except that against
// opponents that do not look at points more is never worse.
func (r *responseRound) within(difference int, at func(i int) interval) interval {
	v := interval{-1, 1}
	switch {
	case difference > r.size && r.opponents.blind:
		v.low = at(2 * r.size).low
	case difference < -r.size && r.opponents.blind:
		v.high = at(0).high
	case difference >= -r.size && difference <= r.size:
		v = at(difference + r.size)
	}
	return v
}
