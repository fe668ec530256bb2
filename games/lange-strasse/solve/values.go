package solve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/nn/kernel"
)

// Layer widths of the networks.
const (
	hidden1 = 64
	hidden2 = 32
)

// layerSizes are inputs and outputs of each layer.
var layerSizes = [...][2]int{{features, hidden1}, {hidden1, hidden2}, {hidden2, seats}}

// network is a perceptron with two rectified hidden layers, whose outputs, less their mean, are
// what each seat will still win in this game, in units.
type network struct {
	weights [len(layerSizes)][]float32 // row-major [in, out]
	biases  [len(layerSizes)][]float32
}

func newNetwork(rng *engine.RNG) *network {
	n := &network{}
	for i, size := range layerSizes {
		n.weights[i] = make([]float32, size[0]*size[1])
		n.biases[i] = make([]float32, size[1])
		if rng == nil {
			continue
		}
		// He et al. 2015 for rectified inputs, uniform; the last layer begins near 0.
		limit := float32(math.Sqrt(6 / float64(size[0])))
		if i == len(layerSizes)-1 {
			limit /= 100
		}
		for j := range n.weights[i] {
			n.weights[i][j] = limit * float32(2*rng.Float64()-1)
		}
	}
	return n
}

// Values is the value function of the money game: what each seat will still win after a
// standing if all seats maximise it. It is immutable.
type Values struct {
	networks [seats]*network // by the seat in turn
	packed   [seats][len(layerSizes)]*kernel.Linear
	errors   valueErrors
}

func newValues(networks [seats]*network) *Values {
	v := &Values{networks: networks}
	for seat, n := range networks {
		for i := range layerSizes {
			v.packed[seat][i] = kernel.Pack(n.biases[i], n.weights[i])
		}
	}
	return v
}

// money is what each seat wins, in units.
type money [seats]float32

func (m *money) add(n money) {
	for seat, units := range n {
		m[seat] += units
	}
}

// evaluator computes the values of up to batch standings with the same seat in turn.
type evaluator struct {
	values  *Values
	table   []float32
	input   kernel.Rows
	hidden1 kernel.Rows
	hidden2 kernel.Rows
	output  kernel.Rows
	rows    int
}

func newEvaluator(v *Values, batch int) *evaluator {
	return &evaluator{
		values: v, table: reach(),
		input: kernel.MakeRows(batch, features), hidden1: kernel.MakeRows(batch, hidden1),
		hidden2: kernel.MakeRows(batch, hidden2), output: kernel.MakeRows(batch, seats),
	}
}

// add takes one more standing and returns its row.
func (e *evaluator) add(s *langestrasse.Standing) (row int) {
	row = e.rows
	describe(s, e.table, e.input.Row(row, features))
	e.rows++
	return row
}

// run evaluates everything added, with the given seat in turn, and starts over.
func (e *evaluator) run(seat int8) {
	layers := &e.values.packed[seat]
	layers[0].Apply(e.hidden1, e.input, e.rows, true)
	layers[1].Apply(e.hidden2, e.hidden1, e.rows, true)
	layers[2].Apply(e.output, e.hidden2, e.rows, false)
	e.rows = 0
}

// result returns the value in a row of the last run.
func (e *evaluator) result(row int) (m money) {
	copy(m[:], e.output.Row(row, seats))
	mean := (m[0] + m[1] + m[2]) / seats
	for i := range m {
		m[i] -= mean
	}
	return m
}

// parameters lists the weights and biases of all networks, then the errors, in the order of a
// table.
func (v *Values) parameters() (all [][]float32) {
	for _, n := range v.networks {
		for i := range layerSizes {
			all = append(all, n.weights[i], n.biases[i])
		}
	}
	return append(all, v.errors.whole[:], v.errors.local[:])
}

// table returns all parameters as little-endian float32.
func (v *Values) table() (table []byte) {
	for _, parameters := range v.parameters() {
		for _, x := range parameters {
			table = binary.LittleEndian.AppendUint32(table, math.Float32bits(x))
		}
	}
	return table
}

// readValues reads a table, which must have the right size and finite numbers.
func readValues(table []byte) (*Values, error) {
	v := &Values{}
	for seat := range v.networks {
		v.networks[seat] = newNetwork(nil)
	}
	size := 0
	for _, parameters := range v.parameters() {
		size += 4 * len(parameters)
	}
	if len(table) != size {
		return nil, fmt.Errorf("its table has %d bytes, not %d", len(table), size)
	}
	for _, parameters := range v.parameters() {
		for i := range parameters {
			x := math.Float32frombits(binary.LittleEndian.Uint32(table))
			if table = table[4:]; math.Abs(float64(x)) > 1e6 || x != x {
				return nil, errors.New("its table has values that are not parameters")
			}
			parameters[i] = x
		}
	}
	packed := newValues(v.networks)
	packed.errors = v.errors
	return packed, nil
}

func (n *network) clone() *network {
	c := &network{}
	for i := range layerSizes {
		c.weights[i], c.biases[i] = slices.Clone(n.weights[i]), slices.Clone(n.biases[i])
	}
	return c
}
