package backlog

import "time"

const (
	// eachActor is the part of the time between two reports that each actor is worth, as long as the learner is not
	// behind: whatever their number, two thousand are sent in a second. shortest bounds that time, Period from above.
	eachActor = Period / 2000
	shortest  = Period / 10
	// maxRoom is more than an actor sends without having asked how many of its own batches wait.
	maxRoom = 64
)

// pace decides when to report what. It knows no bus and no clock.
type pace struct {
	limit  int
	report Report
	at     time.Time // when that was
	behind bool      // by what was reported

	useless float64   // see Report
	counted time.Time // when that was last looked at
	work    Work      // at that time
	since   time.Time // when the learner was last found to be behind
	taken   uint64    // at that time
	rate    float64   // batches of use a second that the learner took the last time that it was behind
}

func newPace(limit int) *pace { return &pace{limit: max(limit, 1)} }

// look takes what waits and what was done until now, and reports whether p.report is to be sent.
func (p *pace) look(now time.Time, waiting uint64, w Work) bool {
	p.count(now, w)
	r := Report{Waiting: waiting, Useless: p.useless, Room: p.report.Room}
	behind := r.Above(p.limit)
	switch elapsed := now.Sub(p.at); {
	case behind && !p.behind:
		p.since, p.taken = now, w.Taken
	case !behind && p.behind:
		if busy := now.Sub(p.since).Seconds(); busy > 0 {
			p.rate = float64(w.Taken-p.taken) / busy * (1 - r.Useless)
		}
		r.Room = (float64(p.limit) + p.rate*p.next(w).Seconds()) / float64(max(w.Actors, 1))
	case behind && elapsed < Period, !behind && elapsed < p.next(w):
		return false
	case p.at.IsZero(): // the actors may not be known yet, nor what the learner takes
		r.Room = float64(p.limit) / float64(max(w.Actors, 1))
	case !behind:
		r.Room *= 2 // those that send little leave more to the others
	}
	r.Room = min(r.Room, maxRoom)
	p.report, p.at, p.behind = r, now, behind
	return true
}

// count finds once in a Period which share of the batches is of no use.
func (p *pace) count(now time.Time, w Work) {
	if now.Sub(p.counted) < Period {
		return
	}
	if taken := w.Taken - p.work.Taken; taken > 0 {
		p.useless = min(1, float64(w.Useless-p.work.Useless)/float64(taken))
	}
	p.work, p.counted = w, now
}

// next is the time to the next report while the learner is not behind.
func (p *pace) next(w Work) time.Duration {
	return min(max(time.Duration(w.Actors)*eachActor, shortest), Period)
}
