package play

import (
	"time"

	"croupier/engine/history"
)

// Finished is a game with people in it that has come to its end.
type Finished struct {
	Record *history.Record
	Chairs []Chair // by seat
	Over   *Over
	Began  time.Time
	Ended  time.Time
}

// report tells of a game that is over, once.
func (r *room) report() {
	if r.reported || !r.table.Over() {
		return
	}
	r.reported = true
	r.hall.Metrics.finished()
	if r.hall.Finished == nil || r.table.People() == 0 {
		return
	}
	f := &Finished{Record: r.table.Record(), Over: r.table.Show(-1, time.Now()).Over, Began: r.began, Ended: time.Now()}
	for _, p := range r.table.places {
		f.Chairs = append(f.Chairs, p.Chair)
	}
	r.hall.working.Go(func() { r.hall.Finished(f) })
}
