package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"croupier/nn/kernel"
)

// step is an operation of a program. Its inputs keep their memory from run to run.
type step struct {
	op *op
	in []gorgonia.Value
}

// programmer puts operations in an order in which they can run.
type programmer struct {
	steps  []step
	values map[*gorgonia.Node]gorgonia.Value // of the nodes that have been placed
}

// program returns the operations that compute the nodes. gorgonia's tape machine would run the
// same ones, but in a goroutine of its own while it holds the caller's thread: each run waits
// for two changes of threads, which takes long on a busy machine next to a small batch.
func program(nodes gorgonia.Nodes) ([]step, error) {
	p := programmer{values: map[*gorgonia.Node]gorgonia.Value{}}
	for _, n := range nodes {
		if err := p.place(n); err != nil {
			return nil, err
		}
	}
	return p.steps, nil
}

// place adds the operation of a node behind those of its inputs.
func (p *programmer) place(n *gorgonia.Node) error {
	if p.values[n] != nil {
		return nil
	}
	if n.Op() == nil {
		p.values[n] = n.Value()
		return nil
	}
	var in []gorgonia.Value
	for inputs := n.Graph().From(n.ID()); inputs.Next(); {
		input := inputs.Node().(*gorgonia.Node)
		if err := p.place(input); err != nil {
			return err
		}
		in = append(in, p.values[input])
	}
	o, own := n.Op().(*op)
	if !own {
		if fmt.Sprint(n.Op()) != "+ false" {
			return fmt.Errorf("node %v is of an operation that programs do not have", n)
		}
		o = sum(n)
	}
	p.values[n] = o.value
	p.steps = append(p.steps, step{o, in})
	return nil
}

// sum replaces gorgonia's own operation, by which it adds the gradients of a node that several
// others read and which makes its result again in every run.
func sum(n *gorgonia.Node) *op {
	o := newOp("sum", n.Shape()[0], n.Shape()[1], func(out []float32, in [][]float32) {
		copy(out, in[0])
		kernel.Add(out, in[1])
	})
	o.in = make([][]float32, 2)
	return o
}

// execute runs a program.
func execute(steps []step) error {
	for _, s := range steps {
		if _, err := s.op.Do(s.in...); err != nil {
			return err
		}
	}
	return nil
}
