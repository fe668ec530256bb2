package play

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
	"time"

	"croupier/engine"
)

// room is a table with those who sit at it and look at it, and the goroutine that lets agents and
// chance move.
type room struct {
	hall  *Hall
	id    string
	watch string // key for spectators
	host  string // lockOf the key of the person who opened the table
	code  string // by which people join; "": no seat is open
	run   string

	mutex     sync.Mutex
	table     *Table
	locks     []string // lockOf the key, by seat; "" where nobody needs one
	present   []int    // by seat, watchers with its key
	watchers  map[*Watch]struct{}
	revisions []int // by eye - engine.Everything, what it has noticed
	revised   int   // how often anybody has noticed anything
	polled    *poll // newest question to several at one device
	driving   bool  // the goroutine is there
	nudge     chan struct{}
	alarm     *time.Timer // of the person to move
	pace      Pace
	speed     float64 // steps a second where no people play; 0: as pace says
	paused    bool
	hurried   bool // agents among themselves wait no more
	single    int  // steps to make though it is paused
	problem   string
	counted   bool          // the game was over once
	next      string        // ID of the table that follows; "": none yet
	used      time.Time     // when a person last did something
	done      chan struct{} // closed with the table
	closed    bool
	assessed  assessed
	// kept reports whether the table as it is has been written, and written is the hash of what was written last.
	kept    bool
	written [sha256.Size]byte
}

// Pace is how long agents wait before they move, so that people can follow.
type Pace string

// The paces.
const (
	NoPause Pace = "none"
	Short   Pace = "short"
	Slow    Pace = "slow"
)

// before returns the pause before a step of an agent, or of chance.
func (p Pace) before(next int) time.Duration {
	pause := map[Pace]time.Duration{Short: 500 * time.Millisecond, Slow: 1500 * time.Millisecond}[p]
	if next == NextChance {
		return pause / 2
	}
	return pause
}

// newKey returns 128 random bits.
func newKey() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// newCode returns a code for people to type: six characters, none of which is taken for another.
func newCode() string {
	var b [5]byte
	rand.Read(b[:])
	return base32.NewEncoding("ABCDEFGHJKLMNPQRSTUVWXYZ23456789").EncodeToString(b[:])[:6]
}

// tidyCode returns a typed code as newCode writes it.
func tidyCode(typed string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(typed))
}

// newRoom returns a room for a table, and the keys to it.
func (h *Hall) newRoom(t *Table, now time.Time) (*room, *Made) {
	r := h.emptyRoom(t, now)
	made := &Made{Table: newKey()[:16], Keys: make([]string, len(t.places)), Watch: newKey(), Host: newKey()}
	r.id, r.watch, r.host = made.Table, made.Watch, lockOf(made.Host)
	device := newKey()
	for seat, p := range t.places {
		switch {
		case p.Kind == Person && p.Shared:
			made.Keys[seat] = device
		case p.Kind != Robot:
			made.Keys[seat] = newKey()
		default:
			continue
		}
		r.locks[seat] = lockOf(made.Keys[seat])
	}
	if t.Open() >= 0 {
		made.Code = newCode()
		r.code = made.Code
	}
	return r, made
}

// emptyRoom returns a room for a table to which there are no keys yet.
func (h *Hall) emptyRoom(t *Table, now time.Time) *room {
	seats := len(t.places)
	return &room{
		hall: h, table: t, locks: make([]string, seats), present: make([]int, seats), watchers: map[*Watch]struct{}{},
		revisions: make([]int, seats-engine.Everything), nudge: make(chan struct{}, 1), done: make(chan struct{}),
		used: now,
	}
}

// pass is what a key allows.
type pass struct {
	seats  []int // whose it is, ascending: several at one device; nil for a spectator
	chosen int   // who of several has the device; -1: nobody said so
	host   bool
	key    string // without who has the device
}

// pass finds whose key it is. Of several at one device, "KEY:SEAT" says who has it.
func (r *room) pass(key string) (pass, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	key, chosen, _ := strings.Cut(key, ":")
	p, lock := pass{chosen: -1, key: key}, lockOf(key)
	for seat, l := range r.locks {
		if lock == l {
			p.seats = append(p.seats, seat)
			if chosen == strconv.Itoa(seat) {
				p.chosen = seat
			}
		}
	}
	switch {
	case len(p.seats) > 0, key != "" && key == r.watch:
		return p, nil
	case lock == r.host:
		p.host = true
		return p, nil
	}
	return p, refuse(Unknown, noTable)
}

// change does something to the table, tells those who notice it, and lets the game continue. The
// caller holds the mutex.
func (r *room) change(do func(now time.Time) error) error {
	before := make([]sight, len(r.revisions))
	for i := range before {
		before[i] = r.sight(i + engine.Everything)
	}
	wasOver := r.table.Over()
	err := do(time.Now())
	for i := range before {
		eye := i + engine.Everything
		switch now := r.sight(eye); {
		case now.steps != before[i].steps || now.over != before[i].over:
			r.tell(eye)
		case now != before[i]:
			r.wake(eye)
		}
	}
	if r.table.Over() && !wasOver {
		r.note(time.Now())
		if !r.counted {
			r.counted = true
			r.hall.Metrics.finished()
		}
	}
	r.goOn()
	return err
}

// sight is what changes for an eye while a game continues.
type sight struct {
	steps     int
	own, over bool // it is the eye's turn; the game is over
}

func (r *room) sight(eye int) sight {
	return sight{r.table.story.Steps(eye), eye >= 0 && r.table.story.Player() == eye, r.table.Over()}
}

