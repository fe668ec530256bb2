// Package graph computes the loss of a network and its gradient as a gorgonia graph: PPO's
// loss or, for a network of action values, that of the temporal-difference error.
//
// A [Graph] is built once from a network's [nn.Layout] for batches of Rows×Steps decisions:
// Rows sequences side by side, Steps decisions each. It computes the same network as
// [nn.Evaluator], carrying the recurrent state from step to step, and the gradient of the
// loss in all parameters.
//
// Terms:
//
//   - A row is a sequence: one seat's decisions in a game, or a part of them.
//   - A fused operation (op.go) is a node of the graph that does the work of many gorgonia
//     operations, with hand-written derivatives.
//   - The flat list holds all parameters in the order of [nn.Layout].Parameters.
//
// The caller must use a Graph from one goroutine at a time (its operations own their memory,
// but as many graphs as there are cores may run side by side), divide the sums of
// loss and gradient by the weight, and reject results that are not finite.
//
// docs/explain/algorithms/training-graph.md explains the operations.
package graph

// Through this package gorgonia's memory handling asserts that Go's collector does not move
// objects; the version that gorgonia itself requires refuses to start on current Go.
import _ "go4.org/unsafe/assume-no-moving-gc"
