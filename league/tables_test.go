package league

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/league/rating"
	"croupier/messages"
)

// tableWorld is a world whose versions are measured at three tables.
func tableWorld(t *testing.T) *world {
	w := newWorld(t, testConfig(), 3, 1)
	var list []Table
	for _, name := range []string{"one", "two", "three"} {
		list = append(list, Table{LadderTable: messages.LadderTable{Name: name, Rules: json.RawMessage(`{"n": 1}`), Against: "bot"}})
	}
	w.core.others = newOtherTables(list)
	return w
}

// due has a second go by and returns the measurement that the core wants, nil for none.
func (w *world) due() *measureTable {
	w.now += time.Second
	w.step(tick{w.now})
	m := w.wanted
	w.wanted = nil
	return m
}

// measured answers a measurement, which took a second, and returns the ladder that shows it.
func (w *world) measured(m *measureTable, value float64, err error) *messages.Ladder {
	w.step(tableMeasured{
		table: m.table, took: time.Second, err: err,
		result: messages.TableResult{Agent: m.agent, Games: 10, Interval: messages.Interval{Value: value}},
	})
	return w.ladder
}

// wait has time go by until a measurement is due again.
func (w *world) wait() (m *measureTable, seconds int) {
	for seconds = 1; ; seconds++ {
		if m := w.due(); m != nil || seconds == 100 {
			return m, seconds
		}
	}
}

// The agent that is best, or the newest while none is, is measured once at each table, in a twentieth of the time.
func TestVersionsAreMeasuredAtTables(t *testing.T) {
	w := tableWorld(t)
	w.step(caughtUp{})
	require.Nil(t, w.due(), "there is no version yet")
	w.learn(0)
	first := w.due()
	require.NotNil(t, first)
	require.Equal(t, measureTable{0, w.core.best}, *first)
	require.Nil(t, w.due(), "one at a time")
	ladder := w.measured(first, 0.5, nil)
	require.Len(t, ladder.Tables, 3)
	require.InDelta(t, 0.5, ladder.Tables[0].Results[0].Value, 1e-9)
	require.Equal(t, "not measured yet", ladder.Tables[1].Verdict())

	second, seconds := w.wait()
	require.Equal(t, 1, second.table)
	require.Equal(t, 19, seconds, "a second of work, 19 of rest")
	w.measured(second, 0, errors.New("no weights"))
	require.Empty(t, w.core.others.list[1].Results)
	third, _ := w.wait()
	require.Equal(t, 2, third.table, "what failed is not tried again with the same version")
	w.measured(third, 0.5, nil)
	none, _ := w.wait()
	require.Nil(t, none, "all tables have been measured")

	w.core.best = "main@9"
	again, _ := w.wait()
	require.Equal(t, measureTable{0, "main@9"}, *again, "the table whose turn was the longest ago")
	w.measured(again, 0.25, nil)
	w.core.best = "main@10"
	next, _ := w.wait()
	require.Equal(t, 1, next.table, "not always the first")
}

// Each measurement is a point of its table's curve, at the samples of its version, in the order of the versions.
func TestTablesHaveCurves(t *testing.T) {
	w := tableWorld(t)
	w.core.others.list[1].Parity = 0.25
	w.step(caughtUp{})
	w.learn(0)
	w.learn(1000)
	first, second := w.core.members[0], w.core.members[1]
	curve := func(m *messages.Member, table int, value float64, err error) (points []*messages.Points) {
		before := len(w.published)
		w.core.best, w.core.others.measuring = w.core.player(m), true
		w.measured(&measureTable{table, w.core.player(m)}, value, err)
		for _, p := range w.published[before:] {
			if strings.HasPrefix(p.Points[0].Series, "table_") {
				points = append(points, p)
			}
		}
		return points
	}
	points := curve(first, 0, 0.5, nil)
	require.Len(t, points, 1)
	require.Equal(t, "table_return/one", points[0].Points[0].Series)
	require.InDelta(t, 0.5, points[0].Points[0].Value, 1e-9)
	require.Equal(t, first.Samples, points[0].Samples)
	require.Empty(t, curve(second, 0, 0, errors.New("no weights")))
	points = curve(second, 0, 0.75, nil)
	require.Len(t, points, 1)
	require.Equal(t, second.Samples, points[0].Samples)
	require.Empty(t, curve(first, 0, 0.5, nil), "an earlier version than the one before")
	require.Equal(t, "table_share/two", curve(first, 1, 0.5, nil)[0].Points[0].Series)
}

