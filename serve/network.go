package serve

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/engine"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
)

// maxBatch is the number of decisions that a network makes at once.
const maxBatch = 64

// network decides with a network, in batches.
type network struct {
	game   engine.Game
	player *player.Player
	jobs   chan *job
	pool   sync.Pool // of jobs
	batch  prometheus.Observer
}

// job is a decision on its way through the network.
type job struct {
	legal        []int
	observations []float32 // of the seat's decisions until this one, one after the other
	chances      []float64 // by legal action
	values       []float64 // likewise, of a network of action values
	value        float32
	done         chan struct{}
}

func newNetwork(ctx context.Context, game engine.Game, player *player.Player, batch prometheus.Observer) *network {
	n := &network{game: game, player: player, jobs: make(chan *job), batch: batch}
	n.pool.New = func() any { return &job{done: make(chan struct{}, 1)} }
	for range runtime.GOMAXPROCS(0) {
		go n.run(ctx)
	}
	return n
}

func (n *network) unit() string {
	if n.player.Network.Layout.Description.ActionValues() {
		return n.game.Spec().Unit
	}
	return ""
}

func (n *network) decide(ctx context.Context, d *decision) error {
	j := n.pool.Get().(*job)
	defer n.pool.Put(j)
	if err := n.fill(j, d); err != nil {
		return err
	}
	select {
	case n.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	}
	<-j.done
	scale := n.game.Spec().MaxReturn
	value := float64(j.value) * scale
	d.value, d.chances = &value, append(d.chances, j.chances...)
	for _, v := range j.values {
		d.values = append(d.values, v*scale)
	}
	d.action = d.legal[policy.Sample(d.chances, engine.NewRNG(d.seed, 1))]
	return nil
}

// fill writes what the network is to see: the seat's decisions so far, where they are known, and this one.
func (n *network) fill(j *job, d *decision) error {
	j.legal = append(j.legal[:0], d.legal...)
	j.observations = j.observations[:0]
	j.chances, j.values = append(j.chances[:0], make([]float64, len(d.legal))...), j.values[:0]
	seat := d.state.Player()
	if d.past != nil {
		s := n.game.NewState()
		for _, step := range d.past {
			if s.Player() == seat {
				n.observe(j, s, seat)
			}
			if err := s.Apply(step); err != nil {
				return fmt.Errorf("the past of the position: %w", err)
			}
		}
	}
	n.observe(j, d.state, seat)
	return nil
}

func (n *network) observe(j *job, s engine.State, seat int) {
	from, size := len(j.observations), n.player.Network.Layout.Spec.ObservationSize
	j.observations = append(j.observations, make([]float32, size)...)
	n.player.Network.Observe(s, seat, j.observations[from:])
}

// run makes the decisions that wait, until ctx ends.
func (n *network) run(ctx context.Context) {
	e := n.player.Network.NewEvaluator(maxBatch, maxBatch)
	batch := make([]*job, 0, maxBatch)
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-n.jobs:
			batch = append(batch[:0], j)
		}
		runtime.Gosched() // others who are ready to ask join the batch
		batch = n.join(batch)
		n.batch.Observe(float64(len(batch)))
		n.forward(e, batch)
		for _, j := range batch {
			j.done <- struct{}{}
		}
	}
}

// join adds those who are waiting to the batch.
func (n *network) join(batch []*job) []*job {
	for len(batch) < maxBatch {
		select {
		case j := <-n.jobs:
			batch = append(batch, j)
		default:
			return batch
		}
	}
	return batch
}

// forward evaluates the batch: the first decision of each seat, then the second of those that have made two.
func (n *network) forward(e *nn.Evaluator, batch []*job) {
	size := n.game.Spec().ObservationSize
	for slot := range batch {
		e.ResetSlot(slot)
	}
	for from := 0; ; from += size {
		rows, asked := 0, [maxBatch]*job{} // asked by row, nil for a decision of the past
		for slot, j := range batch {
			if from >= len(j.observations) {
				continue
			}
			copy(e.Observation(rows), j.observations[from:])
			e.SetLegal(rows, j.legal) // of this decision: what it was before does not reach the memory
			e.SetSlot(rows, slot)
			if from+size == len(j.observations) {
				asked[rows] = j
			}
			rows++
		}
		if rows == 0 {
			return
		}
		e.Forward(rows)
		for row, j := range asked[:rows] {
			if j != nil {
				n.read(e, row, j)
			}
		}
	}
}

// read takes the answer from a row.
func (n *network) read(e *nn.Evaluator, row int, j *job) {
	e.Distribution(row, n.player.Temperature, j.chances)
	j.value = e.Value(row)
	if n.player.Network.Layout.Description.ActionValues() {
		for _, a := range j.legal {
			j.values = append(j.values, float64(e.ActionValues(row)[a]))
		}
	}
}
