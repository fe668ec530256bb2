package train

import "math/bits"

// priorities is a sum tree (Schaul et al. 2016, arXiv 1511.05952, appendix B.2.1): drawing
// an index in proportion to its priority and changing a priority both take time logarithmic
// in the number of priorities.
type priorities struct {
	leaves int       // a power of two
	tree   []float64 // node i is the sum of nodes 2i and 2i+1; the root is 1, priority i is node leaves+i
}

// newPriorities returns at least n priorities, all 0.
func newPriorities(n int) *priorities {
	leaves := 1 << bits.Len(uint(max(n-1, 0)))
	return &priorities{leaves: leaves, tree: make([]float64, 2*leaves)}
}

func (p *priorities) set(i int, priority float64) {
	i += p.leaves
	p.tree[i] = priority
	for i /= 2; i > 0; i /= 2 {
		p.tree[i] = p.tree[2*i] + p.tree[2*i+1]
	}
}

func (p *priorities) at(i int) float64 { return p.tree[p.leaves+i] }

func (p *priorities) total() float64 { return p.tree[1] }

// find returns the first index at which the cumulative sum of priorities exceeds x, where 0
// ≤ x < total. Its priority is not 0.
func (p *priorities) find(x float64) int {
	i := 1
	for i < p.leaves {
		i *= 2
		// Sums are rounded, so never descend into a branch that holds nothing.
		if left := p.tree[i]; x >= left && p.tree[i+1] > 0 {
			x -= left
			i++
		}
	}
	return i - p.leaves
}
