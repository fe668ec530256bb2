package play

import (
	"bytes"
	"context"
	"time"

	"croupier/engine"
	"croupier/engine/history"
)

// Show returns what the eye of a key sees of a table. open asks for all cards on the table, where
// the game is over or nobody plays but agents.
func (h *Hall) Show(id, key string, open bool) (*Show, error) {
	r, p, err := h.pass(id, key)
	if err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if open {
		if !r.table.Over() && (r.table.People() > 0 || r.table.Open() >= 0) {
			return nil, refuse(Forbidden, "the cards are opened when the game is over")
		}
		return r.showEye(engine.Everything, p), nil
	}
	return r.showTo(p), nil
}

// showEye returns what an eye sees, and where the holder of the pass continues.
func (r *room) showEye(eye int, p pass) *Show {
	show := r.show(eye)
	show.Table.Next = r.nextSeat(p)
	show.Table.Outlook = show.Table.Outlook && len(p.seats) == 0 // Outlook is for those who watch
	return show
}

// show returns what an eye sees, with what there is to know of the table.
func (r *room) show(eye int) *Show {
	show := r.table.Show(eye, time.Now())
	for seat, n := range r.present {
		show.Seats[seat].Present = n > 0
	}
	show.Table = &TableInfo{
		ID: r.id, Revision: r.revision(eye), State: r.state(),
		Undo: r.table.CanUndo(eye) && r.problem == "", Help: r.helps(), Watch: r.watch, Code: r.code,
		Speed: r.speed, Sum: r.sum(), Problem: r.problem, Kept: r.kept, Outlook: eye < 0 && r.assesses() == nil,
	}
	show.Table.Bets, show.Table.NextBets = r.table.bets()
	return show
}

func (r *room) state() string {
	switch {
	case r.table.Over():
		return Ended
	case r.table.Open() >= 0:
		return Waiting
	case r.paused:
		return Paused
	}
	return Playing
}

// helps reports whether hints are answered: not where they would help one person against another.
func (r *room) helps() bool {
	return r.table.People() <= 1 || r.table.plan.Entered || r.table.Over()
}

// sum returns what seats have gained, nil before the first game is over.
func (r *room) sum() []float64 {
	sum := r.table.plan.Sum
	if r.table.Over() {
		sum = r.table.Sum()
	}
	_, scale := r.table.Game().Spec().Coin.Shown("")
	return scaled(sum, scale)
}

// nextSeat returns where the holder of the pass continues, nil if there is no next game. The keys are those of this
// one.
func (r *room) nextSeat(p pass) *NextSeat {
	switch {
	case r.next == "":
		return nil
	case len(p.seats) == 0:
		return &NextSeat{r.next, r.watch}
	}
	return &NextSeat{r.next, p.key}
}

// with lets a person at a table do something, and returns what they see then, also next to an
// error.
func (h *Hall) with(id, key string, do func(r *room, p pass, now time.Time) error) (*Show, error) {
	r, p, err := h.pass(id, key)
	if err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.closed {
		return nil, r.hall.missing()
	}
	r.used = time.Now()
	err = r.change(func(now time.Time) error { return do(r, p, now) })
	r.keep()
	return r.showTo(p), refusal(err)
}

// seated refuses who has no seat.
func (p pass) seated() error {
	if len(p.seats) == 0 {
		return refuse(Forbidden, "spectators do not play")
	}
	return nil
}

// Act makes a person's step, see [Table.Act].
func (h *Hall) Act(id, key string, step, action int) (*Show, error) {
	began := time.Now()
	defer func() { h.Metrics.acted(time.Since(began)) }()
	return h.with(id, key, func(r *room, p pass, now time.Time) error {
		seat, err := r.actor(p)
		if err != nil {
			return err
		}
		return r.table.Act(seat, step, action, now)
	})
}

// Undo takes back a person's last decision, see [Table.Undo].
func (h *Hall) Undo(id, key string) (*Show, error) {
	return h.with(id, key, func(r *room, p pass, now time.Time) error {
		if err := p.seated(); err != nil {
			return err
		}
		if err := r.table.Undo(p.seats[0], now); err != nil {
			return err
		}
		r.interrupt()
		r.tellAll()
		return nil
	})
}

// Seated is a person who has taken a seat.
type Seated struct {
	Table string `json:"table"`
	Key   string `json:"key"`
}

// JoinByCode gives a person an open seat of the table with that code.
func (h *Hall) JoinByCode(code string, guest Guest) (*Seated, error) {
	r, err := h.coded(tidyCode(code), time.Now())
	if err != nil {
		return nil, err
	}
	return r.join(func() int { return r.table.Open() }, guest)
}

// Join gives a person the open seat whose key it is. The key was a link that others have seen, so
// the person gets a new one.
func (h *Hall) Join(id, key string, guest Guest) (*Seated, error) {
	r, p, err := h.pass(id, key)
	if err != nil {
		return nil, err
	}
	if err := p.seated(); err != nil {
		return nil, err
	}
	return r.join(func() int {
		if r.table.Chair(p.seats[0]).Kind != Vacant {
			return -1
		}
		return p.seats[0]
	}, guest)
}

// join sits a person down in the seat that free returns, unless it is -1.
func (r *room) join(free func() int, guest Guest) (*Seated, error) {
	person, err := guest.chair()
	if err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	seat := free()
	if seat < 0 || r.closed {
		return nil, refuse(Forbidden, "the seat is taken")
	}
	r.used = time.Now()
	err = r.change(func(now time.Time) error {
		r.table.Sit(seat, person, now)
		return nil
	})
	key := newKey()
	r.locks[seat] = lockOf(key)
	r.seatTaken()
	r.keep()
	return &Seated{r.id, key}, err
}

