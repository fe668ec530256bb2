package actor

import (
	"cmp"
	"math"
	"slices"
)

// Agent is a learning agent whose training games are played.
type Agent struct {
	Name  string
	Share float64 // weight of its part of the cores, above 0
}

// part is what an agent has of a core.
type part struct {
	agent  int     // its index
	weight float64 // of what the core plays; those of a core sum to 1
}

// leastPart is the smallest part of its agent's whole share that is worth a worker: a smaller one comes from rounding.
const leastPart = 1e-9

// deal cuts each of the cores of an actor process into parts. The agents' shares of all cores are laid end to end and
// cut where a core ends (the wrap-around rule; McNaughton, Management Science 6(1), 1959): every agent has exactly its
// share in every process, and at most one core fewer than there are agents is divided.
func deal(agents []Agent, cores int) [][]part {
	total := 0.0
	for _, a := range agents {
		total += a.Share
	}
	out := make([][]part, cores)
	sum := 0.0
	for i, a := range agents {
		from := sum / total * float64(cores)
		sum += a.Share
		to := sum / total * float64(cores)
		if i == len(agents)-1 {
			to = float64(cores)
		}
		last := min(cores-1, int(math.Ceil(to))-1)
		for k := int(from); k <= last; k++ {
			weight := min(to, float64(k+1)) - max(from, float64(k))
			if weight > leastPart*(to-from) {
				out[k] = append(out[k], part{i, weight})
			}
		}
	}
	return out
}

// rota reports which worker of a core has the next turn: the one that has played least for its weight. One with nothing
// to play loses its turns to the others and is owed nothing for them later (start-time fair queueing; Goyal, Vin and
// Cheng, SIGCOMM 1996).
type rota struct {
	weights []float64
	played  []float64 // decisions divided by the weight, by worker
	indices []int
}

func newRota(parts []part) *rota {
	r := &rota{played: make([]float64, len(parts))}
	for i, p := range parts {
		r.weights, r.indices = append(r.weights, p.weight), append(r.indices, i)
	}
	return r
}

// order returns the workers' indices, first whose turn it is. It is valid until the next call.
func (r *rota) order() []int {
	slices.SortFunc(r.indices, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.played[a], r.played[b]), cmp.Compare(a, b))
	})
	return r.indices
}

// count notes what a worker has played in its turn. Those before it in the order had nothing to play.
func (r *rota) count(worker, decisions int) {
	start := r.played[worker]
	for i := range r.played {
		r.played[i] = max(r.played[i], start)
	}
	r.played[worker] += float64(decisions) / r.weights[worker]
}
