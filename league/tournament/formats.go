package tournament

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"croupier/internal/plural"
	"croupier/league/rating"
	"croupier/messages"
)

// Format reports who meets whom in a tournament. As text it is equal for equal formats only.
type Format interface {
	fmt.Stringer
	// Check reports why the format does not suit that many agents.
	Check(agents int) error
	// round returns who meets in the next round, after those that the course has; none when the
	// tournament is over. It depends on nothing but the course.
	round(c *course) []meeting
	// inRounds reports that it matters who met whom in which round.
	inRounds() bool
}

// meeting is a number of sets of two agents in a round. b is empty where a has no opponent.
type meeting struct {
	a, b string
	sets rating.Span
}

// course is how a tournament has gone so far.
type course struct {
	agents  []string // in their order of strength as it is known before
	sets    uint64   // of a meeting
	results *rating.Results
	past    []messages.Round
}

// meet returns a meeting of two agents, in the next sets of theirs.
func (c *course) meet(a, b string) meeting {
	first := uint64(0)
	if done := c.results.Pair(a, b).Done; len(done) > 0 {
		first = done[len(done)-1].End
	}
	return meeting{a, b, rating.Span{First: first, End: first + c.sets}}
}

// met reports whether two agents have met.
func (c *course) met(a, b string) bool { return len(c.results.Pair(a, b).Done) > 0 }

// RoundRobin is the format in which all meet.
type RoundRobin struct{}

func (RoundRobin) String() string { return "round robin" }

// Check implements Format.
func (RoundRobin) Check(int) error { return nil }

func (RoundRobin) inRounds() bool { return false }

func (RoundRobin) round(c *course) (list []meeting) {
	if len(c.past) > 0 {
		return nil
	}
	for i, x := range c.agents {
		for _, y := range c.agents[:i] {
			list = append(list, c.meet(x, y))
		}
	}
	return list
}

// Gauntlet is the format in which the first agents, as many as it says, meet all others, who do not meet one
// another.
type Gauntlet struct{ First int }

func (g Gauntlet) String() string { return fmt.Sprintf("gauntlet of the first %d", g.First) }

// Check implements Format.
func (g Gauntlet) Check(agents int) error {
	if g.First < 1 || g.First >= agents {
		return fmt.Errorf("the first %d of %d agents cannot meet the others", g.First, agents)
	}
	return nil
}

func (Gauntlet) inRounds() bool { return false }

func (g Gauntlet) round(c *course) (list []meeting) {
	if len(c.past) > 0 {
		return nil
	}
	for _, x := range c.agents[:g.First] {
		for _, y := range c.agents[g.First:] {
			list = append(list, c.meet(x, y))
		}
	}
	return list
}

// Swiss is the format in which everybody meets somebody with about as many points in each round,
// whom it has not met yet. A meeting won is a point, a draw half a point; so is a round without
// an opponent a point, which falls on the last agent that had none.
type Swiss struct{ Rounds int }

func (s Swiss) String() string { return "swiss in " + plural.Of(s.Rounds, "round") }

// Check implements Format.
func (s Swiss) Check(agents int) error {
	if most := agents - 1 + agents%2; s.Rounds < 1 || s.Rounds > most {
		return fmt.Errorf("%d agents play 1 to %d rounds, not %d", agents, most, s.Rounds)
	}
	return nil
}

func (Swiss) inRounds() bool { return true }

// SwissRounds is how many rounds find the best of that many agents: as many as a knock-out has, and
// two more, which part those behind.
func SwissRounds(agents int) int { return min(bits.Len(uint(agents-1))+2, agents-1+agents%2) }

func (s Swiss) round(c *course) (list []meeting) {
	if len(c.past) == s.Rounds {
		return nil
	}
	points, rested := c.points(), map[string]bool{}
	for _, round := range c.past {
		for _, m := range round {
			rested[m.A] = rested[m.A] || m.B == ""
		}
	}
	order := slices.Clone(c.agents)
	slices.SortStableFunc(order, func(x, y string) int { return cmp.Compare(points[y], points[x]) })
	var rest []meeting
	if len(order)%2 == 1 {
		i := len(order) - 1
		for i > 0 && rested[order[i]] {
			i--
		}
		rest = append(rest, meeting{a: order[i]})
		order = slices.Delete(order, i, i+1)
	}
	budget := pairingBudget
	pairs, ok := c.pairUp(order, &budget)
	if !ok { // no new opponent is left for one of them
		for i := 0; i < len(order); i += 2 {
			pairs = append(pairs, [2]string{order[i], order[i+1]})
		}
	}
	for _, p := range pairs {
		list = append(list, c.meet(p[0], p[1]))
	}
	return append(list, rest...)
}

// pairingBudget bounds how many pairs are tried for a round.
const pairingBudget = 100_000

// pairUp pairs agents that have not met, each with the next in the order that leaves partners for
// the rest.
func (c *course) pairUp(order []string, budget *int) (pairs [][2]string, ok bool) {
	if len(order) == 0 {
		return nil, true
	}
	for i := 1; i < len(order) && *budget > 0; i++ {
		if *budget--; c.met(order[0], order[i]) {
			continue
		}
		left := slices.Concat(order[1:i], order[i+1:])
		if rest, ok := c.pairUp(left, budget); ok {
			return append([][2]string{{order[0], order[i]}}, rest...), true
		}
	}
	return nil, false
}

