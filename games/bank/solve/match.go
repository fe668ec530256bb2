package solve

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	game "croupier/games/bank"
	"croupier/internal/stat"
	"croupier/internal/texttable"
	"croupier/policy"
)

// Match is what a player of BANK! for two wins against the optimum, in shares of the win, averaged
// over the seats: a draw is half a win.
type Match struct {
	Games  int
	Wins   float64
	Within float64 // half the width of its 95 % interval
}

// Against plays games of a policy against the optimum, in pairs with the same dice, the policy in
// each seat once. The policy may have a memory and draw at random.
//
// With repoll, luck is taken out. The game is a draw and the optimum never errs, so the result
// of a game is half a win, less what the policy's decisions gave away, plus luck; and luck, with
// its mean 0, is a control variate (as in AIVAT: N. Burch, M. Schmid, M. Moravčík, D. Morrill
// and M. Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation in Imperfect
// Information Games", AAAI 2018). What a policy that gives its probabilities gives away is
// weighed by them. The better the policy, the narrower is the interval: the optimum itself wins
// half exactly.
func (o *Optimum) Against(
	ctx context.Context, g engine.Game, newPolicy func() policy.Policy, games int, seed uint64,
) (Match, error) {
	solved, err := o.alone(ctx)
	if err != nil {
		return Match{}, err
	}
	pairs := make([]outcome, max(games/2, 1))
	group, inner := errgroup.WithContext(ctx)
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() error {
			d := newDuel(o, g, newPolicy(), solved)
			for i := w; i < len(pairs) && inner.Err() == nil; i += workers {
				for d.seat = range 2 {
					v, err := d.play(engine.GameSeed(seed, "match", uint64(i)))
					if err != nil {
						return fmt.Errorf("solver: bank: %w", err)
					}
					pairs[i].add(v, 0.5)
				}
			}
			return inner.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return Match{}, err
	}
	return matchOf(pairs), nil
}

// alone computes, with repoll, what a seat gets alone, from below and from above. It is the same
// in every round, since a lead is a win after each of them.
func (o *Optimum) alone(ctx context.Context) (map[bool]*alone, error) {
	if !o.rules.Repoll {
		return nil, nil
	}
	r := o.races[0].rounds[0]
	again, err := solveRound(ctx, r.next, true, false)
	if err != nil {
		return nil, err
	}
	return map[bool]*alone{false: again.own, true: again.other}, nil
}

// Render writes the match for people.
func (m Match) Render(w io.Writer, agent string, rules game.Rules) error {
	how := "results counted"
	if rules.Repoll {
		how = "luck taken out"
	}
	_, err := fmt.Fprintf(w, "bank for two, %d rounds, %s against the optimum: wins %.4f ± %s of the games\n"+
		"(a draw is half a win; 95 %% interval from %d games, half of them in each seat, %s)\n",
		rules.Rounds, agent, m.Wins, texttable.Size(m.Within, 4), m.Games, how)
	return err
}

// outcome is what came of a game: the policy's share of the win, how much of that was luck, and
// how far the latter may be wrong because values are only known within bounds.
type outcome struct{ wins, luck, bound float64 }

// add adds an outcome with a weight.
func (o *outcome) add(v outcome, weight float64) {
	o.wins += weight * v.wins
	o.luck += weight * v.luck
	o.bound += weight * v.bound
}

// matchOf estimates the mean share of the win from independent outcomes, by regression on luck.
func matchOf(pairs []outcome) Match {
	var mean outcome
	for _, v := range pairs {
		mean.add(v, 1/float64(len(pairs)))
	}
	var together, alone float64
	for _, v := range pairs {
		together += (v.wins - mean.wins) * (v.luck - mean.luck)
		alone += (v.luck - mean.luck) * (v.luck - mean.luck)
	}
	slope := 0.0
	if alone > 0 {
		slope = together / alone
	}
	var results stat.Moments
	for _, v := range pairs {
		results.Add(v.wins - slope*v.luck)
	}
	return Match{
		Games: 2 * len(pairs), Wins: results.Mean, Within: results.Margin() + math.Abs(slope)*mean.bound,
	}
}

// duel plays games of a policy in a seat against the optimum. It belongs to one goroutine.
type duel struct {
	*Optimum
	policy  policy.Policy
	optimum policy.Policy
	seat    int // the policy's
	state   *game.State
	solved  map[bool]*alone
	legal   []int
}

func newDuel(o *Optimum, g engine.Game, p policy.Policy, solved map[bool]*alone) *duel {
	return &duel{
		Optimum: o, policy: p, optimum: o.Policy(), state: g.NewState().(*game.State),
		solved: solved, legal: []int{game.Pass, game.Bank},
	}
}

// play plays a game.
func (d *duel) play(seed uint64) (outcome, error) {
	s, chance, actions := d.state, engine.NewRNG(seed, engine.ChanceStream), engine.NewRNG(seed, engine.ActionStream)
	s.Reset()
	d.policy.Reset()
	given, bound := 0.0, 0.0 // away, in shares of the win
	for s.Player() != engine.Terminal {
		step := 0
		switch s.Player() {
		case engine.Chance:
			step = s.SampleChance(chance)
		case d.seat:
			action, lost := d.decide(actions)
			given, bound = given+(lost.low+lost.high)/2, bound+(lost.high-lost.low)/2
			step = action
		default:
			step = d.optimum.Choose(s, d.legal, nil)
		}
		if err := s.Apply(step); err != nil {
			return outcome{}, err
		}
	}
	var returns [2]float64
	s.Returns(returns[:])
	v := outcome{wins: share(returns[d.seat])}
	if d.rules.Repoll {
		v.luck, v.bound = v.wins-(0.5-given), bound
	}
	return v, nil
}

// decide has the policy choose and, with repoll, returns bounds on what its decision gives away,
// in shares of the win.
func (d *duel) decide(rng *engine.RNG) (action int, lost interval) {
	var p [2]float64
	if stochastic, ok := d.policy.(policy.Stochastic); ok {
		stochastic.Distribution(d.state, d.legal, p[:])
		action = policy.Sample(p[:], rng)
	} else {
		action = d.policy.Choose(d.state, d.legal, rng)
		p[action] = 1
	}
	at := d.situation(d.state)
	if !d.rules.Repoll || at.role != lone && (at.difference < 0 || p[game.Bank] == 0) {
		// A lead is a win, so who is behind has nothing to give; and passing is right as long
		// as the other has not banked.
		return action, interval{}
	}
	at.solved = d.solved
	low, high := at.bounds()
	for a, probability := range p {
		lost.low += probability * max(0, low[1-a]-high[a]) / 2
		lost.high += probability * max(0, high[1-a]-low[a]) / 2
	}
	return action, lost
}
