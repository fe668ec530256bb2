package rating

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"croupier/engine"
)

// family reports how results follow from strengths: a generalised linear model with its
// canonical link (McCullagh and Nelder 1989), in which the slope of the log-likelihood is
// the result minus its mean, and the curvature the slope of the mean.
type family interface {
	// mean returns the mean result of a focal agent that is stronger than its opponents
	// by d, and its derivative by d.
	mean(d float64) (mean, slope float64)
	// logLikelihood of a game's result, but for what does not depend on d.
	logLikelihood(result, d float64) float64
	// dispersion divides the log-likelihood: the variance of a result over the slope.
	dispersion() float64
	// read returns the difference of strengths of which a mean result in that many sets tells, finite where all were
	// won or lost, the slope of the mean there, and the number of sets with the rarer outcome, +Inf where sets have
	// many outcomes.
	read(result, sets float64) (difference, slope, rare float64)
	// further is the variance that one more set could have.
	further(c comparison) float64
	// chance is that of coming out ahead in a duel, ½ for equal agents, where a focal
	// agent's mean result is so large.
	chance(mean float64) float64
	// prior is the standard deviation of a strength.
	prior() float64
	// unit is how many units of the ratings' scale a strength of 1 has.
	unit() float64
}

// newFamily returns the family of a game with those results.
func newFamily(spec *engine.Spec, data []comparison) family {
	if spec.Payoff == engine.Money {
		return newMoney(spec, data)
	}
	return elo{offset: math.Log(float64(spec.Seats - 1))}
}

const (
	// EloPerNat turns log strengths into Elo: 400 points are odds of 10 to 1.
	EloPerNat = 400 / math.Ln10
	// priorElo is the standard deviation of the prior of every rating. It keeps the
	// rating of an agent finite that has won or lost everything (or played nothing),
	// and weighs less than a tenth of a game in any other.
	priorElo = 1000
)

// elo is the family of games that are won or lost. Strengths are in nats,
//
//	P(focal f wins among opponents o) = γf / (γf + (seats-1) γo),  θ = ln γ,
//
// which is Plackett-Luce for the first place (Plackett 1975; Luce 1959) and
// Bradley-Terry (1952) with two seats; a shared win counts as its share of a win.
type elo struct{ offset float64 } // ln(seats-1)

func (e elo) mean(d float64) (mean, slope float64) {
	p := sigmoid(d - e.offset)
	return p, p * (1 - p)
}

func (e elo) logLikelihood(share, d float64) float64 {
	return -share*softplus(e.offset-d) - (1-share)*softplus(d-e.offset)
}

func (elo) dispersion() float64 { return 1 }

func (e elo) read(share, sets float64) (difference, slope, rare float64) {
	p := anscombe(share, sets)
	return math.Log(p/(1-p)) + e.offset, p * (1 - p), sets * min(share, 1-share)
}

// anscombe is a share corrected by half a set won and half a set lost (Anscombe 1956, Biometrika 43).
func anscombe(share, sets float64) float64 { return (sets*share + 0.5) / (sets + 1) }

// further is the largest variance that shares of that mean can have. The mean is
// corrected, so that this is so
// even if all were won.
func (elo) further(c comparison) float64 {
	widest := func(share float64) float64 {
		p := anscombe(share, c.sets)
		return p * (1 - p)
	}
	if c.both {
		return widest(c.resultA) + widest(c.resultB)
	}
	return widest(c.resultA)
}

// chance takes the odds among several opponents for those against one of them.
func (e elo) chance(share float64) float64 {
	others := math.Exp(e.offset)
	return share * others / (share*others + 1 - share)
}

func (elo) prior() float64 { return priorElo / EloPerNat }

func (elo) unit() float64 { return EloPerNat }

// money is the family of games for money: a linear model. At a table whose seats have
// the strengths θ1 … θn, seat i gets on average
//
//	E(return i) = θi - mean of the others' θ.
//
// These sum to 0, as the returns of a game do, and of all multiples this one makes a
// focal agent's mean return among others of one kind the difference of the two strengths:
// θf - θo, whatever the number of seats. A strength is in the game's unit per game.
type money struct {
	largest  float64 // return
	seats    float64
	lineups  float64 // of a set: 1 with two seats, else 2
	variance float64 // of a set's value, as in comparison.squares, over all pairs
	// deviation is the standard deviation of a game's return, over all pairs.
	deviation float64
}

// newMoney estimates the spread of sets and of games over all pairs. What was not seen
// may have paid the most: the estimates include one such set and one such game.
func newMoney(spec *engine.Spec, data []comparison) money {
	m := money{largest: spec.MaxReturn, seats: float64(spec.Seats), lineups: min(2, float64(spec.Seats-1))}
	squares, freedom := sq(m.largest), 1.0
	gameSquares, games := sq(m.largest), 1.0
	for _, c := range data {
		squares += c.squares
		freedom += c.sets - 1
		gameSquares += c.gameSquares
		games += c.games * m.lineups
	}
	m.variance, m.deviation = squares/freedom, math.Sqrt(gameSquares/games)
	return m
}

func (m money) mean(d float64) (mean, slope float64) { return d, 1 }

func (m money) logLikelihood(result, d float64) float64 { return -sq(result-d) / 2 }

// dispersion makes the weight of a set's lineup lineups/variance: that of the set's value,
// which is lineups × d on average, among values of that variance.
func (m money) dispersion() float64 { return m.seats * m.variance / m.lineups }

func (money) read(result, _ float64) (difference, slope, rare float64) { return result, 1, math.Inf(1) }

func (m money) further(comparison) float64 { return m.variance }

// chance is that of a return above 0 if returns were normal: it distinguishes opponents by the
// return in standard deviations of a game, whatever the game's unit.
func (m money) chance(mean float64) float64 { return distuv.UnitNormal.CDF(mean / m.deviation) }

// prior: no agent gets more per game than the largest return. Where a game's returns have a
// deviation of a tenth of that, the prior weighs as much as a hundredth of a game.
func (m money) prior() float64 { return m.largest }

func (money) unit() float64 { return 1 }

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
