// Package onnx writes networks as ONNX models, so that programs in other languages can play with them.
//
// A model is one decision of a batch. Its shapes and what a caller must know are in docs/guide/export.md:
//
//	observation [batch, ObservationSize] ┐             ┌ logits or action_values [batch, Actions]
//	legal       [batch, Actions]         ├─ network ───┤ value [batch]
//	state       [batch, StateSize]       ┘             └ next_state [batch, StateSize]
//
// The initializers are the network's parameters with their names and shapes; everything else about them is in
// the graph. Each kind of layer is one function of layers.go.
package onnx
