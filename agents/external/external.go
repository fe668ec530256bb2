// Package external plays with external agents: programs and servers that speak the protocol of
// docs/guide/add-an-agent.md, as lines of JSON over the standard input and output of a process
// (exec:COMMAND), or as requests to a server (http://…).
//
// An agent is sent what the seat to move may know (engine.Positioned), and nothing else. A late,
// illegal or unreadable answer is replaced by a uniformly drawn action, and counted.
package external

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"croupier/engine"
	"croupier/internal/dialogue"
	"croupier/policy"
)

// maxFailures is after how many failures in a row an agent is given up.
const maxFailures = 10

// Agent is a program or server that plays one game. Goroutines may share it.
type Agent struct {
	name    string
	game    engine.Positioned
	options Options
	log     *transcript
	slots   []*slot
	hello   Hello

	policies atomic.Int64 // made so far
	failures atomic.Int64 // in a row
	last     atomic.Pointer[error]
	gone     atomic.Pointer[error]
	counts   counts
}

// slot is one process or one connection. Decisions wait for it in turn.
type slot struct {
	mu    sync.Mutex
	t     transport // nil: to be opened
	asked int64     // questions so far, of all games and of all processes that were here
}

// transport carries one exchange at a time.
type transport interface {
	// Ask sends a request and returns the answer. After an error the transport is closed and not
	// used any more.
	Ask(ctx context.Context, request []byte) ([]byte, error)
	// Tell sends what is not answered; that it does not arrive shows with the next Ask.
	Tell(request []byte)
	// Close ends it and returns the first line that was said and not asked for, nil if there is none.
	Close() (unasked []byte)
}

// Kinds of failures.
var (
	errLate    = errors.New("out of time")
	errIllegal = errors.New("not a legal action")
)

// counts are how the decisions of an agent came about.
type counts struct{ decisions, late, illegal, broken atomic.Int64 }

// Open starts the agent of a name for a game and greets it. It ends with ctx.
func Open(ctx context.Context, game engine.Game, name string) (*Agent, error) {
	written, err := engine.Written(game)
	if err != nil {
		return nil, err
	}
	o, err := Parse(name)
	if err != nil {
		return nil, err
	}
	a := &Agent{name: name, game: written, options: o, slots: make([]*slot, o.Copies)}
	for i := range a.slots {
		a.slots[i] = &slot{}
	}
	if o.Log != "" {
		if a.log, err = openTranscript(o.Log); err != nil {
			return nil, err
		}
	}
	context.AfterFunc(ctx, a.close)
	first := a.slots[0]
	first.mu.Lock()
	defer first.mu.Unlock()
	if err := a.open(ctx, first); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// open starts and greets what answers in the slot, which is locked.
func (a *Agent) open(ctx context.Context, s *slot) error {
	t, err := a.options.start(ctx)
	if err != nil {
		return err
	}
	if a.log != nil {
		t = a.log.of(t)
	}
	greeting, hello := a.greeting(), Hello{}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if err := exchange(ctx, t, greeting, &hello); err != nil {
		t.Close()
		return fmt.Errorf("hello: %w", err)
	}
	if hello.Protocol != Protocol {
		t.Close()
		return fmt.Errorf("hello: it speaks protocol %d, this program %d", hello.Protocol, Protocol)
	}
	s.t, a.hello = t, hello
	return nil
}

// close ends all processes and connections.
func (a *Agent) close() {
	for _, s := range a.slots {
		go s.quit() // one that is answering is ended by its context
	}
}

// Err reports why the agent was given up; nil as long as it plays.
func (a *Agent) Err() error {
	if err := a.gone.Load(); err != nil {
		return *err
	}
	return nil
}

// Conduct says in words how many decisions were not the agent's own; empty if all were.
func (a *Agent) Conduct() string {
	late, illegal, broken := a.counts.late.Load(), a.counts.illegal.Load(), a.counts.broken.Load()
	if late+illegal+broken == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d of %d decisions were drawn at random instead: %d came too late, %d were not legal, "+
		"%d were no answers; the last: %v", a.name, late+illegal+broken, a.counts.decisions.Load(), late, illegal, broken,
		*a.last.Load())
}

// Policy returns a policy that asks the agent. It belongs to one goroutine.
func (a *Agent) Policy(ctx context.Context) policy.Policy {
	n := a.policies.Add(1) - 1
	p := &player{agent: a, ctx: ctx, slot: a.slots[n%int64(len(a.slots))], number: n}
	if a.hello.Unit != "" {
		return valuing{p}
	}
	return p
}

