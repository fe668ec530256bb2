package play

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/sealed"
	"croupier/policy"
)

// kept is a table as its file has it: the game as a history, and who sits where. Keys of seats are hashed; that of
// spectators is not, since all at the table are shown it.
type kept struct {
	Table  string      `json:"table"`
	Game   *Saved      `json:"game"`
	Places []keptPlace `json:"places"` // by seat
	Host   string      `json:"host"`   // hash
	Watch  string      `json:"watch"`
	Code   string      `json:"code,omitempty"`
	// From is how many steps had been made before the table was laid, and Sum what was gained at the tables before.
	From int       `json:"from,omitempty"`
	Sum  []float64 `json:"sum,omitempty"`
	Undo bool      `json:"undo"`
	// Notes say why steps were made, and Unasked lists those that were no decisions, by their numbers from 0.
	Notes   map[int]string `json:"notes,omitempty"`
	Unasked []int          `json:"unasked,omitempty"`
	Pace    Pace           `json:"pace"`
	Speed   float64        `json:"speed,omitempty"`
	Paused  bool           `json:"paused,omitempty"`
	Hurried bool           `json:"hurried,omitempty"`
	Over    bool           `json:"over,omitempty"`
	Next    string         `json:"next,omitempty"` // the table that follows
	// Revisions are those of the room, by eye: an eye's own may not tell of what only others have noticed.
	Revisions []int `json:"revisions"`
	Revised   int   `json:"revised"`
}

// keptPlace is what a seat has besides its SeatRequest.
type keptPlace struct {
	Lock      string  `json:"lock,omitempty"` // hash of the key
	PersonKey string  `json:"person_key,omitempty"`
	Shared    bool    `json:"shared,omitempty"`
	Bet       float64 `json:"bet,omitempty"`
	NextBet   float64 `json:"next_bet,omitempty"`
	Title     string  `json:"title,omitempty"` // of an agent, as About
	About     string  `json:"about,omitempty"`
	Stream    string  `json:"stream"` // state of the random numbers of the seat
}

// revisionGap is by how much revisions grow when a table continues: more than a page can have seen since the file was
// written.
const revisionGap = 1 << 20

// lockOf returns the hash by which a key is known. The key is 128 random bits, so nobody finds it from the hash.
func lockOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// document returns the table as its file has it.
func (r *room) document() ([]byte, error) {
	t := r.table
	game, err := t.saved(r.run)
	if err != nil {
		return nil, err
	}
	k := kept{
		Table: r.id, Game: game, Host: r.host, Watch: r.watch, Code: r.code, From: len(t.plan.From), Sum: t.plan.Sum,
		Undo: t.plan.Undo, Notes: map[int]string{}, Pace: r.pace, Speed: r.speed, Paused: r.paused, Hurried: r.hurried,
		Over: t.Over(), Revisions: r.revisions, Revised: r.revised, Next: r.next,
	}
	for i, m := range t.made {
		if m.note != "" {
			k.Notes[i] = m.note
		}
		if m.unasked {
			k.Unasked = append(k.Unasked, i)
		}
	}
	for seat, p := range t.places {
		stream, err := p.rng.MarshalBinary()
		if err != nil {
			return nil, err
		}
		k.Places = append(k.Places, keptPlace{
			Lock: r.locks[seat], PersonKey: p.PersonKey, Shared: p.Shared, Bet: p.Bet, NextBet: p.Next,
			Title: p.Agent.Title, About: p.Agent.About, Stream: hex.EncodeToString(stream),
		})
	}
	return sealed.Document(k)
}

// readKept reads the file of a table.
func readKept(document []byte) (*kept, error) {
	k := &kept{}
	switch condition, err := sealed.OpenDocument(document, k); {
	case err != nil:
		return nil, err
	case condition != sealed.Intact || k.Game == nil || len(k.Places) != len(k.Game.Seats) ||
		len(k.Revisions) != len(k.Places)-engine.Everything:
		return nil, sealed.ErrDamaged
	}
	return k, nil
}

