package train

import (
	"fmt"
	"hash/crc32"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/nn"
)

func TestSumsOfPartsAreOneTree(t *testing.T) {
	all := func(n int) span { return span{0, n} }
	require.Equal(t, []span{{0, 8}}, all(16).nodes(span{0, 8}, nil))
	require.Equal(t, []span{{8, 16}}, all(16).nodes(span{8, 16}, nil))
	require.Equal(t, []span{{0, 4}, {4, 5}}, all(16).nodes(span{0, 5}, nil))
	require.Equal(t, []span{{5, 6}, {6, 8}, {8, 10}}, all(16).nodes(span{5, 10}, nil))
	require.Equal(t, []span{{2, 3}}, all(3).nodes(span{2, 3}, nil))
	require.Equal(t, []span{{4, 7}}, all(7).nodes(span{4, 7}, nil))
	require.Empty(t, all(8).nodes(span{3, 3}, nil))
	// Whatever spans a sum is cut into, their nodes are all of it, each part once and in order.
	for n := 1; n < 20; n++ {
		for cut := range n + 1 {
			nodes := all(n).nodes(span{cut, n}, all(n).nodes(span{0, cut}, nil))
			next := 0
			for _, s := range nodes {
				require.Equal(t, next, s.first)
				next = s.end
			}
			require.Equal(t, n, next)
		}
	}
}

// meeting has trainers in this process do their work together: each computes the parts from its share of all on.
type meeting struct {
	shares  []float64 // where the share of each begins, and 1
	barrier func()
	parts   [][][]byte // by member and piece
	results [][]byte
}

type attendee struct {
	*meeting
	number int
}

// Do implements [Exchange]. The first combines.
func (a attendee) Do(w Work) error {
	n := float64(w.Parts())
	begin := func(number int) int { return int(math.Round(a.shares[number] * n)) }
	first, end := begin(a.number), begin(a.number+1)
	w.Compute(first, end)
	a.parts[a.number] = nil
	for piece := range w.Pieces() {
		if a.number > 0 {
			a.parts[a.number] = append(a.parts[a.number], w.AppendPart(nil, piece, first, end))
		}
	}
	a.barrier()
	if a.number == 0 {
		a.results = nil
		for piece := range w.Pieces() {
			for other := 1; other < len(a.parts); other++ {
				if err := w.SetPart(piece, begin(other), begin(other+1), a.parts[other][piece]); err != nil {
					return err
				}
			}
			w.Combine(piece)
			a.results = append(a.results, w.AppendResult(nil, piece))
		}
	}
	a.barrier()
	if a.number > 0 {
		for piece, result := range a.results {
			if err := w.SetResult(piece, result); err != nil {
				return err
			}
		}
	}
	a.barrier()
	return nil
}

// barrier returns what n goroutines call to wait for one another.
func barrier(n int) func() {
	var mutex sync.Mutex
	gate, waiting := make(chan struct{}), 0
	return func() {
		mutex.Lock()
		mine := gate
		if waiting++; waiting == n {
			waiting, gate = 0, make(chan struct{})
			close(mine)
		}
		mutex.Unlock()
		<-mine
	}
}

// A group of learners with the same games comes to the weights of one learner to the bit, whichever of them computes
// what.
func TestWeightsDoNotDependOnTheGroup(t *testing.T) {
	shapes := map[string]struct {
		network nn.Description
		change  func(*Config)
	}{
		"recurrent":    {nn.Description{Dense: []int{160}, LSTM: []int{48}}, func(*Config) {}},
		"feed-forward": {nn.Description{Dense: []int{160, 160}}, func(*Config) {}},
		"magnet":       {nn.Description{Dense: []int{160}}, func(c *Config) { c.PPO.Magnet = MagnetAverage }},
		"KL stop":      {nn.Description{Dense: []int{160}}, func(c *Config) { c.PPO.KLStop = 1e-4 }},
		"chance":       {nn.Description{Dense: []int{160}}, func(c *Config) { c.PPO.ChanceCorrection = true }},
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			game := leducGame(t)
			layout := testLayout(t, game, shape.network)
			rollout := func() *Rollout { return randomRollout(t, game, 2400) }
			newTrainer := func(workers int, exchange Exchange) *ppo {
				n, err := nn.NewNetwork(layout, layout.Init(5))
				require.NoError(t, err)
				c := DefaultConfig()
				c.SequenceLength, c.PPO.Minibatch, c.PPO.KLStop, c.PPO.Epochs = 4, 1024, 0, 2
				shape.change(&c)
				tr, err := newPPO(c.PPO, Setup{c, []engine.Game{game}, n, 1, workers, nil, 1, exchange})
				require.NoError(t, err)
				return tr
			}
			learn := func(tr *ppo) (*State, Report) {
				var rep Report
				for i := range 2 {
					var err error
					if rep, err = tr.Learn(t.Context(), rollout(), float64(i)/10); err != nil {
						panic(err) // another goroutine's
					}
				}
				s, err := tr.Snapshot()
				if err != nil {
					panic(err)
				}
				rep.UpdateTime = 0
				return s, rep
			}
			want, wanted := learn(newTrainer(2, nil))
			for _, shares := range [][]float64{{0, 1}, {0, .5, 1}, {0, .3, .35, 1}, {0, 0, .25, .5, 1}, {0, 1, 1}} {
				n := len(shares) - 1
				m := &meeting{shares: shares, barrier: barrier(n), parts: make([][][]byte, n)}
				var group sync.WaitGroup
				for number := range n {
					group.Go(func() {
						got, rep := learn(newTrainer(1+number%2, attendee{m, number}))
						require.True(t, reflect.DeepEqual(want, got), fmt.Sprint(shares))
						require.Equal(t, wanted, rep, fmt.Sprint(shares))
					})
				}
				group.Wait()
			}
		})
	}
}

// What learners send one another has one order of bytes.
func TestFloatsAreLittleEndian(t *testing.T) {
	data := appendFloats([]byte{7}, []float32{1, -2.5})
	require.Equal(t, []byte{7, 0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0}, data)
	back := make([]float32, 2)
	readFloats(back, data[1:])
	require.Equal(t, []float32{1, -2.5}, back)
	require.Equal(t, crc32.Checksum(data[1:], crc32.MakeTable(crc32.Castagnoli)), Checksum(back))
	require.Empty(t, appendFloats(nil, nil))
}

// What does not fit the work is refused, and changes nothing that could be used.
func TestPartsOfTheWrongSizeAreRefused(t *testing.T) {
	d := newDescender(t, 1, func(*Config) {}).Descent
	w := &minibatch{d: d, shards: d.cut(make([]row, 100)), parts: len(d.firsts) - 1}
	for piece := range w.Pieces() {
		data := w.AppendPart(nil, piece, 0, 3)
		require.NoError(t, w.SetPart(piece, 0, 3, data))
		require.Error(t, w.SetPart(piece, 0, 3, data[1:]))
		require.Error(t, w.SetPart(piece, 0, 3, append(slices.Clone(data), 0)))
		w.Combine(piece)
		result := w.AppendResult(nil, piece)
		require.NoError(t, w.SetResult(piece, result))
		require.Error(t, w.SetResult(piece, result[1:]))
		require.Error(t, w.SetResult(piece, append(result, 0)))
	}
}