// points are those of each agent so far.
func (c *course) points() map[string]float64 {
	points := map[string]float64{}
	for _, round := range c.past {
		for _, m := range round {
			points[m.A] += m.PointsA
			if m.B != "" {
				points[m.B] += 1 - m.PointsA
			}
		}
	}
	return points
}

// KnockOut is the format in which the loser of a meeting is out. The first agents are kept apart
// for as long as possible, and rest in the first round if there are not enough others. A meeting
// that ends level is played again, levelMeetings times at most; then the first of the two goes
// through.
type KnockOut struct{}

// levelMeetings bounds how often two agents meet until one wins.
const levelMeetings = 5

func (KnockOut) String() string { return "knock-out" }

// Check implements Format.
func (KnockOut) Check(int) error { return nil }

func (KnockOut) inRounds() bool { return true }

func (KnockOut) round(c *course) (list []meeting) {
	alive, past := c.bracket(), c.past
	for len(alive) > 1 {
		results := map[string][]float64{} // points of the first of a pair, by its name
		undecided := func(a, b string) bool {
			r := results[a]
			return b != "" && (len(r) == 0 || r[len(r)-1] == 0.5 && len(r) < levelMeetings)
		}
		for list = nil; ; list = nil {
			for i := 0; i < len(alive); i += 2 {
				if undecided(alive[i], alive[i+1]) {
					list = append(list, c.meet(alive[i], alive[i+1]))
				}
			}
			if len(list) == 0 {
				break
			}
			if len(past) == 0 {
				return list
			}
			for _, m := range past[0] {
				results[m.A] = append(results[m.A], m.PointsA)
			}
			past = past[1:]
		}
		var next []string
		for i := 0; i < len(alive); i += 2 {
			winner := alive[i]
			if r := results[winner]; len(r) > 0 && r[len(r)-1] < 0.5 {
				winner = alive[i+1]
			}
			next = append(next, winner)
		}
		alive = next
	}
	return nil
}

// bracket is the order of the agents in the first round, "" for none.
func (c *course) bracket() []string {
	size := 1 << bits.Len(uint(len(c.agents)-1))
	order := []int{0}
	for len(order) < size {
		next := make([]int, 0, 2*len(order))
		for _, i := range order {
			next = append(next, i, 2*len(order)-1-i)
		}
		order = next
	}
	names := make([]string, size)
	for place, i := range order {
		if i < len(c.agents) {
			names[place] = c.agents[i]
		}
	}
	return names
}

// Duel is the format in which two agents meet until a sequential probability ratio test says
// whether the first is better than the second ("sequential").
type Duel struct {
	// Gain is what "better" means, in standard deviations of a set, above 0.
	Gain float64
	// Error is the probability that a first agent that is not better passes, and that one which is
	// better by Gain fails before Most sets.
	Error float64
	Most  uint64
}

func (d Duel) String() string {
	return fmt.Sprintf("test of a gain of %v with errors of %v in at most %d sets", d.Gain, d.Error, d.Most)
}

// Check implements Format.
func (d Duel) Check(agents int) error {
	switch {
	case agents != 2:
		return fmt.Errorf("a test is between two agents, not %d", agents)
	case !(d.Gain > 0 && d.Gain <= 1):
		return fmt.Errorf("the gain %v is not in 0..1 (standard deviations of a set), 0 excluded", d.Gain)
	case !(d.Error > 0 && d.Error < 0.5):
		return fmt.Errorf("the error %v is not a probability between 0 and 0.5", d.Error)
	}
	return nil
}

func (Duel) inRounds() bool { return false }

// test is what decides.
func (d Duel) test() rating.Sequential {
	return rating.Sequential{Gain: d.Gain, Error: d.Error, Least: duelLeast, Most: d.Most}
}

const (
	// duelLeast is how many sets are looked at before anything is decided: their mean is then close
	// to normal.
	duelLeast = 30
	// duelRound is how many sets are played between two looks. It is no less for few workers, lest
	// the verdict depend on their number.
	duelRound = 40
)

func (d Duel) round(c *course) []meeting {
	if d.judge(c) != rating.Undecided {
		return nil
	}
	m := c.meet(c.agents[0], c.agents[1])
	m.sets.End = m.sets.First + min(duelRound, d.Most-m.sets.First)
	return []meeting{m}
}

func (d Duel) judge(c *course) rating.Verdict {
	f := c.results.Focal(c.agents[0], c.agents[1])
	return d.test().Judge(f.Sets, f.Gain())
}

// report reports how the test has gone.
func (d Duel) report(c *course) *messages.SequentialTest {
	f := c.results.Focal(c.agents[0], c.agents[1])
	return &messages.SequentialTest{
		A: c.agents[0], B: c.agents[1], Gain: d.Gain, Error: d.Error, Sets: f.Sets, MostSets: d.Most,
		Evidence: d.test().Evidence(f.Gain()), Threshold: d.test().Threshold(), Verdict: string(d.judge(c)),
	}
}
