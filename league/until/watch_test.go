package until

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
	"croupier/internal/stat"
	"croupier/messages"
)

// run is a run of which a test makes up the strength of its versions.
type run struct {
	Evidence
	sums []stat.Moments // of the results of each version
}

func newRun() *run {
	return &run{Evidence: Evidence{
		Ladder: &messages.Ladder{Seats: 2, Scale: messages.Scale{Kind: messages.EloScale, Unit: "Elo"}},
		Player: func(member string) string { return "greedy:" + member },
	}}
}

// add adds a version.
func (r *run) add(seconds float64) {
	k := uint64(len(r.Members) + 1)
	name := fmt.Sprintf("main@%d", k)
	r.Seconds = seconds
	r.Members = append(r.Members, &messages.Member{Name: name, Order: k, Seconds: seconds})
	r.sums = append(r.sums, stat.Moments{})
	r.Ladder.Agents = append(r.Ladder.Agents, messages.LadderAgent{Name: r.Player(name), Kind: "network"})
	r.Ladder.Payoff = append(r.Ladder.Payoff, messages.Payoff{A: r.Player(name), B: "rival"})
}

// rate sets the rating of the newest version.
func (r *run) rate(i stat.Interval, games uint64) {
	a := &r.Ladder.Agents[len(r.Ladder.Agents)-1]
	a.Rating, a.Low, a.High, a.Games = i.Value, i.Low, i.High, games
}

// play plays games with the newest version, each of which brings the rating's estimate a normal value.
func (r *run) play(rng *rand.Rand, strength float64, games int) {
	m := &r.sums[len(r.sums)-1]
	for range games {
		m.Add(strength + 300*rng.NormFloat64())
	}
	r.rate(m.Interval(), uint64(m.N))
	p := &r.Ladder.Payoff[len(r.Ladder.Payoff)-1]
	share := m.Interval()
	p.Games, p.WinShare = uint64(m.N), &messages.WinShare{
		ShareA: 0.5 + share.Value/1000, ShareLow: 0.5 + share.Low/1000, ShareHigh: 0.5 + share.High/1000,
	}
}

// falls plays many runs, each with several versions and looks after every 40 games. It returns how often
// goals are said to be reached, and how often the 95 % interval would have said so: in more than half of the runs,
// which 100 tell to 5 %.
func falls(strength float64, goal Goal) (held, naive float64) {
	const versions, looks = 6, 50
	runs := nightly.Cases(100, 300)
	rng := rand.New(rand.NewPCG(1, 2))
	for range runs {
		r, watch, early := newRun(), Watch{Goals: []Goal{goal}}, false
		done := false
		for v := range versions {
			r.add(float64(10 * (v + 1)))
			for range looks {
				r.play(rng, strength, 40)
				a := r.Ladder.Agents[v]
				early = early || a.Games >= leastGames && a.Low >= goal.Value
				done = done || watch.Look(r.Evidence).Held != ""
			}
		}
		if done {
			held++
		}
		if early {
			naive++
		}
	}
	return held / float64(runs), naive / float64(runs)
}

// In a 95 % interval that is looked at again and again anything appears; the bounds here hold at all looks.
func TestGoalsAreNotReachedByChance(t *testing.T) {
	for _, goal := range []Goal{{Kind: Rating, Value: 0}, {Kind: Beats, Agent: "rival"}} {
		held, naive := falls(0, goal)
		t.Logf("%s: held in %.3f of runs, by the interval in %.3f", goal.Kind, held, naive)
		require.LessOrEqual(t, held, Error, goal.Kind)
		require.Greater(t, naive, 0.2, "the test would not see what it is for")
		held, _ = falls(40, goal)
		require.Greater(t, held, 0.9, "%s: a goal that is reached", goal.Kind)
	}
}

// What is expected by now is not said to come in 0 seconds.
func TestTimesInWords(t *testing.T) {
	for text, left := range map[string]Left{
		"in about 3m0s (1m0s or more)":   {Value: 3 * time.Minute, Low: time.Minute},
		"in about 3m0s (1m0s to 9m0s)":   {Value: 3 * time.Minute, Low: time.Minute, High: 9 * time.Minute},
		"at any time from now on":        {},
		"at any time, within about 2m0s": {High: 2 * time.Minute},
	} {
		require.Equal(t, text, left.String())
	}
}

