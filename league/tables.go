package league

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"croupier/internal/stat"
	"croupier/league/rating"
	"croupier/messages"
)

// Versions that train on a family of rules are measured at other tables than the run's own as well, one after the
// other, in a small share of the time: the best one, or the newest while none is best. So is a version that has passed
// the gate but for these tables: it is not promoted if it is worse at one of them than the best, beyond chance.

const (
	// tableShare is the share of the time of one core, at most, that goes into this while training lasts, and
	// candidateShare the share while a promotion waits for it.
	tableShare, candidateShare = 0.05, 0.25
	// tableResults bounds the results that are kept of a table, the newest.
	tableResults = 16
)

// otherTables are those at which versions are measured, and how far that is.
type otherTables struct {
	list      []messages.LadderTable
	tried     []string // by table: the agent that was measured there last, or could not be
	turns     []uint64 // by table: when that was, counted in measurements
	turn      uint64
	measuring bool
	// ended is when the last measurement was over, and took how long it lasted.
	ended, took time.Duration
	// trials are the results of candidates by table, as far as they are known.
	trials map[string][]tableTrial
}

// tableTrial is what a candidate got at a table.
type tableTrial struct {
	done   bool
	result *messages.TableResult // nil: it could not be measured
}

func newOtherTables(of []Table) *otherTables {
	t := &otherTables{tried: make([]string, len(of)), turns: make([]uint64, len(of)), trials: map[string][]tableTrial{}}
	for _, table := range of {
		t.list = append(t.list, table.LadderTable)
	}
	return t
}

// restore takes over the results of an earlier league of the run.
func (t *otherTables) restore(from []messages.LadderTable) {
	for i := range t.list {
		at := slices.IndexFunc(from, func(f messages.LadderTable) bool {
			return f.Name == t.list[i].Name && f.Against == t.list[i].Against && sameJSON(f.Rules, t.list[i].Rules)
		})
		if at < 0 {
			continue
		}
		t.list[i].Results, t.list[i].Refused = slices.Clone(from[at].Results), slices.Clone(from[at].Refused)
		if newest, found := t.list[i].Newest(); found {
			t.tried[i] = newest.Agent
		}
	}
}

// sameJSON reports whether two documents differ in nothing but spaces.
func sameJSON(a, b json.RawMessage) bool {
	var one, other bytes.Buffer
	return json.Compact(&one, a) == nil && json.Compact(&other, b) == nil && bytes.Equal(one.Bytes(), other.Bytes())
}

// lacking returns the table where the agent is to be measured next, -1 if it has been at all.
func (t *otherTables) lacking(agent string) (table int) {
	table = -1
	for i := range t.list {
		if t.tried[i] != agent && (table < 0 || t.turns[i] < t.turns[table]) {
			table = i
		}
	}
	return table
}

// verdict reports what the other tables say of a candidate: it is worse at one than the best, beyond chance, or at
// none. It is undecided until both have been measured at all of them.
func (t *otherTables) verdict(candidate, best string) rating.Verdict {
	for _, table := range t.list {
		if slices.ContainsFunc(table.Refused, func(r messages.TableRefusal) bool {
			return r.Agent == candidate && r.Best.Agent == best
		}) {
			return rating.Failed
		}
	}
	if t.lacking(best) >= 0 || t.untried(candidate) >= 0 {
		return rating.Undecided
	}
	return rating.Passed
}

// untried returns the first table where a candidate is still to be measured, -1 for none.
func (t *otherTables) untried(candidate string) (table int) {
	trials, begun := t.trials[candidate]
	if !begun && len(t.list) > 0 {
		return 0
	}
	return slices.IndexFunc(trials, func(trial tableTrial) bool { return !trial.done })
}

// take notes a measurement of the best version, which may have failed.
func (t *otherTables) take(m tableMeasured) {
	t.turn++
	t.tried[m.table], t.turns[m.table] = m.result.Agent, t.turn
	if m.err == nil {
		t.list[m.table].Results = newest(append(t.list[m.table].Results, m.result))
	}
}

// try notes a measurement of a candidate, which may have failed.
func (t *otherTables) try(m tableMeasured, best string) {
	trials := t.trials[m.result.Agent]
	if trials == nil {
		trials = make([]tableTrial, len(t.list))
		t.trials[m.result.Agent] = trials
	}
	trials[m.table].done = true
	if m.err != nil {
		return
	}
	trials[m.table].result = &m.result
	if its, known := t.list[m.table].ResultOf(best); known && m.result.WorseThan(its) {
		refusal := messages.TableRefusal{TableResult: m.result, Best: its}
		t.list[m.table].Refused = newest(append(t.list[m.table].Refused, refusal))
	}
}

// newest returns the last of the list, as many as are kept.
func newest[T any](list []T) []T { return list[max(0, len(list)-tableResults):] }

// show returns a copy for the ladder.
func (t *otherTables) show() (list []messages.LadderTable) {
	for _, table := range t.list {
		table.Results = append([]messages.TableResult{}, table.Results...)
		table.Refused = slices.Clone(table.Refused)
		list = append(list, table)
	}
	return list
}

