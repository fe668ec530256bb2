package until

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"croupier/internal/stat"
	"croupier/messages"
)

const (
	// curveGames is how many games a version must have played to be a point of a curve.
	curveGames = 50
	// leastGames is how many games an estimate must rest on before it is looked at: then it is close to normal.
	leastGames = 200
	// mixtureGames is the number of games at which the bound of ratings is about as narrow as it can be made.
	mixtureGames = 400
	// plateauShare of all that the versions have gained is what they must gain less than on a plateau, per
	// doubling of the training time, unless a size is named.
	plateauShare = 0.05
	// plateauGrowth is the factor by which the training time grows from one look for a plateau to the next.
	plateauGrowth = 1.189 // a quarter of a doubling
)

// Evidence is what is known of a run.
type Evidence struct {
	Ladder  *messages.Ladder // nil before the first
	Members []*messages.Member
	// Player names a member as it plays on the ladder.
	Player func(member string) string
	// Exploitability of versions, in the order of training.
	Exploitability []Measured
	Seconds        float64 // trained so far
}

// Measured is what an exact measurement of a version has brought.
type Measured struct{ Seconds, Value float64 }

// rated is a version on the ladder.
type rated struct {
	*messages.Member
	messages.LadderAgent
}

// versions returns the learning agent's versions on the ladder of which enough is known, in the order of training.
func (e Evidence) versions() (all []rated) {
	if e.Ladder == nil {
		return nil
	}
	rungs := map[string]messages.LadderAgent{}
	for _, a := range e.Ladder.Agents {
		rungs[a.Name] = a
	}
	for _, m := range e.Members {
		agent, _, _ := messages.ParseMemberName(m.Name)
		a := rungs[e.Player(m.Name)]
		if agent == messages.LearningAgent && a.Games >= curveGames {
			all = append(all, rated{m, a})
		}
	}
	slices.SortFunc(all, func(a, b rated) int { return cmp.Compare(a.Order, b.Order) })
	return all
}

// candidates are the newest of the versions and the best.
func candidates(versions []rated) []rated {
	return slices.DeleteFunc(slices.Clone(versions), func(v rated) bool {
		return v.Order != versions[len(versions)-1].Order && !v.Best
	})
}

// points are the versions' ratings.
func points(versions []rated) (all []point) {
	for _, v := range versions {
		if v.Seconds > 0 {
			all = append(all, point{v.Seconds, v.Rating, stat.Interval{Low: v.Low, High: v.High}.StandardError()})
		}
	}
	return all
}

// bound returns the lower bound of what an estimate from that many games is of, for the version with that
// number. It holds at all looks and for all versions together. With few games there is none.
func bound(i stat.Interval, games, version uint64) float64 {
	if games < leastGames {
		return math.Inf(-1)
	}
	n, k := float64(games), float64(version)
	return i.Value - i.StandardError()*math.Sqrt((1+mixtureGames/n)*(2*math.Log(k*(k+1)/Error)+math.Log1p(n/mixtureGames)))
}

// Watch looks again and again whether one of its goals has been reached. It is not for several goroutines.
type Watch struct {
	Goals []Goal

	looks float64 // for a plateau, so far
	next  float64 // the seconds of training of a version with which the next comes
}

// State is what a look has found.
type State struct {
	// Held says in a sentence without its full stop which goal has been reached and by what; "" if none has.
	Held string
	// Ahead says of each goal how far off it is.
	Ahead []string
}

// Look looks at what is known.
func (w *Watch) Look(e Evidence) (s State) {
	versions := e.versions()
	for _, g := range w.Goals {
		held, left := "", (*Left)(nil)
		switch g.Kind {
		case Rating:
			held, left = g.rating(e, versions)
		case Beats:
			held, left = g.beats(e, versions)
		case Exploitability:
			held, left = g.exploitability(e)
		case Plateau:
			held = w.plateau(g, e, versions)
		}
		if held != "" && s.Held == "" {
			s.Held = g.String() + ": " + held
		}
		if text := g.String() + " at an unknown time"; left != nil {
			s.Ahead = append(s.Ahead, g.String()+" "+left.String())
		} else {
			s.Ahead = append(s.Ahead, text)
		}
	}
	return s
}