// curve makes a run whose versions gain so much per doubling of the training time, with errors, and returns
// whether a plateau of 20 Elo per doubling is found, and after how many versions.
func curve(rng *rand.Rand, gain, noise float64) (found bool, versions int) {
	r, watch := newRun(), Watch{Goals: []Goal{{Kind: Plateau, Value: 20, Unit: "Elo"}}}
	for v := range 80 {
		r.add(float64(10 * (v + 1)))
		x := gain*math.Log2(r.Seconds) + noise*rng.NormFloat64()
		r.rate(stat.Normal(x, noise*noise), 300)
		if watch.Look(r.Evidence).Held != "" {
			return true, v + 1
		}
	}
	return false, 0
}

// The share of 150 runs in which chance makes a plateau deviates by 1.8 %.
func TestPlateau(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	runs := nightly.Cases(150, 400)
	share := func(gain, noise float64) (share float64) {
		for range runs {
			if found, versions := curve(rng, gain, noise); found {
				require.Greater(t, versions, leastPoints)
				share++
			}
		}
		return share / float64(runs)
	}
	wrong, right := share(20, 15), share(0, 10)
	t.Logf("a plateau is found in %.3f of the runs without, in %.3f of those with one", wrong, right)
	require.LessOrEqual(t, wrong, Error)
	require.Greater(t, right, 0.9)
	require.Zero(t, share(100, 10))
}

func TestExploitability(t *testing.T) {
	watch := Watch{Goals: []Goal{{Kind: Exploitability, Value: 0.01, Unit: "antes per game"}}}
	e := newRun().Evidence
	e.Ladder = nil
	require.Equal(t, State{Ahead: []string{"exploitability=0.01 at an unknown time"}}, watch.Look(e))
	for i := range 12 { // halves with each doubling, and more or less
		s := float64(i + 1)
		e.Exploitability = append(e.Exploitability, Measured{s, 0.2 / s * (1 + 0.1*float64(i%2))})
		e.Seconds = s
	}
	s := watch.Look(e)
	require.Empty(t, s.Held)
	require.Regexp(t, `^exploitability=0\.01 in about (8|9|10|7)s \([0-9]s (to [0-9]+s|or more)\)$`, s.Ahead[0])
	e.Exploitability = append(e.Exploitability, Measured{20, 0.0099})
	require.Equal(t, "exploitability=0.01: the newest version can lose 0.0099 antes per game", watch.Look(e).Held)
}

// The best counts as well as the newest, others do not; nor do agents that do not learn for the run.
func TestCandidates(t *testing.T) {
	r := newRun()
	watch := Watch{Goals: []Goal{{Kind: Rating, Value: 100, Unit: "Elo"}}}
	r.add(1)
	r.rate(stat.Normal(300, 100), 4000)
	r.Members = append(r.Members, &messages.Member{Name: "exploiter@2", Order: 2, Seconds: 2})
	r.Ladder.Agents = append(r.Ladder.Agents, messages.LadderAgent{Name: "greedy:exploiter@2", Games: 4000, Rating: 900,
		Low: 880, High: 920})
	require.Equal(t, "rating=100: main@1 is rated 300 Elo, and at least 267", watch.Look(r.Evidence).Held)
	r.Members = append(r.Members, &messages.Member{Name: "main@3", Order: 3, Seconds: 3})
	r.Ladder.Agents = append(r.Ladder.Agents, messages.LadderAgent{Name: "greedy:main@3", Games: 4000, Rating: 0, Low: -20,
		High: 20})
	require.Empty(t, watch.Look(r.Evidence).Held)
	r.Ladder.Agents[0].Best = true
	require.NotEmpty(t, watch.Look(r.Evidence).Held)
	r.Ladder.Agents[0].Games = leastGames - 1
	require.Empty(t, watch.Look(r.Evidence).Held)
}
