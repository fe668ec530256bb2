package offline

import (
	"fmt"

	"croupier/nn"
)

// plan is a network's layers in order of execution, for offline-network.js. Numbers named after parameters are where
// these begin in the flat list of weights.
type plan struct {
	Branches     []planBranch  `json:"branches"`
	Trunk        []planLayer   `json:"trunk"`
	Heads        [][]planLayer `json:"heads"`
	Actions      int           `json:"actions"`
	State        int           `json:"state"`
	ActionValues bool          `json:"action_values"`
	Dueling      bool          `json:"dueling"`
}

type planBranch struct {
	Columns [][2]int    `json:"columns"` // offset and size
	Layers  []planLayer `json:"layers"`
}

type planLayer struct {
	Kind     string     `json:"kind"`
	In       int        `json:"in"`
	Out      int        `json:"out"`
	ReLU     bool       `json:"relu,omitempty"`
	Parts    []planPart `json:"parts,omitempty"`
	W        int        `json:"w,omitempty"`
	U        int        `json:"u,omitempty"`
	B        int        `json:"b,omitempty"`
	O        int        `json:"o,omitempty"`
	Tokens   int        `json:"tokens,omitempty"`
	Features int        `json:"features,omitempty"`
	Size     int        `json:"size,omitempty"`
	Heads    int        `json:"heads,omitempty"`
}

type planPart struct {
	Weight int `json:"weight"`
	Bias   int `json:"bias"`
	Size   int `json:"size"`
}

func planOf(l *nn.Layout) (p *plan, err error) {
	p = &plan{Actions: l.Spec.Actions, State: l.StateSize, ActionValues: l.Description.ActionValues(),
		Dueling: l.Description.Dueling}
	stack := func(layers []nn.Layer) (list []planLayer) {
		for _, layer := range layers {
			step, problem := planOfLayer(layer)
			if err == nil {
				err = problem
			}
			list = append(list, step)
		}
		return list
	}
	for i := range l.Layers.Branches {
		b := &l.Layers.Branches[i]
		branch := planBranch{Layers: stack(b.Layers)}
		for _, span := range b.Columns() {
			branch.Columns = append(branch.Columns, [2]int{span.Offset, span.Size})
		}
		p.Branches = append(p.Branches, branch)
	}
	p.Trunk = stack(l.Layers.Trunk)
	for _, head := range l.Layers.Heads {
		p.Heads = append(p.Heads, stack(head.Layers))
	}
	return p, err
}

// planOfLayer describes a layer. A new kind of layer gets its case here, and in offline-network.js.
func planOfLayer(layer nn.Layer) (planLayer, error) {
	d := layer.Dimensions()
	step := planLayer{In: d.In, Out: d.Out}
	switch l := layer.(type) {
	case *nn.DenseLayer:
		step.Kind, step.ReLU = "dense", l.ReLU
		for _, p := range l.Parts {
			step.Parts = append(step.Parts, planPart{p.Weight.Offset, p.Bias.Offset, p.Bias.Size()})
		}
	case *nn.LSTMLayer:
		step.Kind, step.W, step.U, step.B = "lstm", l.W.Offset, l.U.Offset, l.B.Offset
	case *nn.AttentionLayer:
		step.Kind, step.W, step.O = "attention", l.W.Offset, l.O.Offset
		step.Tokens, step.Features, step.Size, step.Heads = l.Tokens, l.Features, l.Size, l.Heads
	default:
		return step, fmt.Errorf("the page cannot run layers of type %T", layer)
	}
	return step, nil
}