// String writes the estimate for people.
func (l *Left) String() string {
	write := func(d time.Duration) string { return d.Round(time.Second).String() }
	switch {
	case l.Value < time.Second && l.High == 0:
		return "at any time from now on" // the line of the versions is there already, and no version is for sure
	case l.Value < time.Second:
		return fmt.Sprintf("at any time, within about %s", write(l.High))
	case l.High == 0:
		return fmt.Sprintf("in about %s (%s or more)", write(l.Value), write(l.Low))
	}
	return fmt.Sprintf("in about %s (%s to %s)", write(l.Value), write(l.Low), write(l.High))
}

// rating looks whether the newest or the best version is rated so high.
func (g Goal) rating(e Evidence, versions []rated) (held string, left *Left) {
	for _, v := range candidates(versions) {
		low := bound(stat.Interval{Value: v.Rating, Low: v.Low, High: v.High}, v.Games, v.Order)
		if low >= g.Value {
			write := e.Ladder.Scale.Write
			held = fmt.Sprintf("%s is rated %s %s, and at least %s", v.Member.Name, write(v.Rating), g.Unit, write(low))
		}
	}
	return held, forecast(points(versions), g.Value, e.Seconds)
}

// beats looks whether the newest or the best version wins against an agent, and when the ratings will have
// come as far as that agent's.
func (g Goal) beats(e Evidence, versions []rated) (held string, left *Left) {
	for _, v := range candidates(versions) {
		for _, p := range e.Ladder.Payoff {
			if p.A != v.LadderAgent.Name || p.B != g.Agent {
				continue
			}
			if p.WinShare != nil {
				parity := 1 / float64(max(2, e.Ladder.Seats))
				low := bound(stat.Interval{Value: p.ShareA, Low: p.ShareLow, High: p.ShareHigh}, p.Games, v.Order)
				if low > parity {
					held = fmt.Sprintf("%s has %.1f %% of the win in %d games, and at least %.1f %%; even is %.1f %%",
						v.Member.Name, 100*p.ShareA, p.Games, 100*low, 100*parity)
				}
			} else if low := bound(stat.Interval{Value: p.MeanReturnA, Low: p.Low, High: p.High}, p.Games, v.Order); low > 0 {
				write := e.Ladder.Scale.Write
				held = fmt.Sprintf("%s gets %s %s in %d games, and at least %s",
					v.Member.Name, write(p.MeanReturnA), g.Unit, p.Games, write(low))
			}
		}
	}
	if len(versions) == 0 {
		return held, nil
	}
	for _, a := range e.Ladder.Agents {
		if a.Name == g.Agent {
			left = forecast(points(versions), a.Rating, e.Seconds)
		}
	}
	return held, left
}

// exploitability looks whether the newest version can lose so little. The logarithm of what it can lose falls
// more evenly than that itself.
func (g Goal) exploitability(e Evidence) (held string, left *Left) {
	if len(e.Exploitability) == 0 {
		return "", nil
	}
	if newest := e.Exploitability[len(e.Exploitability)-1]; newest.Value <= g.Value {
		return fmt.Sprintf("the newest version can lose %.4g %s", newest.Value, g.Unit), nil
	}
	var all []point
	for _, m := range e.Exploitability {
		if m.Seconds > 0 && m.Value > 0 {
			all = append(all, point{seconds: m.Seconds, value: -math.Log2(m.Value)})
		}
	}
	return "", forecast(all, -math.Log2(g.Value), e.Seconds)
}

// forecast estimates when versions reach a value, nil if that is unknown.
func forecast(points []point, value, seconds float64) *Left {
	l, ok := fit(points)
	if !ok {
		return nil
	}
	return l.crossing(value, max(seconds, math.Exp2(l.newest)))
}

// plateau looks whether versions gain less than its size per doubling of the training time, if another look is
// due. It looks at the newest version but one: that one has all its games.
func (w *Watch) plateau(g Goal, e Evidence, versions []rated) (held string) {
	all := points(versions)
	if len(all) == 0 {
		return ""
	}
	all = all[:len(all)-1]
	l, ok := fit(all)
	if !ok || math.Exp2(l.newest) < w.next {
		return ""
	}
	w.looks++
	w.next = math.Exp2(l.newest) * plateauGrowth
	size := g.Value
	if size == 0 {
		size = plateauShare * (slices.MaxFunc(all, func(a, b point) int {
			return cmp.Compare(a.value, b.value)
		}).value - all[0].value)
	}
	most := l.most(Error / (w.looks * (w.looks + 1)))
	if most >= size {
		return ""
	}
	write := e.Ladder.Scale.Write
	return fmt.Sprintf("%d versions gain %s %s per doubling of the training time, and at most %s; less than %s was asked for",
		int(l.n), write(l.slope), g.Unit, write(most), write(size))
}