// revision numbers what an eye can see, so that what is newer has a greater number. It counts what
// the eye has noticed, and whose turn it is, and not the changes themselves: their number would
// tell of steps that it does not notice.
func (r *room) revision(eye int) int {
	revision := 2 * r.revisions[eye-engine.Everything]
	if r.sight(eye).own {
		revision++
	}
	return revision
}

// tell tells those who look with an eye that there is something new.
func (r *room) tell(eye int) {
	r.revisions[eye-engine.Everything]++
	r.revised++
	r.wake(eye)
}

// wake lets those who look with an eye look again, and those at a device, who see now with one and now with another.
func (r *room) wake(eye int) {
	for w := range r.watchers {
		if w.pass.device() || r.eye(w.pass) == eye {
			w.wake()
		}
	}
}

// tellAll informs everybody.
func (r *room) tellAll() {
	for i := range r.revisions {
		r.tell(i + engine.Everything)
	}
}

// automatic reports whether the game continues without people.
func (r *room) automatic() bool {
	next := r.table.Next()
	return !r.closed && r.problem == "" && (!r.paused || r.single > 0) &&
		(next == NextAgent || next == NextChance || next == NextPerson && r.foregone())
}

// goOn starts the goroutine that makes the steps of agents and chance, or sets the alarm of the
// person to move.
func (r *room) goOn() {
	if r.driving {
		return
	}
	if r.automatic() {
		r.driving = true
		r.hall.working.Go(r.drive)
		return
	}
	if r.alarm != nil && r.alarm.Stop() {
		r.hall.working.Done()
	}
	r.alarm = nil
	if deadline, ok := r.table.Deadline(); ok && !r.closed {
		r.hall.working.Add(1)
		var alarm *time.Timer
		alarm = time.AfterFunc(time.Until(deadline), func() {
			defer r.hall.working.Done()
			r.mutex.Lock()
			defer r.mutex.Unlock()
			if r.alarm == alarm { // else the person has moved in the same moment
				r.alarm = nil
				r.expire()
			}
		})
		r.alarm = alarm
	}
}

// expire makes the fallback of a person whose time is over.
func (r *room) expire() {
	if r.closed {
		return
	}
	r.polled = r.table.poll(r.table.device())
	err := r.change(func(now time.Time) error {
		_, err := r.table.Expire(now)
		return err
	})
	r.fail(err)
	r.keep()
}

// drive makes the steps of agents and chance until people have to do something.
func (r *room) drive() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for r.automatic() {
		if r.table.Next() == NextPerson {
			r.fail(r.change(func(now time.Time) error {
				_, err := r.table.unasked(r.polled, now)
				return err
			}))
			continue
		}
		if !r.pause() {
			continue
		}
		r.single = max(0, r.single-1)
		if r.table.Next() == NextChance {
			r.fail(r.change(r.table.Draw))
			continue
		}
		task := r.table.Task()
		r.mutex.Unlock()
		began := time.Now()
		err := task.Think()
		r.hall.Metrics.thought(time.Since(began))
		r.mutex.Lock()
		if err == nil && !r.closed {
			err = r.change(func(now time.Time) error { return r.table.Finish(task, now) })
		}
		r.fail(err)
	}
	r.driving = false
	r.keep()
	r.goOn()
}

// keep writes the table into its file, where the hall has a folder: what somebody has been answered is still there
// when the server is started again. A table that cannot be written is played on.
func (r *room) keep() {
	if r.hall.store == nil || r.closed {
		return
	}
	document, err := r.document()
	if err != nil {
		r.hall.Log.Error("A table cannot be kept", "table", r.id, "error", err)
		return
	}
	written := sha256.Sum256(document)
	if r.kept && written == r.written {
		return
	}
	was := r.kept
	r.kept, r.written = r.hall.store.write(r.id, document), written
	if r.kept != was {
		r.tellAll()
	}
}

// fail stops the game for an error that is nobody's fault at the table.
func (r *room) fail(err error) {
	if err == nil || r.closed {
		return
	}
	r.problem = "the game cannot continue: " + err.Error()
	r.hall.Log.Error("A game cannot continue", "table", r.id, "game", r.table.Game().Spec().Name, "error", err)
	r.tellAll()
}

// pause waits before the next step, without the mutex, and reports whether it may be made: not if
// something has changed meanwhile.
func (r *room) pause() bool {
	delay := r.pace.before(r.table.Next())
	if r.speed > 0 && r.table.People() == 0 {
		delay = time.Duration(float64(time.Second) / r.speed)
	}
	if delay <= 0 || r.single > 0 || r.hurried && r.table.People() == 0 {
		return true
	}
	r.mutex.Unlock()
	defer r.mutex.Lock()
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.nudge:
		return false
	case <-r.done:
		return false
	}
	return true
}

// interrupt ends a pause before an agent's step.
func (r *room) interrupt() {
	select {
	case r.nudge <- struct{}{}:
	default:
	}
}

// close ends the table for all.
func (r *room) close() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	close(r.done)
	if r.alarm != nil && r.alarm.Stop() {
		r.hall.working.Done()
	}
}

// stale reports whether nobody needs the table any more, and idle, whether its file is enough for now.
func (r *room) stale(now time.Time, l Limits) (stale, idle bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	unused := now.Sub(r.used)
	idle = unused >= l.Idle && len(r.watchers) == 0
	return unused >= l.Kept || unused >= l.Idle && r.table.Over() || idle && !r.kept, idle
}

// disposable reports whether the table may make way for another, and since when nobody has used it.
func (r *room) disposable() (used time.Time, free bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.used, len(r.watchers) == 0 && (r.table.Over() || time.Since(r.used) >= time.Minute)
}
