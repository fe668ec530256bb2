package actor

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Agent is a learning agent whose training games are played.
type Agent struct {
	Name  string
	Share float64 // weight of its part of the workers, above 0
}

// deal says which agent each of so many workers of an actor process plays training games for, by index. Each agent
// gets its share of them, rounded up or down by a number that follows from the actor's id: over many processes the
// shares hold exactly (systematic sampling, Madow and Madow 1944). With every, which takes at least as many workers
// as agents, no agent goes without.
func deal(agents []Agent, workers int, id string, every bool) []int {
	total := 0.0
	for _, a := range agents {
		total += a.Share
	}
	counts := make([]int, len(agents))
	offset, sum, dealt := fraction(id), 0.0, 0
	for i, a := range agents {
		sum += a.Share
		upTo := min(workers, int(sum/total*float64(workers)+offset))
		if i == len(agents)-1 {
			upTo = workers
		}
		counts[i], dealt = upTo-dealt, upTo
	}
	if every {
		spread(counts)
	}
	var out []int
	for i, n := range counts {
		for range n {
			out = append(out, i)
		}
	}
	return out
}

// spread gives who has nothing one of whoever has most.
func spread(counts []int) {
	for i := range counts {
		if counts[i] > 0 {
			continue
		}
		most := 0
		for j := range counts {
			if counts[j] > counts[most] {
				most = j
			}
		}
		if counts[most] > 1 {
			counts[most]--
			counts[i]++
		}
	}
}

// fraction returns a number in 0..1, 1 excluded, that follows from a name. Those of names that are numbered, actor-1,
// actor-2 and so on, lie apart by the golden ratio: however few such actors there are, they spread evenly (Knuth, The
// Art of Computer Programming 3, section 6.4, Fibonacci hashing).
func fraction(name string) float64 {
	stem := strings.TrimRight(name, "0123456789")
	number, err := strconv.ParseUint(name[len(stem):], 10, 64)
	if err != nil {
		stem, number = name, 0
	}
	h := fnv.New64a()
	fmt.Fprint(h, "workers of ", stem)
	// The last letters of a name reach only the low bits of the sum: a multiplication spreads them.
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x += number * 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	return float64(x>>11) / (1 << 53)
}
