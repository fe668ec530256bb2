package solver

import (
	"fmt"
	"io"
	"math"

	"croupier/engine"
)

// Size is about how large the tree of a game is.
type Size struct {
	Nodes float64 `json:"nodes"` // of the tree: every history is one; estimated
	Error float64 `json:"error"` // its standard error
	Bytes float64 `json:"bytes"` // of memory while the tree is solved, for as many nodes as are walked at most
}

const (
	// probes is how many random games the size of a tree is estimated from.
	probes = 2000
	// bytesOfNode is the memory for a node of Positions or of a Tree with its CFR. 240 were measured in Connect Four,
	// with the 2,000,000 positions that are met first.
	bytesOfNode = 250
)

// Estimate estimates the size of a game's tree from random games: of each the number of nodes there would be if every
// node had as many children as the one that was met at its depth (D. E. Knuth, "Estimating the efficiency of backtrack
// programs", Mathematics of Computation 29, 1975). The mean of it is the true number. Positions are no more than that.
// The memory is that of at most limit nodes.
func Estimate(g engine.Game, limit int) (Size, error) {
	s, rng := g.NewState(), engine.NewRNG(1, 0)
	sum, squares := 0.0, 0.0
	for range probes {
		nodes, width := 1.0, 1.0
		for s.Reset(); s.Player() != engine.Terminal; nodes += width {
			steps := s.LegalActions(nil)
			for _, o := range s.Outcomes(nil) {
				steps = append(steps, o.Index)
			}
			width *= float64(len(steps))
			if err := s.Apply(steps[rng.IntN(len(steps))]); err != nil {
				return Size{}, err
			}
		}
		sum += nodes
		squares += nodes * nodes
	}
	mean := sum / probes
	return Size{mean, math.Sqrt(max(0, squares/probes-mean*mean) / probes), bytesOfNode * min(mean, float64(limit))}, nil
}

// String names the number of nodes.
func (s Size) String() string {
	if s.Nodes < 1e7 {
		return fmt.Sprintf("%.0f nodes", s.Nodes)
	}
	exponent := math.Floor(math.Log10(s.Nodes))
	return fmt.Sprintf("%.1f·10^%.0f nodes", s.Nodes/math.Pow(10, exponent), exponent)
}

// Render writes the size for people.
func (s Size) Render(w io.Writer, game string) error {
	_, err := fmt.Fprintf(w, "%s: about %s in its tree (standard error %.0f %%, from %d random games)\n"+
		"to solve it takes at most about %.0f MB\n", game, s, 100*s.Error/s.Nodes, probes, math.Ceil(s.Bytes/1e6))
	return err
}
