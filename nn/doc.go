// Package nn describes, evaluates and stores the networks that play.
//
// A [Description] says what a network looks like, independently of the game. Combined with
// a game's [engine.Spec] it becomes a [Layout]: the layers with their dimensions and one
// flat list of parameters. A [Network] is a layout with weights; it is immutable and
// shared. An [Evaluator] runs batches of observations through it.
//
// A layout consists of lists of layers. Everything about a kind of layer (its parameters,
// initial weights, memory and forward pass) is in one file (dense.go, lstm.go,
// attention.go) behind the interface [Layer]; docs/reference/networks.md explains how to add one.
// Descriptions are in description.go, layouts in layout.go, what an Evaluator does in
// evaluator.go, choose.go (play at a temperature) and dueling.go (action values), files in
// tensors.go and file.go, and networks for other observations in carry.go. [Policy] plays one seat.
//
// The forward pass, in order:
//
//	observation ─┬─ encoder 0: segments → dense+ReLU … ─┐
//	             ├─ encoder 1 …                         ├─ concatenation
//	             ├─ attention: segments → tokens …      │
//	             └─ other segments, as they are         ┘
//	concatenation → dense+ReLU … → LSTM … → features
//	features → per action group: dense+ReLU … → linear → logits of the group
//	features → dense+ReLU … → linear → value
//
// The policy heads compute a policy or action values, as [Description.Outputs] says (see
// [Evaluator.ActionValues]).
//
// Terms:
//
//   - A row is one decision of a batch.
//   - A slot is one recurrent state: the h and c of every LSTM layer of one seat
//     in one game. A network without LSTM layers needs no slots.
//   - The value is in units of the game's MaxReturn, so roughly -1..1.
//
// A row's results do not depend, to the last bit, on the other rows of the batch, their
// number or their order. Replays rely on this.
//
// The caller must reset a slot when a game begins, use an Evaluator or a Policy from one
// goroutine only, and never change the weights of a Network.
package nn
