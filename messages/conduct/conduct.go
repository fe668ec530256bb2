// Package conduct keeps account of actors that misbehave.
//
// Terms:
//
//   - An offence is something that an actor in good order never sends: a history with an
//     illegal action, chance that the seed does not yield, numbers that cannot be true, a
//     game that does not come out when it is played again.
//   - What is refused to an actor in good order as well (messages.Reason.Innocent) is excused as often as that can
//     happen within the window. More of it is an offence: it is of no use either, and takes others' time.
//   - An actor with too many offences within a window of time is quarantined: from then on its
//     experience is acknowledged unread, and its results are refused. That is the State key messages.QuarantineKey,
//     a [Record], which brokers follow: its key counts no more.
//   - An operator lifts it by deleting the key; the actor's offences are then forgotten.
//
// A process that judges what actors send (the learner's door, the auditor next to it, the league) has a [Monitor] of
// its own and follows the key: one that quarantines an actor does so for all.
package conduct

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"croupier/internal/strict"
	"croupier/messages"
	"croupier/messages/bus"
)

// Config reports when an actor is quarantined.
type Config struct {
	// Offences is how many within the window quarantine an actor; 0: none ever do.
	Offences int `yaml:"offences"`
	// Window is the time after the first refusal at which an actor's offences are forgotten.
	Window time.Duration `yaml:"window"`
	// AuditShare is the share of a core, 0..1, on which training games are played again; 0: none.
	AuditShare float64 `yaml:"audit_share"`
}

// DefaultConfig forgives a single bad batch, but not an actor that sends nothing else.
func DefaultConfig() Config {
	return Config{
		Offences: 32, // three seconds of one worker's batches
		Window:   10 * time.Minute,

		AuditShare: 0.02, // hundreds of small games a second
	}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.Offences < 0:
		return strict.Errorf("offences", "%d is negative", c.Offences)
	case c.Window <= 0:
		return strict.Errorf("window", "%v is not a positive duration", c.Window)
	case !(c.AuditShare >= 0 && c.AuditShare <= 1):
		return strict.Errorf("audit_share", "%v is not in 0..1", c.AuditShare)
	}
	return nil
}

// Bounds on what is remembered, whatever names are invented.
const (
	maxOffenders   = 4096 // actors whose offences are counted
	maxQuarantined = 4096 // actors that are quarantined
)

// Excused is how much within a window may be refused to an actor for innocent reasons: twice as many batches as the
// broker keeps of it, which is what comes again after the learner was started again, or comes of weights that it has
// withdrawn.
const Excused = 256

// replayOffences is how many offences a game counts that was not played as it says: that is
// no accident, and few are found out.
const replayOffences = 16

// logEvery is the least time between two log lines about the same actor.
const logEvery = 10 * time.Second

// Quarantine reports that an actor is quarantined, and why (State key messages.QuarantineKey, JSON).
type Quarantine struct {
	Actor    string    `json:"actor"`
	Reason   string    `json:"reason"`   // of the last offence, one of messages.Reasons
	Detail   string    `json:"detail"`   // of the last offence
	Offences int       `json:"offences"` // within the window
	By       string    `json:"by"`       // the role that decided
	Since    time.Time `json:"since"`    // shown, never compared
}

// Parse reads a State value.
func Parse(value []byte) (Quarantine, error) {
	var r Quarantine
	if err := strict.Unmarshal(value, &r); err != nil {
		return Quarantine{}, fmt.Errorf("actor quarantined: %w", err)
	}
	return r, nil
}

// Monitor counts the offences of one role's senders and knows who is quarantined. Its methods
// may be called by several goroutines and never wait for the broker.
type Monitor struct {
	config Config
	state  bus.KV
	role   string
	log    *slog.Logger
	wake   chan struct{} // has an element while there may be decisions to write

	mutex       sync.Mutex
	offenders   map[string]*offender
	quarantined map[string]bool
	decided     []Quarantine // not written yet
	newest      error        // offence
}

// offender is an actor to which something was refused.
type offender struct {
	since    time.Time // of the first refusal in the window
	offences int
	excused  int // refused for innocent reasons
	logged   time.Time
	unlogged int
}

// NewMonitor returns the monitor of a role.
func NewMonitor(config Config, state bus.KV, role string, log *slog.Logger) *Monitor {
	return &Monitor{
		config: config, state: state, role: role, log: log, wake: make(chan struct{}, 1),
		offenders: map[string]*offender{}, quarantined: map[string]bool{},
	}
}

// Quarantined reports whether an actor is quarantined.
func (b *Monitor) Quarantined(actor string) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.quarantined[actor]
}

// Count returns how many actors are quarantined.
func (b *Monitor) Count() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return len(b.quarantined)
}

// Newest returns the newest offence, nil if there is none.
func (b *Monitor) Newest() error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.newest
}

// Offence enters what an actor did wrong, logs it now and then, and quarantines
// the actor if that was too much. What can happen to a correct actor is reported and does not
// count, up to Excused times. It reports whether it counted.
func (b *Monitor) Offence(actor string, err error) (counted bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	o, reason := b.offender(actor), messages.Reason(ReasonOf(err))
	counted = !o.excuse(reason)
	if counted || reason != messages.ReasonRepeated && reason != messages.ReasonEmpty { // which are part of a normal day
		b.newest = err
		b.warn(actor, o, err)
	}
	if counted {
		b.blame(actor, o, err)
	}
	return counted
}