// wake returns the room of a table that was kept.
func (h *Hall) wake(ctx context.Context, k *kept, now time.Time) (*room, error) {
	record, err := k.Game.record()
	if err != nil {
		return nil, err
	}
	game, err := h.keptGame(ctx, k, record)
	if err != nil {
		return nil, err
	}
	table, err := k.table(h, game, record, now)
	if err != nil {
		return nil, err
	}
	r := h.emptyRoom(table, now)
	r.id, r.host, r.watch, r.code, r.run = k.Table, k.Host, k.Watch, k.Code, k.Game.Run
	r.pace, r.speed, r.paused, r.hurried, r.counted, r.next = k.Pace, k.Speed, k.Paused, k.Hurried, k.Over, k.Next
	for seat, p := range k.Places {
		r.locks[seat] = p.Lock
	}
	r.revised = k.Revised + revisionGap
	for i, revision := range k.Revisions {
		r.revisions[i] = revision + revisionGap
	}
	return r, nil
}

// keptGame finds the game of a table: that of its run, if the rules are those, or one under the rules of the history.
func (h *Hall) keptGame(ctx context.Context, k *kept, record *history.Record) (engine.Game, error) {
	game, err := h.Source.Game(ctx, record.Game, "", k.Game.Run, len(k.Places))
	if err == nil {
		rules, err := json.Marshal(game.Rules())
		if err == nil && bytes.Equal(rules, record.Rules) {
			return game, nil
		}
	}
	return h.Source.Game(ctx, record.Game, string(record.Rules), k.Game.Run, 0)
}

// table lays the table again, with the steps that were made at it.
func (k *kept) table(h *Hall, game engine.Game, record *history.Record, now time.Time) (*Table, error) {
	p, err := k.Game.plan(game, record)
	if err != nil {
		return nil, err
	}
	if k.From < 0 || k.From > len(p.From) {
		return nil, fmt.Errorf("from is %d, not in 0..%d", k.From, len(p.From))
	}
	steps := p.From[k.From:]
	p.From, p.Undo, p.Sum = p.From[:k.From], k.Undo, k.Sum
	for seat, q := range k.Game.Seats {
		p.Chairs = append(p.Chairs, k.chair(h, game, seat, q))
	}
	t, err := NewTable(p, now)
	if err != nil {
		return nil, err
	}
	for seat, place := range k.Places {
		stream, err := hex.DecodeString(place.Stream)
		if err == nil {
			err = t.places[seat].rng.UnmarshalBinary(stream)
		}
		if err != nil {
			return nil, fmt.Errorf("random numbers of seat %d: %w", seat+1, err)
		}
	}
	for i, step := range steps {
		if err := t.resume(step, k.Notes[k.From+i]); err != nil {
			return nil, fmt.Errorf("step %d: %w", k.From+i, err)
		}
	}
	for _, i := range k.Unasked {
		if i < 0 || i >= len(t.made) {
			return nil, errors.New("a step that was no decision is not there")
		}
		t.made[i].unasked = true
	}
	return t, nil
}

// chair returns who sat in a seat. An agent is looked for only when it is to move: another table that waits for
// nothing but people need not wait for it.
func (k *kept) chair(h *Hall, game engine.Game, seat int, q SeatRequest) Chair {
	p := k.Places[seat]
	chair := Chair{Kind: Person, Name: q.Person, PersonKey: p.PersonKey, Shared: p.Shared, Bet: p.Bet, Next: p.NextBet}
	switch {
	case q.Open:
		chair.Kind = Vacant
	case q.Agent != "":
		chair.Kind, chair.Name = Robot, ""
		var found Agent
		chair.Agent = Agent{Name: q.Agent, Title: p.Title, About: p.About,
			New: func() (_ policy.Policy, err error) {
				if found, err = h.Source.Agent(h.ctx, game, k.Game.Run, q.Agent); err != nil {
					return nil, fmt.Errorf("%s cannot be found again: %w", q.Agent, err)
				}
				return found.New()
			},
			Recurrent: func() bool { return found.recurrent() }}
	}
	return chair
}
