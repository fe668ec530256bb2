package sweep

import (
	"math"
	"slices"

	"croupier/internal/stat"
)

// Table is what a sweep has shown.
type Table struct {
	Game      string       `json:"game"`
	Objective string       `json:"objective"`
	Smaller   bool         `json:"smaller"`         // is better
	Curve     string       `json:"curve"`           // that is shown
	Games     uint64       `json:"games,omitempty"` // of training of a run, in place of a budget
	Rounds    []TableRound `json:"rounds"`
	Winner    string       `json:"winner,omitempty"` // "": it is not over
}

// TableRound is a table of the runs of a round.
type TableRound struct {
	Report  bool     `json:"report"`         // on seeds by which nothing was chosen
	Seconds float64  `json:"budget_seconds"` // of processor time for a run; 0: it has a number of games
	Seeds   []uint64 `json:"seeds"`
	Played  int      `json:"played"` // of the runs
	Runs    int      `json:"runs"`
	Rows    []Row    `json:"rows"` // in the order of the file
}

// Row is what is known of a candidate.
type Row struct {
	Candidate string    `json:"candidate"`
	Settings  []Setting `json:"settings"`
	Runs      int       `json:"runs"` // without those that failed
	Failed    int       `json:"failed"`
	Reached   int       `json:"reached"` // runs that reached the threshold
	// Value is the interquartile mean of the runs with its interval (stat.IQMInterval); nil without runs.
	Value *Estimate `json:"value,omitempty"`
	// Difference is the mean difference to the base on the same seeds, with Student's interval.
	Difference *Estimate `json:"difference,omitempty"`
	Processor  float64   `json:"processor_seconds"` // of a run, mean
	Games      float64   `json:"games"`             // of a run, mean
}

// Estimate is a number with its 95 % interval, which one run alone does not have.
type Estimate struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
}

// estimate is the number with the interval, if it is known.
func estimate(value float64, i stat.Interval, known bool) *Estimate {
	if !known {
		return &Estimate{Value: value}
	}
	return &Estimate{Value: value, Low: &i.Low, High: &i.High}
}

// resamples of a bootstrap, and its seed.
const (
	resamples     = 2000
	bootstrapSeed = 1
)

// Tabulate makes the tables of the results.
func (f *File) Tabulate(results Results) *Table {
	t := &Table{Game: f.Game, Objective: f.Objective.String(), Smaller: f.Objective.smaller(), Curve: f.Objective.Curve,
		Games:  f.Games,
		Rounds: []TableRound{}}
	rounds, winner := f.Rounds(results)
	if winner >= 0 {
		t.Winner = f.candidates[winner].Name
	}
	for _, r := range rounds {
		round := TableRound{Report: r.Report, Seconds: r.Budget.Seconds(), Seeds: r.Seeds, Runs: len(r.Jobs()), Rows: []Row{}}
		for _, c := range r.Candidates {
			row := f.row(r, c, results)
			round.Played += row.Runs + row.Failed
			round.Rows = append(round.Rows, row)
		}
		t.Rounds = append(t.Rounds, round)
	}
	return t
}

func (f *File) row(r Round, candidate int, results Results) Row {
	c := f.candidates[candidate]
	row := Row{Candidate: c.Name, Settings: c.Settings}
	var values, own, base []float64
	for _, seed := range r.Seeds {
		result, found := results[Job{r.Number, candidate, seed, r.Budget}]
		switch {
		case !found:
			continue
		case result.Failed != "":
			row.Failed++
			continue
		}
		row.Runs++
		if result.Reached {
			row.Reached++
		}
		row.Processor += result.Processor
		row.Games += float64(result.Games)
		values = append(values, result.Value)
		if b, found := results[Job{r.Number, 0, seed, r.Budget}]; found && b.Failed == "" {
			own, base = append(own, result.Value), append(base, b.Value)
		}
	}
	if row.Runs == 0 {
		return row
	}
	row.Processor /= float64(row.Runs)
	row.Games /= float64(row.Runs)
	interval, known := stat.IQMInterval(values, resamples, bootstrapSeed)
	row.Value = estimate(stat.IQM(values), interval, known)
	if candidate != 0 && len(own) > 0 {
		paired, known := stat.Paired(own, base)
		row.Difference = estimate(own[0]-base[0], paired, known)
		if known {
			row.Difference.Value = paired.Value
		}
	}
	return row
}

// Band is the curve of a candidate over processor time: interquartile means of its runs, with intervals.
type Band struct {
	Candidate string       `json:"candidate"`
	Points    [][4]float64 `json:"points"` // processor seconds, value, and the interval's ends
}

const (
	maxBands      = 8   // candidates whose curves are shown
	bandPoints    = 60  // at most
	bandResamples = 400 // at each point
)

// Bands returns the curves of the newest round with results: of the base, and of the best candidates.
func (f *File) Bands(results Results) []Band {
	rounds, _ := f.Rounds(results)
	list := []Band{}
	for _, r := range slices.Backward(rounds) {
		order := f.ranked(r, results)
		if at := slices.Index(order, 0); at >= maxBands {
			order = slices.Insert(slices.Delete(order, at, at+1), 0, 0)
		}
		for _, c := range order[:min(maxBands, len(order))] {
			var runs [][]Point
			for _, seed := range r.Seeds {
				if curve := results[Job{r.Number, c, seed, r.Budget}].Curve; len(curve) > 0 {
					runs = append(runs, curve)
				}
			}
			if points := band(runs, endOf(r, runs)); points != nil {
				list = append(list, Band{f.candidates[c].Name, points})
			}
		}
		if len(list) > 0 {
			break
		}
	}
	return list
}

// endOf is where the curves of a round end: at its budget, or else where the first of them ends.
func endOf(r Round, runs [][]Point) float64 {
	if r.Budget > 0 {
		return r.Budget.Seconds()
	}
	end := math.Inf(1)
	for _, curve := range runs {
		end = min(end, curve[len(curve)-1][0])
	}
	return end
}

// band summarises curves from where all of them have begun.
func band(runs [][]Point, end float64) (points [][4]float64) {
	begin := 0.0
	for _, curve := range runs {
		begin = max(begin, curve[0][0])
	}
	if len(runs) == 0 || begin >= end {
		return nil
	}
	for i := range bandPoints {
		x := begin + (end-begin)*float64(i)/(bandPoints-1)
		values := make([]float64, len(runs))
		for j, curve := range runs {
			values[j] = heightAt(curve, x)
		}
		p := [4]float64{x, stat.IQM(values), stat.IQM(values), stat.IQM(values)}
		if i, known := stat.IQMInterval(values, bandResamples, bootstrapSeed); known {
			p[2], p[3] = i.Low, i.High
		}
		points = append(points, p)
	}
	return points
}

// heightAt is the height of a curve, straight between its points, level outside.
func heightAt(curve []Point, x float64) float64 {
	at := slices.IndexFunc(curve, func(p Point) bool { return p[0] >= x })
	switch {
	case at == 0:
		return curve[0][1]
	case at < 0:
		return curve[len(curve)-1][1]
	}
	a, b := curve[at-1], curve[at]
	if b[0] == a[0] {
		return b[1]
	}
	return a[1] + (b[1]-a[1])*(x-a[0])/(b[0]-a[0])
}