// measuredAtTables is the agent that is measured at the tables; "" while there is none.
func (c *core) measuredAtTables() string {
	if c.best != "" {
		return c.best
	}
	return c.player(c.newest())
}

// triedAtTables is the candidate that has passed the gate but for the other tables, "" for none.
func (c *core) triedAtTables() string {
	for _, m := range c.afterBest() {
		if name := c.player(m); c.best != "" && c.gateAtHome(name, c.best) == rating.Passed &&
			c.others.verdict(name, c.best) == rating.Undecided {
			return name
		}
	}
	return ""
}

// nextTable has an agent measured at the next table, if one is due: the candidate where the best has been.
func (c *core) nextTable() []effect {
	t, agent := c.others, c.measuredAtTables()
	if t.measuring || agent == "" || len(t.list) == 0 {
		return nil
	}
	candidate, share := c.triedAtTables(), tableShare
	if candidate != "" {
		share = candidateShare
	}
	if rest := time.Duration(float64(t.took) * (1/share - 1)); c.now < t.ended+rest && !c.finishing {
		return nil
	}
	table := t.lacking(agent)
	if table < 0 && candidate != "" {
		agent, table = candidate, t.untried(candidate)
	}
	if table < 0 {
		return nil
	}
	t.measuring = true
	return []effect{measureTable{table, agent}}
}

// tablesDone reports whether nothing is left to measure at tables.
func (c *core) tablesDone() bool {
	agent := c.measuredAtTables()
	return !c.others.measuring && (agent == "" || c.others.lacking(agent) < 0)
}

// Table is a table at which versions are measured.
type Table struct {
	messages.LadderTable // without results
	// Measure has an agent of the run play there among copies of the bot.
	Measure func(ctx context.Context, agent string) (messages.TableResult, error)
}

// restoreTables takes over what an earlier league of the run has measured.
func (l *League) restoreTables() {
	if len(l.o.Tables) == 0 {
		return
	}
	ladder, err := ReadLadder(l.o.Dir)
	switch {
	case err == nil:
		l.core.others.restore(ladder.Tables)
	case !errors.Is(err, ErrNoLadder):
		l.log.Warn("what versions got at other tables is measured again", "error", err)
	}
}

// measureTable measures at a table next to the league's own work.
func (l *League) measureTable(ctx context.Context, e measureTable) {
	l.workers.Go(func() {
		began := time.Now()
		m := tableMeasured{table: e.table}
		m.result, m.err = l.o.Tables[e.table].Measure(ctx, e.agent)
		m.result.Agent, m.took = e.agent, time.Since(began)
		select {
		case l.measured <- m:
		case <-ctx.Done():
		}
	})
}

// tableMeasured takes over a measurement.
func (l *League) tableMeasured(ctx context.Context, m tableMeasured) error {
	if m.err != nil {
		l.log.Error("version not measured at a table", "agent", m.result.Agent, "table", l.o.Tables[m.table].Name,
			"error", m.err)
	}
	return l.step(ctx, m)
}

// takeTable notes a measurement and shows it.
func (c *core) takeTable(e tableMeasured) (effects []effect) {
	c.others.measuring, c.others.ended, c.others.took = false, c.now, e.took
	isCandidate := func(m *messages.Member) bool { return c.player(m) == e.result.Agent }
	if c.best != "" && slices.ContainsFunc(c.afterBest(), isCandidate) {
		c.others.try(e, c.best)
	} else {
		effects = c.measuredAt(e)
	}
	return append(effects, c.showTables()...)
}

// measuredAt notes a measurement of the best version, and adds it to the table's curve.
func (c *core) measuredAt(e tableMeasured) []effect {
	effects := c.tableCurve(e)
	c.others.take(e)
	return effects
}

// showTables publishes the ladder with what is known of tables now.
func (c *core) showTables() []effect {
	if c.standing == nil {
		return nil
	}
	ladder := *c.standing.Ladder
	ladder.Tables = c.others.show()
	c.standing.Ladder = &ladder
	return []effect{publishLadder{&ladder}}
}

// promoteAtTables takes over what a candidate got at the tables when it becomes best, and forgets the others.
func (c *core) promoteAtTables(best string) (effects []effect) {
	for i, trial := range c.others.trials[best] {
		switch {
		case trial.result != nil:
			effects = append(effects, c.measuredAt(tableMeasured{table: i, result: *trial.result})...)
		case trial.done:
			c.others.tried[i] = best
		}
	}
	clear(c.others.trials)
	return effects
}

// tableCurve adds a measurement to the table's curve, whose points are in the order of the versions.
func (c *core) tableCurve(e tableMeasured) []effect {
	of := func(agent string) int {
		return slices.IndexFunc(c.members, func(m *messages.Member) bool { return c.player(m) == agent })
	}
	table, i := c.others.list[e.table], of(e.result.Agent)
	if before, measured := table.Newest(); e.err != nil || i < 0 || measured && of(before.Agent) >= i {
		return nil
	}
	p := newPoints(c.members[i])
	addPoint(p, messages.TableCurve(&table), stat.Interval(e.result.Interval))
	return []effect{publishPoints{p}}
}
