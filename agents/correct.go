package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/messages"
	"croupier/player"
	"croupier/policy"
)

// correction makes results less a matter of chance: AIVAT (Burch, Schmid, Moravčík, Morrill and Bowling 2018, AAAI 32)
// with the positions of both seats in view. To a game's return is added, for every step that chance or an agent that
// gives its probabilities has made, what the step was expected to be worth less what it was worth. Each of these terms
// is 0 on average, whatever the baseline says, so the sum estimates the same mean.
type correction struct {
	game        engine.Game
	name        string // of the baseline
	newBaseline func() baseline
	players     map[string]*player.Player

	mu    sync.Mutex
	pairs map[[2]string][]corrected
}

// corrected are the sets of a match: moments of the mean return of the pair's first agent in a set.
type corrected struct {
	first             uint64
	games             uint64
	plain, correction stat.Moments
}

// match corrects the games of a match.
func (c *correction) match(m *messages.Match, batches []*messages.Kept) error {
	base := c.newBaseline()
	// Agents that do not give their probabilities are nil.
	a, _ := c.players[m.A].Policy().(policy.Stochastic)
	b, _ := c.players[m.B].Policy().(policy.Stochastic)
	plain, corrections, games := map[uint64]float64{}, map[uint64]float64{}, 0
	for _, batch := range batches {
		for _, game := range batch.Games {
			seats, sign := [2]policy.Stochastic{a, b}, 1.0
			if batch.Agents[game.Seats[0]].Name != m.A {
				seats, sign = [2]policy.Stochastic{b, a}, -1
			}
			value, err := c.term(base, game.History, seats)
			if err != nil {
				return err
			}
			plain[game.Number] += sign * float64(messages.FloatAt(game.Returns, 0)) / 2
			corrections[game.Number] += sign * value / 2
			games++
		}
	}
	if games != messages.MatchGames(c.game.Spec(), m.Sets) {
		return errors.New("not all games can be corrected: their histories are too long")
	}
	done := corrected{first: m.FirstSet, games: uint64(games)}
	for _, set := range slices.Sorted(maps.Keys(plain)) {
		done.plain.Add(plain[set])
		done.correction.Add(plain[set] + corrections[set])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	pair := [2]string{m.A, m.B}
	c.pairs[pair] = append(c.pairs[pair], done)
	return nil
}

// term is what is added to the return of seat 0 of a game.
func (c *correction) term(base baseline, history []byte, seats [2]policy.Stochastic) (sum float64, err error) {
	s, width := c.game.NewState(), messages.HistoryWidth(c.game.Spec())
	next := s.Clone()
	for _, p := range seats {
		if p != nil {
			p.Reset()
		}
	}
	for i := range len(history) / width {
		step, before := messages.StepAt(history, width, i), history[:i*width:i*width]
		var agent policy.Stochastic
		if player := s.Player(); player >= 0 {
			agent = seats[player]
		}
		if s.Player() == engine.Chance || agent != nil {
			found := false
			for _, o := range possible(s, agent) {
				if o.Probability == 0 {
					continue
				}
				next.CopyFrom(s)
				engine.MustApply(next, o.Index)
				value := base.value(next, messages.AppendStep(before, width, o.Index))
				sum += o.Probability * value
				if o.Index == step {
					sum, found = sum-value, true
				}
			}
			if !found {
				return 0, fmt.Errorf("step %d of a game was made although its probability is 0", i+1)
			}
		}
		if err := s.Apply(step); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// results are those of all pairs.
func (c *correction) results() *messages.Correction {
	out := &messages.Correction{Baseline: c.name, Pairs: []messages.CorrectedPair{}}
	for pair, matches := range c.pairs {
		slices.SortFunc(matches, func(x, y corrected) int { return cmp.Compare(x.first, y.first) })
		var sum corrected
		for _, m := range matches {
			sum.games += m.games
			sum.plain.Merge(m.plain)
			sum.correction.Merge(m.correction)
		}
		plain, known := sum.plain.Student()
		if !known {
			continue // one set has no interval
		}
		interval, _ := sum.correction.Student()
		left := sum.correction.Squares / sum.plain.Squares
		if sum.plain.Squares == 0 {
			left = 1
		}
		out.Pairs = append(out.Pairs, messages.CorrectedPair{
			A: pair[0], B: pair[1], Games: sum.games, Plain: messages.Interval(plain.Rounded()),
			Corrected: messages.Interval(interval.Rounded()), VarianceLeft: stat.Interval{Value: left}.Rounded().Value,
		})
	}
	slices.SortFunc(out.Pairs, func(x, y messages.CorrectedPair) int {
		return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return out
}

// newCorrection prepares the correction of a tournament's games.
func (t Tournament) newCorrection(ctx context.Context, a *Agents,
	players map[string]*player.Player) (*correction, error) {
	c := &correction{game: t.Game, name: t.Baseline, players: players, pairs: map[[2]string][]corrected{}}
	var err error
	c.newBaseline, err = a.newBaseline(ctx, t.Baseline)
	return c, err
}
