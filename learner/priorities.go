package learner

import "math/bits"

// priorities is a sum tree (Schaul et al. 2016, arXiv 1511.05952, appendix B.2.1): it
// draws an index with a probability in proportion to its priority, and changes a
// priority, in a time that grows with the logarithm of their number.
type priorities struct {
	leaves int       // a power of two
	tree   []float64 // the sum of nodes 2i and 2i+1 at i, the root at 1, priority i at leaves+i
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

// find returns the index at which the sum of priorities from 0 on exceeds x, a number
// from 0 up to but without the total. Its priority is not 0.
func (p *priorities) find(x float64) int {
	i := 1
	for i < p.leaves {
		i *= 2
		// Sums are rounded: never into a branch that holds nothing.
		if left := p.tree[i]; x >= left && p.tree[i+1] > 0 {
			x -= left
			i++
		}
	}
	return i - p.leaves
}
