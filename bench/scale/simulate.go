package scale

import (
	"container/heap"
	"math"
	"math/rand/v2"
)

// Run is what a simulated plant did.
type Run struct {
	Decisions float64            // a second that were trained on
	Busy      map[string]float64 // share of the time, by station
	Wait      float64            // mean seconds from the end of a batch's games until it is trained on
}

// event is the end of a batch's play or of its service at a station.
type event struct {
	at      float64 // seconds
	station int     // that it leaves; -1: its actor
	batch   batch
}

type batch struct {
	actor  int
	played float64 // when its games were over
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// backlog is how many batches may wait behind the actors before these pause, for each station and actor
// connection in it, as the actors' own limit.
const backlog = 8

// simulation is the state of a simulated plant. Every station serves one batch after the other; the time that
// its cores need together for one is exponential around the mean, as games differ in length.
type simulation struct {
	rng      *rand.Rand
	play     float64   // mean seconds of an actor for a batch
	service  []float64 // mean seconds of each station for a batch
	queue    [][]batch
	busy     []float64
	serving  []bool
	waiting  int // batches behind the actors
	paused   []int
	upcoming events
	now      float64
}

// Simulate runs the plant for some seconds of its time after a warm-up as long.
func (p Plant) Simulate(c Constants, seconds float64, seed uint64) Run {
	stations := p.Stations(c)[1:]
	actors := max(1, p.Cores/p.CoresPerActor)
	decisions := float64(p.BatchGames) * c.DecisionsPerGame
	s := &simulation{
		rng: rand.New(rand.NewPCG(seed, 1)), play: decisions / (float64(p.Cores) / float64(actors) * c.DecisionsPerCore),
		queue: make([][]batch, len(stations)), busy: make([]float64, len(stations)), serving: make([]bool, len(stations)),
	}
	for _, station := range stations {
		s.service = append(s.service, decisions/station.Capacity)
	}
	for actor := range actors {
		s.begin(actor)
	}
	run := Run{Busy: map[string]float64{}}
	done, waited, warm := 0, 0.0, make([]float64, len(stations))
	warmed := false
	for s.now < 2*seconds {
		if !warmed && s.now >= seconds {
			warmed = true
			copy(warm, s.busy)
		}
		finished, b := s.step()
		if finished && warmed {
			done++
			waited += s.now - b.played
		}
	}
	run.Decisions, run.Wait = float64(done)*decisions/seconds, waited/math.Max(1, float64(done))
	for i, station := range stations {
		run.Busy[station.Name] = math.Min(1, (s.busy[i]-warm[i])/seconds)
	}
	return run
}

// begin has an actor play a batch, or pause while too many wait.
func (s *simulation) begin(actor int) {
	if s.waiting > backlog*len(s.queue) {
		s.paused = append(s.paused, actor)
		return
	}
	heap.Push(&s.upcoming, event{s.now + s.rng.ExpFloat64()*s.play, -1, batch{actor: actor}})
}

// step takes the next event. finished says that the batch has passed the last station.
func (s *simulation) step() (finished bool, b batch) {
	e := heap.Pop(&s.upcoming).(event)
	s.now = e.at
	if e.station < 0 {
		e.batch.played = s.now
		s.waiting++
		s.begin(e.batch.actor)
	} else {
		s.serving[e.station] = false
		s.serve(e.station)
	}
	next := e.station + 1
	if next < len(s.queue) {
		s.queue[next] = append(s.queue[next], e.batch)
		s.serve(next)
		return false, e.batch
	}
	s.waiting--
	if n := len(s.paused); n > 0 {
		actor := s.paused[n-1]
		s.paused = s.paused[:n-1]
		s.begin(actor)
	}
	return true, e.batch
}

// serve has a station take its next batch, if it is free and has one.
func (s *simulation) serve(station int) {
	if s.serving[station] || len(s.queue[station]) == 0 {
		return
	}
	b := s.queue[station][0]
	s.queue[station] = s.queue[station][1:]
	s.serving[station] = true
	took := s.rng.ExpFloat64() * s.service[station]
	s.busy[station] += took
	heap.Push(&s.upcoming, event{s.now + took, station, b})
}
