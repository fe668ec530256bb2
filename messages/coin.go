package messages

import (
	"math"
	"slices"
	"strings"

	"croupier/engine"
)

// perGame is what follows the unit of a game in the unit of its ratings.
const perGame = " per game"

// UnitPerGame names the unit of mean returns in a game, as documents have it.
func UnitPerGame(spec *engine.Spec) string { return spec.Unit + perGame }

// CoinPerGame names the unit in which people are shown mean returns.
func CoinPerGame(spec *engine.Spec) string {
	unit, _ := spec.Coin.Shown(spec.Unit)
	return unit + perGame
}

// InCoin returns the ladder as people are shown it: with amounts in the coin of its game, where that has one. Else, and
// where the amounts are in the coin already, it is the same ladder. l may be nil.
func (l *Ladder) InCoin(spec *engine.Spec) *Ladder {
	if l == nil || spec == nil || spec.Coin.Name == "" || l.Scale.Kind != MoneyScale || l.Scale.Unit != UnitPerGame(spec) {
		return l
	}
	c, out := coined(spec.Coin.PerUnit), *l
	out.Scale.Unit, out.Scale.UnitMeaning = CoinPerGame(spec), ""
	out.Scale.Decimals = max(0, l.Scale.Decimals-int(math.Round(math.Log10(spec.Coin.PerUnit))))
	out.Agents = changed(l.Agents, c.agent)
	out.Payoff = changed(l.Payoff, c.payoff)
	out.Promotions = changed(l.Promotions, c.promotion)
	out.Tables = changed(l.Tables, func(t *LadderTable) { c.table(t, spec) })
	out.Rounds = changed(l.Rounds, func(r *Round) {
		*r = changed(*r, func(m *Meeting) { c.values(&m.MeanReturnA, &m.MeanReturnB) })
	})
	if h := l.HeldBack; h != nil {
		held := *h
		c.values(&held.Exploitability, &held.ExploitabilityOfBest)
		out.HeldBack = &held
	}
	if l.Correction != nil {
		correction := *l.Correction
		correction.Pairs = changed(correction.Pairs, func(p *CorrectedPair) {
			c.interval(&p.Plain)
			c.interval(&p.Corrected)
		})
		out.Correction = &correction
	}
	return &out
}

// coined turns amounts into coins, of which one is that many.
type coined float64

// of returns an amount in coins, to a millionth: more is an error of rounding.
func (c coined) of(v float64) float64 { return math.Round(v*float64(c)*1e6) / 1e6 }

func (c coined) values(list ...*float64) {
	for _, v := range list {
		*v = c.of(*v)
	}
}

// optional returns an amount that may be nil in coins.
func (c coined) optional(v *float64) *float64 {
	if v == nil {
		return nil
	}
	coins := c.of(*v)
	return &coins
}

func (c coined) interval(i *Interval) { c.values(&i.Value, &i.Low, &i.High) }

func (c coined) optionalInterval(i *Interval) *Interval {
	if i == nil {
		return nil
	}
	coins := *i
	c.interval(&coins)
	return &coins
}

func (c coined) agent(a *LadderAgent) {
	c.values(&a.Rating, &a.Low, &a.High)
	a.Exploitability = c.optional(a.Exploitability)
	a.ToBest, a.ToPrevious = c.optionalInterval(a.ToBest), c.optionalInterval(a.ToPrevious)
}

func (c coined) payoff(p *Payoff) { c.values(&p.MeanReturnA, &p.Low, &p.High, &p.Rated) }

func (c coined) promotion(p *LadderPromotion) {
	p.Exploitability, p.ExploitabilityBefore = c.optional(p.Exploitability), c.optional(p.ExploitabilityBefore)
	if p.Gain != nil {
		gain := *p.Gain
		c.values(&gain.Value, &gain.Low, &gain.High)
		p.Gain = &gain
	}
}

// table changes one whose results are amounts, not shares.
func (c coined) table(t *LadderTable, spec *engine.Spec) {
	if t.Unit != spec.Unit {
		return
	}
	t.Unit, _ = spec.Coin.Shown(t.Unit)
	c.values(&t.Parity)
	t.Results = changed(t.Results, func(r *TableResult) { c.interval(&r.Interval) })
	t.Refused = changed(t.Refused, func(r *TableRefusal) {
		c.interval(&r.Interval)
		c.interval(&r.Best.Interval)
	})
}

// changed returns a copy whose elements are changed; nil stays nil.
func changed[S ~[]E, E any](list S, change func(*E)) S {
	list = slices.Clone(list)
	for i := range list {
		change(&list[i])
	}
	return list
}

// amountCurves are the curves, by the first part of their names, whose values are amounts of the unit of the game: that
// of its mean returns, in games for money.
var amountCurves = []string{"rating", "mean_return", "exploit_return", "table_return", "exploitability"}

// IsAmountCurve reports whether a curve has values in the unit of the ladder of a game for money.
func IsAmountCurve(name string) bool {
	kind, _, _ := strings.Cut(strings.TrimPrefix(name, "probe/"), "/")
	return slices.Contains(amountCurves, kind)
}

// InCoin returns the points as people are shown them, as [Ladder.InCoin] does: in the coin of the game where they are
// amounts.
func (x *Points) InCoin(spec *engine.Spec) *Points {
	if spec == nil || spec.Coin.Name == "" || spec.Payoff != engine.Money {
		return x
	}
	c := coined(spec.Coin.PerUnit)
	out := &Points{Schema: x.Schema, Source: x.Source, Seconds: x.Seconds, Samples: x.Samples}
	for _, p := range x.Points {
		if IsAmountCurve(p.Series) {
			p = &Point{Series: p.Series, Value: p.Value, Low: p.Low, High: p.High, HasInterval: p.HasInterval}
			c.values(&p.Value, &p.Low, &p.High)
		}
		out.Points = append(out.Points, p)
	}
	return out
}
