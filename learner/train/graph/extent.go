package graph

// extent is what the operations of a graph know of its current run. The memory of every
// operation is made for the graph's largest batch; in arrays with a row for each decision
// only the first rows count, those of the batch.
type extent struct {
	weights     *Weights // the same in all runs
	rows, steps int
}

// decisions returns the number of decisions of the batch.
func (e *extent) decisions() int { return e.rows * e.steps }