// excuse reports whether a refusal for a reason is no offence, and notes it.
func (o *offender) excuse(reason messages.Reason) bool {
	if !reason.Innocent() {
		return false
	}
	o.excused = min(o.excused, Excused) + 1
	return o.excused <= Excused || reason == messages.ReasonQuarantined // for which it is punished already
}

// blame counts an offence, and quarantines the actor if it was one too many. The caller has the lock.
func (b *Monitor) blame(actor string, o *offender, err error) {
	o.offences++
	if ReasonOf(err) == string(messages.ReasonReplay) {
		o.offences += replayOffences - 1
	}
	if b.config.Offences == 0 || o.offences < b.config.Offences || b.quarantined[actor] ||
		len(b.quarantined) >= maxQuarantined || messages.CheckToken(actor) != nil {
		return
	}
	b.log.Error("actor quarantined: its messages are no longer read", "actor", actor,
		"offences", o.offences, "error", err, "until", "croupier runs actors lift "+actor)
	b.quarantined[actor] = true
	b.decided = append(b.decided, Quarantine{
		Actor: actor, Reason: ReasonOf(err), Detail: fmt.Sprintf("%.300s", err.Error()),
		Offences: o.offences, By: b.role, Since: time.Now().UTC(),
	})
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// offender returns an actor's account. Where there is no room for another, the one that
// has been there longest goes.
func (b *Monitor) offender(actor string) *offender {
	o := b.offenders[actor]
	switch {
	case o == nil:
		if len(b.offenders) >= maxOffenders {
			delete(b.offenders, b.oldest())
		}
		o = &offender{since: time.Now()}
		b.offenders[actor] = o
	case time.Since(o.since) > b.config.Window:
		o.since, o.offences, o.excused = time.Now(), 0, 0
	}
	return o
}

func (b *Monitor) oldest() (actor string) {
	var since time.Time
	for name, o := range b.offenders {
		if actor == "" || o.since.Before(since) {
			actor, since = name, o.since
		}
	}
	return actor
}

// warn logs an offence, at most once in logEvery for each actor.
func (b *Monitor) warn(actor string, o *offender, err error) {
	o.unlogged++
	if now := time.Now(); now.Sub(o.logged) >= logEvery {
		b.log.Warn("refused", "actor", actor, "error", err, "offences", o.unlogged)
		o.logged, o.unlogged = now, 0
	}
}

// ReasonOf returns the one-word reason of an offence.
func ReasonOf(err error) string {
	var r *messages.Refusal
	if errors.As(err, &r) {
		return string(r.Reason)
	}
	return string(messages.ReasonDecode)
}

// Run follows who is quarantined by anybody and publishes what this monitor decides, until ctx
// or the bus ends.
func (b *Monitor) Run(ctx context.Context) error {
	entries, err := b.state.Watch(ctx, messages.QuarantinePrefix)
	if err != nil {
		return fmt.Errorf("follow who is quarantined: %w", err)
	}
	for {
		select {
		case e, ok := <-entries:
			if !ok {
				return ctx.Err()
			}
			b.follow(e)
		case <-b.wake:
			b.publish(ctx)
		}
	}
}

// follow takes over what the State bucket says of an actor.
func (b *Monitor) follow(e bus.Entry) {
	actor := strings.TrimPrefix(e.Key, messages.QuarantinePrefix)
	if e.Key == "" {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch {
	case e.Value == nil:
		if b.quarantined[actor] {
			b.log.Warn("actor is no longer quarantined", "actor", actor)
		}
		delete(b.quarantined, actor)
		delete(b.offenders, actor)
	case len(b.quarantined) < maxQuarantined:
		b.quarantined[actor] = true
	}
}

// publish writes what was decided, unless another role has already.
func (b *Monitor) publish(ctx context.Context) {
	b.mutex.Lock()
	decided := b.decided
	b.decided = nil
	b.mutex.Unlock()
	for _, r := range decided {
		value, err := json.Marshal(r)
		if err == nil {
			_, err = b.state.Update(ctx, messages.QuarantineKey(r.Actor), value, 0)
		}
		if err != nil && !errors.Is(err, bus.ErrTaken) && ctx.Err() == nil {
			b.log.Error("quarantine of an actor not published", "actor", r.Actor, "error", err)
		}
	}
}

// List returns who is quarantined, by name.
func List(ctx context.Context, state bus.KV) ([]Quarantine, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := state.Watch(ctx, messages.QuarantinePrefix)
	if err != nil {
		return nil, fmt.Errorf("read who is quarantined: %w", err)
	}
	var out []Quarantine
	for e := range entries {
		if e.Key == "" {
			slices.SortFunc(out, func(a, b Quarantine) int { return strings.Compare(a.Actor, b.Actor) })
			return out, nil
		}
		r, err := Parse(e.Value)
		if err != nil { // it is not known why, but it counts
			r = Quarantine{Detail: err.Error()}
		}
		r.Actor = strings.TrimPrefix(e.Key, messages.QuarantinePrefix)
		out = append(out, r)
	}
	return nil, errors.Join(ctx.Err(), errors.New("read who is quarantined: the bus was closed"))
}

// Lift has an actor's messages read again. The error is bus.ErrNotFound if it is not quarantined.
func Lift(ctx context.Context, state bus.KV, actor string) error {
	if err := messages.CheckToken(actor); err != nil {
		return err
	}
	if _, err := state.Get(ctx, messages.QuarantineKey(actor)); err != nil {
		return err
	}
	return state.Delete(ctx, messages.QuarantineKey(actor))
}
