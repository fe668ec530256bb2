package messages

import (
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/proto"

	"croupier/engine"
)

// ResultSubject is the subject of an actor's result of a match in the stream of results:
// who publishes it is part of it, so that a broker with credentials proves the author.
func ResultSubject(match, actor string) string { return match + "." + actor }

// ParseResultSubject returns match and actor of a result's subject. It reports false for
// any other form.
func ParseResultSubject(subject string) (match, actor string, ok bool) {
	match, actor, ok = strings.Cut(subject, ".")
	return match, actor, ok && CheckToken(match) == nil && CheckToken(actor) == nil
}

// Games of a match are numbered by lineup, then by set, then by the focal agent's seat. There
// is a second lineup, one b among copies of a, where there are more than two seats.
func lineups(spec *engine.Spec) int {
	if spec.Seats > 2 {
		return 2
	}
	return 1
}

// MatchGames returns how many games a match of that many sets has.
func MatchGames(spec *engine.Spec, sets uint32) int { return lineups(spec) * int(sets) * spec.Seats }

// zeroSum is the share of the largest return by which float32 returns of a game may miss 0.
const zeroSum = 1e-5

// SumUp fills OneA, OneB and ShareProducts of a result from its match's sets and its returns, in the
// order of the sets, so that equal returns give equal bits wherever they are summed. A game that was
// cut off is one in which all were equal. Its error is a *Refusal of returns that no games can have.
func SumUp(spec *engine.Spec, r *Result) error {
	sets, n := int(r.GetMatch().GetSets()), spec.Seats
	if want := 4 * n * MatchGames(spec, r.GetMatch().GetSets()); len(r.Returns) != want {
		return Refuse(ReasonReturns, "returns of %d bytes, the games of %d sets have %d", len(r.Returns), sets, want)
	}
	s := summing{spec: spec, column: r.Returns, returns: make([]float64, n), shares: make([]float64, n)}
	r.OneA, r.OneB, r.ShareProducts = &Lineup{}, nil, 0
	first := make([]float64, sets) // the sets' shares of the first lineup
	for set := range sets {
		var err error
		if first[set], err = s.set(r.OneA, set); err != nil {
			return err
		}
	}
	if lineups(spec) == 1 {
		return nil
	}
	r.OneB = &Lineup{}
	for set := range sets {
		share, err := s.set(r.OneB, sets+set)
		if err != nil {
			return err
		}
		r.ShareProducts += first[set] * share
	}
	return nil
}

// CheckSums reports whether the sums of a result are, to the last bit, those of its returns. Its error is
// a *Refusal.
func CheckSums(spec *engine.Spec, r *Result) error {
	own := &Result{Match: r.GetMatch(), Returns: r.GetReturns()}
	if err := SumUp(spec, own); err != nil {
		return err
	}
	if !proto.Equal(own.OneA, r.OneA) || !proto.Equal(own.OneB, r.OneB) || own.ShareProducts != r.ShareProducts {
		return Refuse(ReasonReturns, "sums that are not those of the returns")
	}
	return nil
}

// summing adds up the games of a match.
type summing struct {
	spec            *engine.Spec
	column          []byte // of returns
	returns, shares []float64
}

// set adds a set, numbered through all lineups, to its lineup. It returns the focal agent's mean
// share in it.
func (s *summing) set(l *Lineup, set int) (share float64, err error) {
	n := s.spec.Seats
	payoff := 0.0
	for focal := range n {
		cut, err := s.game(set*n + focal)
		if err != nil {
			return 0, err
		}
		own := s.shares[focal]
		share += own
		payoff += s.returns[focal]
		l.GameShareSquares += own * own
		l.Games++
		if !cut {
			s.count(l, focal)
		}
	}
	share, payoff = share/float64(n), payoff/float64(n)
	l.Sets++
	l.ShareSum += share
	l.ShareSquares += share * share
	l.ReturnSum += payoff
	l.ReturnSquares += payoff * payoff
	return share, nil
}

// game reads the returns and shares of a game.
func (s *summing) game(game int) (cut bool, err error) {
	missing, sum := 0, 0.0
	for seat := range s.returns {
		v := float64(FloatAt(s.column, game*len(s.returns)+seat))
		if math.IsNaN(v) {
			missing++
			v = 0
		}
		if math.Abs(v) > s.spec.MaxReturn*(1+zeroSum) {
			return false, Refuse(ReasonReturns, "a return of %v, the largest is %v", v, s.spec.MaxReturn)
		}
		s.returns[seat] = v
		sum += v
	}
	switch {
	case missing == len(s.returns):
		for seat := range s.shares {
			s.shares[seat] = 1 / float64(len(s.shares))
		}
		return true, nil
	case missing > 0:
		return false, Refuse(ReasonReturns, "a game that ended for some seats only")
	case math.Abs(sum) > zeroSum*s.spec.MaxReturn*float64(len(s.returns)):
		return false, Refuse(ReasonReturns, "returns that sum to %v", sum)
	}
	s.spec.Shares(s.returns, s.shares)
	return false, nil
}

// count notes whether the focal seat had the highest return, alone or with others.
func (s *summing) count(l *Lineup, focal int) {
	at := 0
	for _, r := range s.returns {
		switch {
		case r > s.returns[focal]:
			return
		case r == s.returns[focal]:
			at++
		}
	}
	if at == 1 {
		l.Wins++
	} else {
		l.Ties++
	}
}

// ContestSubject is the subject of a tournament's match in the stream of contests.
func ContestSubject(tournament, match string) string { return tournament + "." + match }

// OutcomeSubject is the subject of an actor's result of a match in the stream of outcomes.
func OutcomeSubject(tournament, match, actor string) string {
	return tournament + "." + ResultSubject(match, actor)
}

// CheckContestSubject reports what is wrong with a subject in the stream of contests.
func CheckContestSubject(subject string) error {
	return checkTokens(subject, "a contest's is TOURNAMENT.MATCH", 2)
}

// CheckOutcomeSubject reports what is wrong with a subject in the stream of outcomes.
func CheckOutcomeSubject(subject string) error {
	return checkTokens(subject, "an outcome's is TOURNAMENT.MATCH.ACTOR", 3)
}

// checkTokens reports when a subject has not that many tokens.
func checkTokens(subject, form string, n int) error {
	parts := strings.Split(subject, ".")
	for _, p := range parts {
		if len(parts) != n || CheckToken(p) != nil {
			return fmt.Errorf("subject %.80q: %s, %d tokens", subject, form, n)
		}
	}
	return nil
}

// CheckResultSubject reports what is wrong with a subject in the stream of results.
func CheckResultSubject(subject string) error {
	if _, _, ok := ParseResultSubject(subject); !ok {
		return fmt.Errorf("subject %.80q: a result's is MATCH.ACTOR, two tokens", subject)
	}
	return nil
}
