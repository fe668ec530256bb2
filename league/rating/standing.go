package rating

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/messages"
)

// Standing is a ladder with what scheduling and matchmaking need of it.
type Standing struct {
	Ladder  *messages.Ladder
	names   []string       // of the agents in ratings
	index   map[string]int // of these names
	ratings *ratings
	zero    int // agent whose rating is 0; -1: the mean of all
	// Contradicted are the recorded results that the run's own are far from, which do not count.
	Contradicted []Recorded
}

// Listing reports who is to be rated, and how.
type Listing struct {
	Agents []string // in whatever order
	Kind   func(name string) string
	Zero   string // agent whose rating is to be 0
	Best   string // agent that has passed the gate, or ""
}

// Rate puts agents on a ladder: those that have played, in the run or as recorded, and the best. Of the others nothing
// is known.
func (b *Results) Rate(l Listing) (*Standing, error) {
	agents := slices.Clone(l.Agents)
	slices.Sort(agents)
	s := &Standing{names: agents, index: make(map[string]int, len(agents)), zero: slices.Index(agents, l.Zero)}
	for i, name := range agents {
		s.index[name] = i
	}
	data, games := b.compare(agents)
	data, s.Contradicted = b.withRecorded(agents, data)
	var err error
	if s.ratings, err = rate(len(agents), newFamily(b.Spec, data), data); err != nil {
		return nil, err
	}
	known := make([]bool, len(agents))
	for _, c := range data {
		known[c.a], known[c.b] = true, true
	}
	s.Ladder = &messages.Ladder{
		Seats: b.Spec.Seats,
		Game:  b.Spec.Name, Scale: s.scale(b.Spec, l.Zero), Figures: b.Spec.Figures,
		Agents: []messages.LadderAgent{},
	}
	var played []int
	for i := range agents {
		if known[i] {
			played = append(played, i)
		}
	}
	for i, name := range agents {
		if !known[i] && name != l.Best {
			continue
		}
		s.Ladder.Agents = append(s.Ladder.Agents, s.rung(i, played, messages.LadderAgent{
			Name: name, Kind: l.Kind(name), SHA256: b.weights[name].hex(), Games: games[i], Best: name == l.Best,
			Figures: b.figuresOf(name),
		}, l.Best))
	}
	slices.SortStableFunc(s.Ladder.Agents, func(x, y messages.LadderAgent) int { return cmp.Compare(y.Rating, x.Rating) })
	b.addPayoffs(s, 2*len(data))
	return s, nil
}

// compare returns what the results say about each two agents that have met, and how many
// games each agent has played.
func (b *Results) compare(agents []string) (data []comparison, games []uint64) {
	games = make([]uint64, len(agents))
	for i, x := range agents {
		for j := i + 1; j < len(agents); j++ {
			c := b.Pair(x, agents[j]).Total()
			if c.Sets == 0 {
				continue
			}
			data = append(data, c.compare(i, j, b.Spec))
			played := b.Games(c.Sets)
			games[i] += played
			games[j] += played
		}
	}
	return data, games
}

// withRecorded joins what the results say with what is recorded, unless that is contradicted.
func (b *Results) withRecorded(agents []string, data []comparison) (joined []comparison, contradicted []Recorded) {
	if len(b.recorded) == 0 {
		return data, nil
	}
	f, at := newFamily(b.Spec, data), map[[2]int]int{}
	for i, c := range data {
		at[[2]int{c.a, c.b}] = i
	}
	joined = slices.Clone(data)
	for i, x := range agents {
		for j, y := range agents[i+1:] {
			r, ok := b.recorded[NewKey(x, y)]
			if !ok {
				continue
			}
			c := r.comparison(i, i+1+j, b.Spec)
			own, played := at[[2]int{c.a, c.b}]
			switch {
			case !played:
				joined = append(joined, c)
			case data[own].contradicts(c, f):
				contradicted = append(contradicted, r)
			default:
				joined[own] = data[own].join(c)
			}
		}
	}
	return joined, contradicted
}

// scale reports what the ratings mean.
func (s *Standing) scale(spec *engine.Spec, zero string) messages.Scale {
	out := messages.Scale{Kind: messages.EloScale, Unit: eloUnit, Zero: zero}
	if spec.Payoff == engine.Money {
		out.Unit = messages.UnitPerGame(spec)
		out.Kind, out.Decimals = messages.MoneyScale, moneyDecimals(spec)
		out.UnitMeaning = spec.UnitMeaning
	}
	if s.zero < 0 {
		out.Zero = messages.MeanZero
	}
	return out
}

const eloUnit = "Elo"

