package rating

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Agents are those of a pair, each with the SHA-256 of its weights in hex, if it has any.
type Agents struct {
	A       string `json:"a"`
	B       string `json:"b"`
	ASHA256 string `json:"a_sha256,omitempty"`
	BSHA256 string `json:"b_sha256,omitempty"`
}

// StoredPair is a pair as a document has it.
type StoredPair struct {
	Agents
	Done  []Span `json:"done"`
	Rated Sums   `json:"rated"`
	Trial *Trial `json:"trial,omitempty"`
}

// Agents names both as a document does.
func (k Key) Agents() Agents {
	return Agents{k.A, k.B, k.as.hex(), k.bs.hex()}
}

// Key reads what Key.Agents wrote.
func (a Agents) Key() (k Key, err error) {
	k.A, k.B = a.A, a.B
	for _, sum := range []struct {
		text string
		to   *weights
	}{{a.ASHA256, &k.as}, {a.BSHA256, &k.bs}} {
		read, err := hex.DecodeString(sum.text)
		w, ok := readWeights(read)
		if err != nil || !ok {
			return k, fmt.Errorf("%.80q is not a SHA-256", sum.text)
		}
		*sum.to = w
	}
	return k, nil
}

// StoredPairs returns all pairs as a document has them, sorted: equal results, equal pairs.
func (b *Results) StoredPairs() []StoredPair {
	pairs := make([]StoredPair, 0, len(b.Pairs))
	for _, p := range b.Pairs {
		pairs = append(pairs, StoredPair{p.Key.Agents(), p.Done, p.rated, p.Trial})
	}
	slices.SortFunc(pairs, func(x, y StoredPair) int {
		return slices.Compare([]string{x.A, x.B, x.ASHA256, x.BSHA256}, []string{y.A, y.B, y.ASHA256, y.BSHA256})
	})
	return pairs
}

// RestorePairs enters the pairs that StoredPairs has returned; none of them where one cannot be read.
func (b *Results) RestorePairs(stored []StoredPair) error {
	pairs := make([]*Pair, len(stored))
	for i, r := range stored {
		k, err := r.Key()
		if err != nil {
			return err
		}
		pairs[i] = &Pair{Key: k, Done: r.Done, rated: r.Rated, Trial: r.Trial}
	}
	for _, p := range pairs {
		b.enter(p)
	}
	return nil
}

// AdoptWeights gives the pairs of a snapshot that knew names only the weights that members of these names have.
func (b *Results) AdoptWeights() {
	for k, p := range maps.Clone(b.Pairs) {
		known := b.Key(k.A, k.B)
		if k != known && k.as == (weights{}) && k.bs == (weights{}) && b.Pairs[known] == nil {
			delete(b.Pairs, k)
			p.Key = known
			b.Pairs[known] = p
		}
	}
}

// Forget drops everything about the agents that gone says are no more.
func (b *Results) Forget(gone func(name string) bool) {
	maps.DeleteFunc(b.Pairs, func(k Key, _ *Pair) bool { return gone(k.A) || gone(k.B) })
	maps.DeleteFunc(b.weights, func(name string, _ weights) bool { return gone(name) })
	maps.DeleteFunc(b.met, func(name string, _ bool) bool { return gone(name) })
	maps.DeleteFunc(b.Figures, func(name string, _ []ExactRatio) bool { return gone(name) })
}
