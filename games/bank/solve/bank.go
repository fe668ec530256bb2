// Package solve solves BANK! with dice: the optimum of the game for two, and the best response
// to given opponents in games for more.
//
// Terms: a difference is the points of a seat less the other's; a stage is the number of rolls
// in a round, where 3 stands for 3 or more; a seat is alone when the other has banked in the
// round. Returns are the game's, -1..1; people see them as shares of the win, (1 + return) / 2.
//
// The optimum of a game for two is computed from the last round to the first for all
// differences and banks up to a size, without rounding them. Whatever lies beyond is bounded
// from below for each seat, and what one seat is sure to get bounds the other from above. So
// the value of a position is known to lie between two bounds, and each seat's plan guarantees
// its bound.
package solve

import (
	"context"
	"fmt"

	"croupier/engine"
	game "croupier/games/bank"
	"croupier/policy"
)

// Sizes of the tables: the largest differences and banks in them, in points.
const (
	MinSize     = 250 // stages below 3 must fit
	DefaultSize = 1000
	MaxSize     = 4000 // takes about 600 MB

	agentSize = 500 // ten rounds are solved in about two seconds
)

// Optimum is the optimum of a game for two, with what each seat is sure to get. It is
// immutable, and goroutines may share it.
type Optimum struct {
	rules game.Rules
	races [2]*race
}

// Solve computes the optimum with tables of the given size, in MinSize..MaxSize. It calls
// progress, unless that is nil, after each round of each seat. It is an error if the game
// is not for two.
func Solve(ctx context.Context, g engine.Game, size int, progress func(done, total int)) (*Optimum, error) {
	o := &Optimum{rules: g.Rules().(game.Rules)}
	if o.rules.Players != 2 {
		return nil, fmt.Errorf("solver: bank: the optimum is computed for 2 players, this game has %d", o.rules.Players)
	}
	if size < MinSize || size > MaxSize {
		return nil, fmt.Errorf("solver: bank: size is %d, not in %d..%d", size, MinSize, MaxSize)
	}
	total := 2 * o.rules.Rounds
	if o.rules.Repoll {
		total = 2
	}
	done := 0
	for seat := range o.races {
		r, err := newRace(ctx, seat, o.rules.Rounds, size, o.rules.Repoll, func() {
			if done++; progress != nil {
				progress(done, total)
			}
		})
		if err != nil {
			return nil, err
		}
		o.races[seat] = r
	}
	return o, nil
}

// Value returns the expected return of seat 0, and how far it may be from the truth.
func (o *Optimum) Value() (value, errorBound float64) {
	low, high := o.Bounds(0, 0)
	return (low + high) / 2, (high - low) / 2
}

// Bounds returns the bounds on seat 0's expected return at the beginning of a round, after the
// given number of finished rounds.
func (o *Optimum) Bounds(finished, difference int) (low, high float64) {
	return o.races[0].curves[finished].at(difference), 0 - o.races[1].curves[finished].at(-difference)
}

// Policy returns a policy that plays the optimum. It is a policy.Valuer.
func (o *Optimum) Policy() policy.Stochastic { return &player{o} }

// player plays the optimum.
type player struct{ *Optimum }

func (p *player) Reset() {}

func (p *player) Choose(s engine.State, _ []int, _ *engine.RNG) int {
	if p.situation(s).banks() {
		return game.Bank
	}
	return game.Pass
}

func (p *player) Distribution(s engine.State, legal []int, dst []float64) {
	clear(dst)
	dst[p.Choose(s, legal, nil)] = 1
}

// situation is a position in which a seat is asked, from its point of view.
type situation struct {
	own, other       *round // what the seat and the other are sure to get
	repoll           bool
	role             role
	stage            int
	difference, bank int
	// solved has what a seat gets alone for all differences, from above where upper is true; with
	// repoll it is the same in all rounds and for both seats. nil: it is computed when needed.
	solved map[bool]*alone
}

// situation returns the position of the seat to move.
func (o *Optimum) situation(s engine.State) situation {
	poll := s.(*game.State).Poll()
	own, other := poll.Seat, 1-poll.Seat
	at := situation{
		own: o.races[own].rounds[poll.Round], other: o.races[other].rounds[poll.Round],
		repoll: o.rules.Repoll, role: second, stage: min(poll.Roll, stages),
		difference: int(poll.Totals[own] - poll.Totals[other]), bank: int(poll.Bank),
	}
	switch bit := uint8(1) << other; {
	case poll.Active&bit == 0:
		at.role = lone
	case o.rules.Repoll, poll.Asking&bit != 0:
		at.role = first
	}
	return at
}

// banks reports whether the seat banks.
func (s situation) banks() bool {
	size, r := s.own.next.size, s.own
	inside := s.bank <= size && s.difference >= -size && s.difference <= size
	switch {
	case s.role != lone && s.repoll:
		return false
	case s.role == lone && !inside:
		return isEnough(r.next.at(s.difference+s.bank), r.own.onceAt(s.difference, s.bank))
	case s.bank > size:
		banked := -r.other.onceAt(-s.difference-s.bank, s.bank)
		if s.role == first {
			banked = min(banked, r.next.at(s.difference))
		}
		return banked > r.wait(s.difference, s.bank)
	}
	return r.plan.banks(s.role, s.stage, s.difference, s.bank)
}
