package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"croupier/internal/dialogue"
)

// startTime is how long a program may take to start and to describe its game, at least.
const startTime = 30 * time.Second

// mostItems bounds the paths of a line.
const mostItems = 1024

// lane is a process of the program and what waits for it. It has one conversation at a time.
type lane struct {
	command *Command
	rules   map[string]any // of the game, once they are known

	mu    sync.Mutex
	queue []*item

	asking  sync.Mutex // guards all below, and the answers of items
	process *dialogue.Process
	lines   int64 // sent to it
}

// item is a path whose nodes the program is asked for.
type item struct {
	game   *Game
	before []int32 // the history at the state
	state  json.RawMessage
	steps  []int
	done   bool
	nodes  []node
	err    error
}

// put adds an item, which travels with the next line.
func (l *lane) put(it *item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, it)
}

// wait returns when an item has its answer.
func (l *lane) wait(it *item) {
	l.asking.Lock()
	defer l.asking.Unlock()
	for !it.done {
		l.flush()
	}
}

// flush asks for items that are in the queue.
func (l *lane) flush() {
	l.mu.Lock()
	n := min(len(l.queue), mostItems)
	items := slices.Clone(l.queue[:n])
	l.queue = slices.Delete(l.queue, 0, n)
	l.mu.Unlock()
	a, err := l.exchange(&request{Type: askSteps, items: items})
	if err == nil && len(a.Nodes) != n {
		err = fmt.Errorf("it has nodes for %d items and not for %d", len(a.Nodes), n)
	}
	culprit := 0
	if err != nil && a != nil && a.Item != nil && *a.Item >= 0 && *a.Item < n {
		culprit = *a.Item
	}
	if err != nil {
		it := items[culprit]
		err = it.game.Fail(l.line(askSteps), it.history(), err)
	}
	for i, it := range items {
		if it.done, it.err = true, err; err == nil {
			it.nodes = a.Nodes[i]
		}
	}
}

// history is that of the state with the first step of the path.
func (it *item) history() []int32 { return append(slices.Clone(it.before), int32(it.steps[0])) }

// line names the last line for people.
func (l *lane) line(asked string) string { return fmt.Sprintf("line %d (%s)", l.lines, asked) }

// named names the last line of steps, for one who reads its answer later.
func (l *lane) named() string {
	l.asking.Lock()
	defer l.asking.Unlock()
	return l.line(askSteps)
}

// ask asks a question that is about one state.
func (l *lane) ask(r *request) (a *answer, line string, err error) {
	l.asking.Lock()
	defer l.asking.Unlock()
	a, err = l.exchange(r)
	return a, l.line(r.Type), err
}

// exchange sends a line and reads the answer to it, from a process that it starts if there is none. After an error the
// process is closed. The lane is locked.
func (l *lane) exchange(r *request) (*answer, error) {
	if l.process == nil {
		if err := l.start(r); err != nil {
			return nil, err
		}
	}
	a, err := l.converse(r)
	if err != nil {
		l.close()
	}
	return a, err
}

// start starts the process and sends it the rules, unless that is what it is started for.
func (l *lane) start(first *request) (err error) {
	l.lines = 0
	if l.process, err = dialogue.Start(context.Background(), l.command.words, l.command.Memory, maxAnswer); err != nil {
		return err
	}
	if first.Type == askGame {
		return nil
	}
	_, err = l.exchange(&request{Type: askGame, Version: version, Rules: l.rules})
	return err
}

// close ends the process.
func (l *lane) close() {
	if l.process != nil {
		l.process.Close()
		l.process = nil
	}
}

// converse sends a line and reads the answer.
func (l *lane) converse(r *request) (*answer, error) {
	l.lines++
	r.ID = l.lines
	line, err := r.encode()
	if err != nil {
		return nil, err
	}
	patience := l.command.Time
	if r.Type == askGame {
		patience = max(patience, startTime)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	got, err := l.process.Ask(ctx, line)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("no answer came within %v (option time)", patience)
	}
	if err != nil {
		return nil, err
	}
	a := &answer{}
	if err := dialogue.Decode(got, a); err != nil {
		return nil, err
	}
	switch {
	case a.Error != "":
		return a, fmt.Errorf("the program says: %s", a.Error)
	case a.ID != r.ID:
		return nil, fmt.Errorf("the answer %s is to line %d, not to %d", dialogue.Quote(got), a.ID, r.ID)
	}
	return a, nil
}
