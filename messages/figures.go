package messages

import (
	"fmt"
	"slices"

	"croupier/engine"
	"croupier/internal/stat"
)

// FigureNames returns the figures' names, nil where there are none.
func FigureNames(figures []engine.Figure) (names []string) {
	for _, f := range figures {
		names = append(names, f.Name)
	}
	return names
}

// EstimateFigure returns a figure with its 95 % interval, and false where the games say
// too little for one.
func EstimateFigure(f engine.Figure, sums stat.Ratio) (stat.Interval, bool) {
	if f.Unit == engine.Share {
		return sums.EstimateShare()
	}
	return sums.Estimate()
}

// PackFigures makes the message of the sums of each figure, nil where there are none.
func PackFigures(figures []engine.Figure, all []stat.Ratio) *FigureSums {
	if len(all) == 0 {
		return nil
	}
	p := &FigureSums{Names: FigureNames(figures)}
	for _, r := range all {
		p.Values = append(p.Values, r.Value)
		p.Weights = append(p.Weights, r.Weight)
		p.ValueSquares = append(p.ValueSquares, r.ValueSquares)
		p.WeightSquares = append(p.WeightSquares, r.WeightSquares)
		p.Products = append(p.Products, r.Products)
	}
	return p
}

// UnpackFigures reads a message about that many clusters (sets of an arena match). What is
// nil, or of other figures, is read as nothing: another version of the program has made
// it. The error names the first sum that no clusters can have.
func UnpackFigures(p *FigureSums, clusters uint64, figures []engine.Figure) ([]stat.Ratio, error) {
	if p == nil || !slices.Equal(p.Names, FigureNames(figures)) {
		return nil, nil
	}
	columns := [][]float64{p.Values, p.Weights, p.ValueSquares, p.WeightSquares, p.Products}
	for _, column := range columns {
		if len(column) != len(figures) {
			return nil, fmt.Errorf("a column of %d figures, not of %d", len(column), len(figures))
		}
	}
	all := make([]stat.Ratio, len(figures))
	for i, f := range figures {
		all[i] = stat.Ratio{
			Value: p.Values[i], Weight: p.Weights[i],
			ValueSquares: p.ValueSquares[i], WeightSquares: p.WeightSquares[i], Products: p.Products[i],
		}
		if !all[i].Possible(float64(clusters), f.Unit == engine.Share) {
			return nil, fmt.Errorf("impossible figure %s: %+v of %d", f.Name, all[i], clusters)
		}
	}
	return all, nil
}