// Unit names the unit in which people are shown the ratings of the game's ladders.
func Unit(spec *engine.Spec) string {
	if spec.Payoff == engine.Money {
		return messages.CoinPerGame(spec)
	}
	return eloUnit
}

// moneyDecimals are those of thousandths of what histories write as a return of 1.
func moneyDecimals(spec *engine.Spec) int {
	return max(0, 3-int(math.Log10(max(1, spec.HistoryUnit))))
}

// rung adds what the ratings say to agent i of the ladder. It compares agents that have
// played.
func (s *Standing) rung(i int, played []int, a messages.LadderAgent, best string) messages.LadderAgent {
	r := s.of(i).Rounded()
	a.Rating, a.Low, a.High = r.Value, r.Low, r.High
	if !slices.Contains(played, i) {
		return a
	}
	a.Places.First, a.Places.Last = s.ratings.places(i, played)
	difference := func(j int, ok bool) *messages.Interval {
		if !ok || i == j || !slices.Contains(played, j) {
			return nil
		}
		d := messages.Interval(s.ratings.above(i, j).Rounded())
		return &d
	}
	j, ok := s.index[best]
	a.ToBest = difference(j, ok)
	j, ok = s.previous(a.Name, played)
	a.ToPrevious = difference(j, ok)
	return a
}

// previous returns the newest of some agents that is an older version than a member and plays
// in the same way, false if there is none.
func (s *Standing) previous(member string, among []int) (found int, ok bool) {
	order, isVersion := MemberOrder(member)
	newest, way := uint64(0), strings.TrimSuffix(member, strconv.FormatUint(order, 10))
	for _, i := range among {
		n, another := MemberOrder(s.names[i])
		if isVersion && another && strings.HasPrefix(s.names[i], way) && n < order && n > newest {
			found, newest, ok = i, n, true
		}
	}
	return found, ok
}

// addPayoffs fills in the payoff matrix of the ladder's agents, which has that many cells at most.
func (b *Results) addPayoffs(s *Standing, most int) {
	l := s.Ladder
	l.Payoff = make([]messages.Payoff, 0, most)
	all := make([]Focal, 0, most)
	for _, x := range l.Agents {
		for _, y := range l.Agents {
			if f := b.Focal(x.Name, y.Name); f.Sets > 0 {
				mean := f.MeanReturn().Rounded()
				all = append(all, f)
				l.Payoff = append(l.Payoff, messages.Payoff{
					A: x.Name, B: y.Name, Games: f.games(), MeanReturnA: mean.Value, Low: mean.Low, High: mean.High,
				})
			}
		}
	}
	z := distuv.UnitNormal.Quantile(1 - 0.025/float64(max(1, len(all))))
	for i, f := range all {
		p := &l.Payoff[i]
		if b.Spec.Payoff != engine.Money {
			share := f.WinShare().Rounded()
			p.WinShare = &messages.WinShare{ShareA: share.Value, ShareLow: share.Low, ShareHigh: share.High}
		}
		difference, _ := s.ratings.difference(s.index[p.A], s.index[p.B])
		rated, _ := s.ratings.family.mean(difference)
		measured := f.results(float64(f.Sets), b.Spec).Mean
		p.Rated = stat.Interval{Value: rated}.Rounded().Value
		p.Off = math.Abs(measured-rated) > z*f.Outcome().StandardError()
	}
}

// Rating returns an agent's rating, and false for an agent that is not on the ladder.
func (s *Standing) Rating(name string) (stat.Interval, bool) {
	i, ok := s.index[name]
	if !ok {
		return stat.Interval{}, false
	}
	return s.of(i), true
}

// of returns the rating of agent i, whose difference to the zero is all that is known.
func (s *Standing) of(i int) stat.Interval {
	if s.zero < 0 {
		return s.ratings.aboveMean(i)
	}
	return s.ratings.above(i, s.zero)
}

// Chance is the chance of one agent to come out ahead of another, ½ without any results. It follows from the mean
// result among such opponents: what the ratings predict and what was measured, each by its certainty.
func (b *Results) Chance(s *Standing, player, opponent string) float64 {
	r := s.ratings
	difference, variance := 0.0, sq(r.family.prior())
	i, ok := s.index[player]
	if j, known := s.index[opponent]; ok && known {
		difference, variance = r.difference(i, j)
	}
	predicted, _ := r.family.mean(difference)
	f := b.Focal(player, opponent)
	measured := f.results(float64(f.Sets), b.Spec).Mean
	said := float64(f.Sets) * s.information(difference) * (variance + s.misfit(player, opponent))
	return r.family.chance(predicted + said/(1+said)*(measured-predicted))
}