// player asks an agent for one seat of one game at a time.
type player struct {
	agent  *Agent
	ctx    context.Context
	slot   *slot
	number int64 // of the policy
	games  int64 // begun
	begun  bool  // something was asked in this game
}

// Reset reports to the agent that the last game is over.
func (p *player) Reset() {
	if p.begun {
		p.slot.mu.Lock()
		defer p.slot.mu.Unlock()
		if p.slot.t != nil {
			p.slot.t.Tell(encode(End{Type: TypeEnd, Game: p.game()}))
		}
	}
	p.games++
	p.begun = false
}

// game names the present game to the agent.
func (p *player) game() string { return fmt.Sprintf("%d.%d", p.number, p.games) }

// Choose asks the agent, and draws uniformly where it does not answer.
func (p *player) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	seed := rng.Uint64()
	fallback := legal[rng.IntN(len(legal))]
	c := &p.agent.counts
	c.decisions.Add(1)
	answer, err := p.ask(s, legal, TypeChoose, seed)
	switch {
	case err == nil:
		return answer.Action
	case errors.Is(err, errIllegal):
		c.illegal.Add(1)
	case errors.Is(err, errLate):
		c.late.Add(1)
	default:
		c.broken.Add(1)
	}
	return fallback
}

// ask sends the position of the seat to move and returns a legal answer.
func (p *player) ask(s engine.State, legal []int, kind string, seed uint64) (*Answer, error) {
	a := p.agent
	if err := a.Err(); err != nil {
		return nil, err
	}
	question := p.question(s, legal, kind, seed)
	p.slot.mu.Lock()
	defer p.slot.mu.Unlock()
	p.begun = true
	answer := &Answer{Action: -1}
	err := p.answered(question, answer)
	if err == nil {
		err = answer.check(question)
	}
	if err == nil {
		a.failures.Store(0)
		return answer, nil
	}
	a.last.Store(&err)
	if n := a.failures.Add(1); n >= maxFailures && p.ctx.Err() == nil {
		err := fmt.Errorf("agent %s is given up after %d failures in a row, the last: %w", a.name, n, err)
		a.gone.CompareAndSwap(nil, &err)
	}
	return nil, err
}

// answered has the question answered in the slot, which is locked; it is opened if it is not. What answers anything
// else than this question is closed, as its later answers would be to earlier questions.
func (p *player) answered(question *Question, answer *Answer) error {
	if p.slot.t == nil {
		if err := p.agent.open(p.ctx, p.slot); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(p.ctx, p.agent.options.Time)
	defer cancel()
	p.slot.asked++
	question.ID = p.slot.asked
	err := exchange(ctx, p.slot.t, encode(question), answer)
	if err == nil {
		err = answer.belongs(question)
	}
	if err != nil {
		p.slot.t.Close()
		p.slot.t = nil
	}
	return err
}

// question is what the agent learns about a decision, without its number.
func (p *player) question(s engine.State, legal []int, kind string, seed uint64) *Question {
	q := &Question{
		Type: kind, Game: p.game(), Seat: s.Player(),
		Position: p.agent.game.FormatPosition(s, s.Player()), Legal: make([]Action, len(legal)),
		Milliseconds: p.agent.options.Time.Milliseconds(), Seed: seed >> 11,
	}
	for i, action := range legal {
		q.Legal[i] = Action{action, s.ActionName(action)}
	}
	return q
}

// valuing is a player whose agent gives values of actions.
type valuing struct{ *player }

// Scale says in which unit.
func (v valuing) Scale() policy.Scale { return policy.Scale{Unit: v.agent.hello.Unit} }

// Values asks the agent. Where it does not answer all values are 0.
func (v valuing) Values(s engine.State, legal []int, dst []policy.Value) {
	clear(dst[:len(legal)])
	answer, err := v.ask(s, legal, TypeValues, 0)
	if err != nil {
		return
	}
	for i, x := range answer.Values {
		dst[i] = policy.Value{Mean: x, Low: x, High: x}
	}
}

// exchange sends a request and decodes the answer.
func exchange(ctx context.Context, t transport, request []byte, answer any) error {
	line, err := t.Ask(ctx, request)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return errLate
		}
		return err
	}
	return dialogue.Decode(line, answer)
}

// startTime is how long an agent may take to start and to answer the greeting.
const startTime = 30 * time.Second

// Is reports whether a name is that of an agent outside this program.
func Is(name string) bool {
	head, _, ok := strings.Cut(name, ":")
	head, _, _ = strings.Cut(head, "(")
	return ok && (head == kindExec || head == kindHTTP || head == kindHTTPS)
}
