package league

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"croupier/internal/stat"
	"croupier/messages"
)

// Versions that train on a family of rules are measured at other tables than the run's own as well, one after the
// other, in a small share of the time: the best one, or the newest while none is best.

const (
	// tableShare is the share of the time of one core, at most, that goes into this while training lasts.
	tableShare = 0.05
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
	rest      time.Duration // nothing is measured before
}

func newOtherTables(of []Table) *otherTables {
	t := &otherTables{tried: make([]string, len(of)), turns: make([]uint64, len(of))}
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
		t.list[i].Results = slices.Clone(from[at].Results)
		if newest, found := t.list[i].Newest(); found {
			t.tried[i] = newest.Agent
		}
	}
}

// sameJSON says whether two documents differ in nothing but spaces.
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

// take notes a measurement, which may have failed.
func (t *otherTables) take(m tableMeasured, now time.Duration) {
	t.measuring = false
	t.turn++
	t.tried[m.table], t.turns[m.table] = m.result.Agent, t.turn
	t.rest = now + time.Duration(float64(m.took)*(1/tableShare-1))
	if m.err == nil {
		results := append(t.list[m.table].Results, m.result)
		t.list[m.table].Results = results[max(0, len(results)-tableResults):]
	}
}

// show returns a copy for the ladder.
func (t *otherTables) show() (list []messages.LadderTable) {
	for _, table := range t.list {
		table.Results = append([]messages.TableResult{}, table.Results...)
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

// nextTable has the agent measured at the next table, if one is due.
func (c *core) nextTable() []effect {
	t, agent := c.others, c.measuredAtTables()
	if t.measuring || agent == "" || c.now < t.rest && !c.finishing {
		return nil
	}
	table := t.lacking(agent)
	if table < 0 {
		return nil
	}
	t.measuring = true
	return []effect{measureTable{table, agent}}
}

// tablesDone says whether nothing is left to measure at tables.
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
func (c *core) takeTable(e tableMeasured) []effect {
	effects := c.tableCurve(e)
	c.others.take(e, c.now)
	if c.standing == nil {
		return effects
	}
	ladder := *c.standing.Ladder
	ladder.Tables = c.others.show()
	c.standing.Ladder = &ladder
	return append(effects, publishLadder{&ladder})
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