// A version that has passed the gate at the run's own table is measured at the others before it is promoted, where the
// best has been; it is not promoted if it is worse at one beyond chance.
func TestGateAtTables(t *testing.T) {
	passed := func(own bool) *world {
		w := gateWorld(t, 2)
		w.core.others = tableWorld(t).core.others
		for range 3 {
			m, _ := w.wait()
			require.Equal(t, "main@1", m.agent)
			w.measuredAs(m, 0.5)
		}
		none, _ := w.wait()
		require.Nil(t, none, "main@2 has not passed")
		share := 0.45
		if !own {
			share = 0.2
		}
		w.met("main@2", "main@1", share, tried(0, 50))
		w.met("main@2", "main@1", share, tried(50, 100))
		w.met("main@1", "random", 0.6, rating.Span{First: 0, End: 100})
		w.met("main@2", "random", 0.6, rating.Span{First: 0, End: 100})
		require.Equal(t, "main@1", w.core.best)
		return w
	}
	require.Nil(t, first(passed(false).wait()), "a version that has failed at the run's own table is not measured at others")

	w := passed(true)
	require.False(t, w.core.gateAtRest())
	for table, value := range []float64{0.5, 0.4} {
		m, seconds := w.wait()
		require.Equal(t, measureTable{table, "main@2"}, *m)
		if table > 0 {
			require.Equal(t, 3, seconds, "a second of work, 3 of rest")
		}
		w.measuredAs(m, value)
		require.Equal(t, "main@1", w.core.best)
	}
	last, _ := w.wait()
	w.step(tableMeasured{table: last.table, err: errors.New("no weights"), result: messages.TableResult{Agent: last.agent}})
	require.Equal(t, "main@2", w.core.best, "it was worse at no table where it could be measured")
	for table, results := range []int{2, 2, 1} {
		require.Len(t, w.core.others.list[table].Results, results)
	}
	require.Nil(t, first(w.wait()), "nothing is measured twice")

	w = passed(true)
	w.measuredAs(first(w.wait()), 0.5)
	ladder := w.measuredAs(first(w.wait()), 0.3)
	require.Nil(t, first(w.wait()), "one table is enough")
	require.Equal(t, "main@1", w.core.best)
	require.True(t, w.core.gateAtRest())
	require.Equal(t, []messages.TableRefusal{{TableResult: tableResult("main@2", 0.3), Best: tableResult("main@1", 0.5)}},
		ladder.Tables[1].Refused)
	again := tableWorld(t).core.others
	again.restore(ladder.Tables)
	require.Equal(t, rating.Failed, again.verdict("main@2", "main@1"), "after a restart")
	require.Equal(t, rating.Undecided, again.verdict("main@3", "main@1"))
}

func first(m *measureTable, _ int) *measureTable { return m }

func tableResult(agent string, value float64) messages.TableResult {
	return messages.TableResult{Agent: agent, Games: 10,
		Interval: messages.Interval{Value: value, Low: value - 0.05, High: value + 0.05}}
}

// measuredAs answers a measurement with a result that has an interval.
func (w *world) measuredAs(m *measureTable, value float64) *messages.Ladder {
	w.step(tableMeasured{table: m.table, took: time.Second, result: tableResult(m.agent, value)})
	return w.ladder
}

// At the end all tables are measured without rest, and Finish waits for them.
func TestFinishMeasuresAtAllTables(t *testing.T) {
	w := tableWorld(t)
	w.step(caughtUp{})
	w.learn(0)
	w.measured(w.due(), 0.5, nil)
	w.step(finish{})
	require.False(t, w.core.complete())
	for table := range 2 {
		m := w.due()
		require.NotNil(t, m)
		require.Equal(t, 1+table, m.table)
		require.False(t, w.core.tablesDone())
		w.measured(m, 0.5, nil)
	}
	require.True(t, w.core.tablesDone())
}

// A league that begins again knows what the one before it has measured, of the same tables, and keeps the newest.
func TestTablesAreRestored(t *testing.T) {
	result := func(agent string) messages.TableResult { return messages.TableResult{Agent: agent, Games: 1} }
	w := tableWorld(t)
	w.core.others.restore([]messages.LadderTable{
		{Name: "two", Rules: json.RawMessage("{\n  \"n\": 1 }"), Against: "bot", Results: []messages.TableResult{result("main@1")}},
		{Name: "one", Rules: json.RawMessage(`{"n": 2}`), Against: "bot", Results: []messages.TableResult{result("main@1")}},
		{Name: "three", Rules: json.RawMessage(`{"n": 1}`), Against: "other", Results: []messages.TableResult{result("main@1")}},
		{Name: "four", Rules: json.RawMessage(`{"n": 1}`)},
	})
	require.Len(t, w.core.others.list[1].Results, 1)
	require.Empty(t, w.core.others.list[0].Results, "other rules")
	require.Empty(t, w.core.others.list[2].Results, "another opponent")
	require.Equal(t, 0, w.core.others.lacking("main@1"))
	for i := range 40 {
		w.core.others.take(tableMeasured{table: 1, result: messages.TableResult{Agent: "main@2", Games: uint64(i)}})
	}
	require.Len(t, w.core.others.list[1].Results, tableResults)
	newest, _ := w.core.others.list[1].Newest()
	require.EqualValues(t, 39, newest.Games)
}

// A league on a bus measures, shows what came of it, says what failed, and after a new start measures nothing twice.
func TestTablesOnABus(t *testing.T) {
	inCluster(t, func(c *cluster) {
		asked := 0
		o := c.options
		options := func() Options {
			with := o()
			table := func(name string, err error) Table {
				return Table{LadderTable: messages.LadderTable{Name: name, Rules: json.RawMessage("{}")},
					Measure: func(context.Context, string) (messages.TableResult, error) {
						asked++
						return messages.TableResult{Games: 5}, err
					}}
			}
			with.Tables = []Table{table("one", nil), table("two", errors.New("it is not there"))}
			return with
		}
		c.startActor()
		stop := c.start(options())
		c.learn()
		c.finish()
		ladder := c.ladder()
		require.Len(t, ladder.Tables, 2)
		require.Equal(t, "main@1", ladder.Tables[0].Results[0].Agent)
		require.Empty(t, ladder.Tables[1].Results)
		require.Equal(t, 2, asked)
		require.Contains(t, c.log.String(), "it is not there")
		require.NoError(t, stop())

		c.start(options())
		c.finish()
		require.Equal(t, 3, asked, "only where nothing is known")
		require.Equal(t, ladder.Tables[0], c.ladder().Tables[0])
	})
}
