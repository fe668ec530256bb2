package backlog

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A learner that keeps up reports seldom, and the limit at once, in both directions.
func TestWhatIsReported(t *testing.T) {
	p, now := newPace(8), time.Unix(1000, 0)
	look := func(after time.Duration, waiting, taken uint64) bool {
		now = now.Add(after)
		return p.look(now, waiting, Work{Taken: taken, Actors: 4})
	}
	require.True(t, look(0, 0, 0), "that it is there")
	require.EqualValues(t, 2, p.report.Room)
	require.False(t, look(20*time.Millisecond, 8, 0))
	require.True(t, look(80*time.Millisecond, 8, 10), "more room for those that have used it up")
	require.EqualValues(t, 4, p.report.Room)
	require.True(t, look(20*time.Millisecond, 9, 10))
	require.True(t, p.report.Above(8))
	for range 49 {
		require.False(t, look(20*time.Millisecond, 30, 10), "they know it")
	}
	require.True(t, look(20*time.Millisecond, 30, 20))
	require.Equal(t, Report{Waiting: 30, Room: 4}, p.report)
	require.True(t, look(time.Second, 8, 210))
	require.Equal(t, Report{Waiting: 8, Room: (8 + 100*0.1) / 4}, p.report, "it took a hundred a second while it was behind")
}

// Batches that the learner throws away are no backlog.
func TestAFloodIsNoBacklog(t *testing.T) {
	p, now := newPace(8), time.Unix(1000, 0)
	require.True(t, p.look(now, 0, Work{}))
	require.True(t, p.look(now.Add(time.Second), 100, Work{Taken: 1000, Useless: 950}))
	require.Equal(t, 0.95, p.report.Useless)
	require.False(t, p.report.Above(8))
	require.True(t, p.look(now.Add(2*time.Second), 100, Work{Taken: 1000, Useless: 950}))
	require.Equal(t, 0.95, p.report.Useless, "nothing was taken since")
	require.True(t, p.look(now.Add(3*time.Second), 200, Work{Taken: 2000, Useless: 1900}))
	require.True(t, p.report.Above(8))
	require.False(t, p.look(now.Add(3900*time.Millisecond), 200, Work{Taken: 2000, Useless: 1900}))
	require.False(t, p.look(now.Add(4*time.Second-1), 200, Work{Taken: 2000, Useless: 1900}))
}

// crowd are actors that have a batch ready at all times, and a learner that takes a number of them in a second.
type crowd struct {
	actors int
	rate   int
	delay  time.Duration // until a report arrives
}

// play returns what waited at most, and for which share of the time the learner had nothing, after the first seconds.
func (c crowd) play() (most int, idle float64) {
	const step = time.Millisecond
	p, draw := newPace(8), rand.New(rand.NewPCG(1, 2))
	room, may := make([]float64, c.actors), make([]bool, c.actors)
	waiting, taken, sent, due := 0, 0.0, 0, 0
	reported := []Report{}
	var arrive []time.Duration
	for now := time.Duration(0); now < 20*time.Second; now += step {
		if now%(20*time.Millisecond) == 0 &&
			p.look(time.Unix(0, int64(now)), uint64(waiting), Work{Taken: uint64(taken), Actors: c.actors}) {
			reported, arrive, sent = append(reported, p.report), append(arrive, now+c.delay), sent+1
		}
		for ; len(arrive) > 0 && arrive[0] <= now; reported, arrive = reported[1:], arrive[1:] {
			for i := range room {
				room[i], may[i] = reported[0].Room+draw.Float64(), !reported[0].Above(8)
			}
		}
		if now%(10*time.Millisecond) == 0 { // each actor plays a hundred batches a second
			for i := range room {
				if may[i] && room[i] >= 1 {
					room[i]--
					waiting++
				}
			}
		}
		for due += c.rate; due >= 1000; due -= 1000 {
			if waiting > 0 {
				waiting, taken = waiting-1, taken+1
			} else if now > 5*time.Second {
				idle++
			}
		}
		if now > 5*time.Second {
			most = max(most, waiting)
		}
	}
	return most, idle / float64(15*c.rate)
}

// However many actors there are, the learner nearly always has something to do, and what waits is taken within a
// second.
func TestACrowdIsHeldBack(t *testing.T) {
	for _, c := range []crowd{
		{actors: 1, rate: 50}, {actors: 2, rate: 100}, {actors: 10, rate: 50}, {actors: 10, rate: 400},
		{actors: 1000, rate: 13}, {actors: 1000, rate: 1500}, {actors: 4, rate: 100, delay: 100 * time.Millisecond},
	} {
		most, idle := c.play()
		require.LessOrEqual(t, most, 24+c.rate, "%+v", c)
		require.Less(t, idle, 0.1, "%+v", c)
	}
}