// seatTaken informs everybody that somebody has sat down.
func (r *room) seatTaken() {
	if r.table.Open() < 0 && r.code != "" {
		r.hall.forget(r.code)
		r.code = ""
	}
	r.tellAll()
}

// forget drops the code of a table that is full. The hall's mutex may be taken while a table's is
// held, but not the other way round.
func (h *Hall) forget(code string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	delete(h.codes, code)
}

// Fill gives all open seats to an agent. The key is that of the person who opened the table.
func (h *Hall) Fill(ctx context.Context, id, key, agent string) (*Show, error) {
	r, p, err := h.pass(id, key)
	if err != nil {
		return nil, err
	}
	if !p.host {
		return nil, refuse(Forbidden, "only the person who opened the table fills its seats")
	}
	found, err := h.agent(ctx, r.table.Game(), r.run, agent)
	if err != nil {
		return nil, refuse(Wrong, "%v", err)
	}
	return h.with(id, key, func(r *room, _ pass, now time.Time) error {
		for seat := r.table.Open(); seat >= 0; seat = r.table.Open() {
			r.table.Replace(seat, found, now)
			r.locks[seat] = ""
		}
		r.seatTaken()
		return nil
	})
}

// Leave lets a person, or all at a device, get up: an agent plays on for them. A table that everybody has left is
// closed.
func (h *Hall) Leave(ctx context.Context, id, key string) (*Show, error) {
	r, p, err := h.pass(id, key)
	if err != nil {
		return nil, err
	}
	if err := p.seated(); err != nil {
		return nil, err
	}
	game := r.table.Game()
	standIn, err := h.agent(ctx, game, "", h.Source.Agents(game).StrongestBot())
	if err != nil {
		return nil, refuse(Wrong, "no agent can take the seat: %v", err)
	}
	show, err := h.with(id, key, func(r *room, p pass, now time.Time) error {
		for _, seat := range p.seats {
			standIn.Title = r.table.Chair(seat).Name + " (left)"
			r.table.Replace(seat, standIn, now)
			r.locks[seat] = ""
		}
		r.tellAll()
		return nil
	})
	if err == nil && r.deserted() {
		h.close(r)
	}
	return show, err
}

// deserted reports whether no person is left and none is to come.
func (r *room) deserted() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.table.People() == 0 && r.table.Open() < 0
}

// maxSpeed is how many steps a second agents make at most where a speed is set.
const maxSpeed = 100

// Speed is how fast agents play among themselves. What is nil stays as it is.
type Speed struct {
	MovesPerSecond *float64 `json:"moves_per_second"` // 0: as the pace says
	Paused         *bool    `json:"paused"`
	Step           bool     `json:"step"` // makes one step though it is paused
	End            bool     `json:"end"`  // makes all steps to the end without a pause
}

// SetSpeed sets the speed of a table. The key is that of the person who laid it.
func (h *Hall) SetSpeed(id, key string, s Speed) (*Show, error) {
	return h.with(id, key, func(r *room, p pass, _ time.Time) error {
		if !p.host {
			return refuse(Forbidden, "only the person who opened the table sets its speed")
		}
		if v := s.MovesPerSecond; v != nil {
			if !(*v >= 0 && *v <= maxSpeed) {
				return refuse(Wrong, "moves_per_second is %v, not in 0..%d", *v, maxSpeed)
			}
			r.speed = *v
		}
		if s.Paused != nil {
			r.paused, r.single = *s.Paused, 0
		}
		if s.Step {
			r.single = 1
		}
		if s.End {
			r.paused, r.hurried = false, true
		}
		r.interrupt()
		r.tellAll()
		return nil
	})
}

// Save returns the game as a line of a history, once it is over: it holds all cards. Where nothing
// is hidden it can be saved before, without the seed, which would tell the dice to come.
func (h *Hall) Save(id, key string) (string, error) {
	r, _, err := h.pass(id, key)
	if err != nil {
		return "", err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.table.plan.Start != nil {
		return "", refuse(Wrong, "the game was joined under way: without its beginning there is no history of it")
	}
	record := r.table.Record()
	if !r.table.Over() {
		if !r.table.Game().Spec().PerfectInformation {
			return "", refuse(Forbidden, "the game can be saved when it is over: it holds everybody's cards")
		}
		record.Seed = nil
	}
	return string(bytes.TrimSpace(history.Append(nil, record))), nil
}

// Position is a question about a decision: what the person to move knows.
type Position struct {
	Game     engine.Game
	Run      string
	Document []byte // as engine.Positioned writes it
	Agents   []string
}

// Ask returns the position of the person with that key, who is to move, for a hint.
func (h *Hall) Ask(id, key string) (*Position, error) {
	r, p, err := h.pass(id, key)
	if err != nil {
		return nil, err
	}
	if err := p.seated(); err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	game, ok := r.table.Game().(engine.Positioned)
	switch {
	case !ok:
		return nil, refuse(Wrong, "there are no hints for this game")
	case !r.helps():
		return nil, refuse(Forbidden, "there are no hints where people play against one another")
	case r.table.story.Player() != r.eye(p):
		return nil, refuse(Forbidden, "hints are for the player to move: %v", ErrTurn)
	}
	r.used = time.Now()
	q := &Position{Game: game, Run: r.run, Document: game.FormatPosition(r.table.State(), r.eye(p))}
	for _, place := range r.table.places {
		if place.Kind == Robot {
			q.Agents = append(q.Agents, place.Agent.Name)
		}
	}
	return q, nil
}
