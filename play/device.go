package play

import (
	"slices"
	"time"

	"croupier/engine"
)

// Device is what a page has to know that several persons share.
type Device struct {
	Seats []int `json:"seats"`
	Asked int   `json:"asked"` // the one of them who is to move; -1: none is
	// Covered: nothing is shown that only one of them may see until the one who is asked has the device, and says so by
	// the key with its seat.
	Covered bool `json:"covered"`
	// Poll is a question to several of them at once, nil where one is asked alone.
	Poll *Poll `json:"poll,omitempty"`
}

// Poll is a question to several persons at once: does anybody do it now?
type Poll struct {
	Seats   []int  `json:"seats"` // in the order in which they are asked
	Does    Choice `json:"does"`
	DoesNot Choice `json:"does_not"`
}

// device reports whether several persons hold the pass.
func (p pass) device() bool { return len(p.seats) > 1 }

// asked returns the person with that pass who has to answer, -1 if there is none.
func (r *room) asked(p pass) int {
	player := r.table.story.Player()
	if r.table.Next() == NextPerson && slices.Contains(p.seats, player) && !r.foregone() {
		return player
	}
	return -1
}

// eye returns what is seen with a pass. Persons at one device see the game as spectators do where they look together,
// and as the one who is asked where nothing is hidden. Else they see it as the one of whom the key says that it has the
// device, until another one is asked.
func (r *room) eye(p pass) int {
	asked := r.asked(p)
	switch {
	case len(p.seats) == 0:
		return engine.Public
	case !p.device():
		return p.seats[0]
	case r.table.Over() || r.table.poll(p.seats) != nil:
		return engine.Public
	case r.table.Game().Spec().PerfectInformation && asked >= 0:
		return asked
	case r.table.Game().Spec().PerfectInformation:
		return r.table.last(p.seats)
	case slices.Contains(p.seats, p.chosen) && (asked < 0 || asked == p.chosen):
		return p.chosen
	}
	return engine.Public
}

// last returns which of the seats has moved last, the first of them if none has.
func (t *Table) last(seats []int) int {
	for _, m := range slices.Backward(t.made) {
		if slices.Contains(seats, m.player) {
			return m.player
		}
	}
	return seats[0]
}

// showTo returns what is shown to a pass.
func (r *room) showTo(p pass) *Show {
	show := r.showEye(r.eye(p), p)
	if !p.device() {
		return show
	}
	asked := r.asked(p)
	show.Table.Device = &Device{
		Seats: p.seats, Asked: asked,
		Covered: asked >= 0 && show.Eye != asked && !r.table.Game().Spec().PerfectInformation,
	}
	if q := r.table.poll(p.seats); q != nil && asked >= 0 {
		name := r.table.State().ActionName
		show.Table.Device.Poll = &Poll{q.asked, Choice{q.does, name(q.does)}, Choice{q.doesNot, name(q.doesNot)}}
	}
	show.Table.Revision = r.revised
	show.Table.Undo = r.table.CanUndo(p.seats[0]) && r.problem == ""
	return show
}

// actor returns the seat for which a pass acts.
func (r *room) actor(p pass) (int, error) {
	switch asked := r.asked(p); {
	case len(p.seats) == 0:
		return -1, refuse(Forbidden, "spectators do not play")
	case !p.device() || asked < 0:
		return p.seats[0], nil // the table reports why it cannot act
	case !r.table.Game().Spec().PerfectInformation && r.eye(p) != asked:
		return -1, refuse(Forbidden, "%s is asked and has to have the device first: use the key with :%d",
			r.table.Chair(asked).Name, asked)
	default:
		return asked, nil
	}
}

// foregone reports whether the person to move sits at the device and need not be asked, where several are asked
// together.
func (r *room) foregone() bool {
	if r.table.poll(r.table.device()) == nil {
		return false
	}
	_, settled := r.table.Settled()
	_, answered := r.polled.answer(r.table)
	return settled || answered
}

// device returns the seats of the persons who share one.
func (t *Table) device() (seats []int) {
	for seat, p := range t.places {
		if p.Kind == Person && p.Shared {
			seats = append(seats, seat)
		}
	}
	return seats
}

// together reports whether all persons at the table decide together what is taken back: one, or several at one device.
func (t *Table) together() bool { return t.People() <= 1 || len(t.device()) == t.People() }

// Answer reports which of the persons at a device do what they are asked together; the others do not. step is that of
// the [Show] that it answers.
func (h *Hall) Answer(id, key string, step int, seats []int) (*Show, error) {
	began := time.Now()
	defer func() { h.Metrics.acted(time.Since(began)) }()
	return h.with(id, key, func(r *room, p pass, now time.Time) error {
		q := r.table.poll(p.seats)
		switch {
		case !p.device():
			return refuse(Forbidden, "several are asked together only at one device")
		case q == nil && r.table.Over():
			return ErrOver
		case q == nil || r.asked(p) < 0:
			return ErrTurn
		}
		for _, seat := range seats {
			if !slices.Contains(q.asked, seat) {
				return refuse(Wrong, "seat %d is not asked", seat+1)
			}
		}
		q.yes = seats
		player := r.table.story.Player()
		action, _ := q.answer(r.table)
		if err := r.table.Act(player, step, action, now); err != nil {
			return err
		}
		r.polled = q
		return nil
	})
}
