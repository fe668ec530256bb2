package bench

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/internal/texttable"
)

// Render writes the measured parts as tables for people.
func (r *Report) Render(w io.Writer) error {
	if _, err := fmt.Fprintln(w, r.Machine.line()); err != nil {
		return err
	}
	for _, t := range []struct {
		title string
		table table.Writer
	}{
		{"Random play, one core, million decisions a second", r.engineTable()},
		{"Products of an m×k and a k×n matrix, GFLOP/s", r.gemmTable()},
		{"Inference with sampling, thousand decisions a second", r.inferenceTable()},
		{"PPO updates, thousand samples a second", r.learnerTable()},
		{"CFR+, one core, thousand iterations a second", r.cfrTable()},
		{"Cluster in one process, thousand decisions and samples a second", r.clusterTable()},
	} {
		if t.table.Length() == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s\n%s\n", t.title, t.table.Render()); err != nil {
			return err
		}
	}
	return nil
}

// line describes the machine in one line.
func (m *Machine) line() string {
	profile := "without"
	if m.PGO {
		profile = "with"
	}
	return fmt.Sprintf("%s, %d cores (GOMAXPROCS %d), %s, %.1f GiB, %s %s/%s %s profile, load %.2f before the start",
		m.CPU, m.Cores, m.GOMAXPROCS, m.InstructionSet, float64(m.MemoryBytes)/(1<<30), m.Go, m.OS, m.Arch, profile, m.Load)
}

const (
	kilo = 1e3
	mega = 1e6
)

// speedColumns are the headings of the cells that speed returns.
var speedColumns = table.Row{"median", "min … max", "CPU"}

// speed shows a median with its spread in the given unit.
func (s Spread) speed(median, unit float64) table.Row {
	return table.Row{
		fmt.Sprintf("%.1f", median/unit), fmt.Sprintf("%.1f … %.1f", s.Min/unit, s.Max/unit), percent(s.CPUShare),
	}
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// newTable returns a table with the given number of text columns, followed by columns of
// numbers.
func newTable(names int, columns table.Row) table.Writer {
	var right []int
	for i := names; i < len(columns); i++ {
		right = append(right, i)
	}
	t := texttable.New(right...)
	t.AppendHeader(columns)
	return t
}

func (r *Report) engineTable() table.Writer {
	t := newTable(2, append(table.Row{"game", "mode"}, speedColumns...))
	for _, p := range r.Engine {
		t.AppendRow(append(table.Row{p.Game, p.Mode}, p.speed(p.DecisionsPerSecond, mega)...))
	}
	return t
}

func (r *Report) gemmTable() table.Writer {
	t := newTable(1, append(table.Row{"right factor", "m", "n", "k", "threads"}, speedColumns...))
	for _, p := range r.Gemm {
		kind := "packed each time"
		if p.Packed {
			kind = "packed before"
		}
		t.AppendRow(append(table.Row{kind, p.M, p.N, p.K, p.Threads}, p.speed(p.GFLOPS, 1)...))
	}
	return t
}

func (r *Report) inferenceTable() table.Writer {
	t := newTable(1, append(table.Row{"net", "batch", "threads"}, speedColumns...))
	for _, p := range r.Inference {
		t.AppendRow(append(table.Row{p.Net, p.Batch, p.Threads}, p.speed(p.DecisionsPerSecond, kilo)...))
	}
	return t
}

func (r *Report) learnerTable() table.Writer {
	t := newTable(1, append(table.Row{"net", "precision", "threads", "ms/update"}, speedColumns...))
	for _, p := range r.Learner {
		row := table.Row{p.Net, p.Precision, p.Threads, fmt.Sprintf("%.2f", p.MsPerUpdate)}
		t.AppendRow(append(row, p.speed(p.SamplesPerSecond, kilo)...))
	}
	return t
}

func (r *Report) cfrTable() table.Writer {
	t := newTable(1, append(table.Row{"game"}, speedColumns...))
	for _, p := range r.CFR {
		t.AppendRow(append(table.Row{p.Game}, p.speed(p.IterationsPerSecond, kilo)...))
	}
	return t
}

func (r *Report) clusterTable() table.Writer {
	t := newTable(3, table.Row{
		"game", "net", "precision", "seconds", "decisions", "min … max", "CPU",
		"in training", "samples", "consumed", "lag", "bytes/decision",
	})
	for _, p := range r.Cluster {
		row := append(table.Row{p.Game, p.Net, p.Precision, fmt.Sprintf("%.0f", p.Seconds)},
			p.speed(p.DecisionsPerSecond, kilo)...)
		t.AppendRow(append(row, fmt.Sprintf("%.1f", p.TrainingDecisionsPerSecond/kilo),
			fmt.Sprintf("%.1f", p.SamplesPerSecond/kilo), fmt.Sprintf("%.1f %%", 100*p.ConsumedShare),
			fmt.Sprintf("%.2f", p.LagVersions), fmt.Sprintf("%.2f", p.BytesPerDecision)))
	}
	return t
}
