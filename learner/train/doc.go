// Package train has the learning algorithms, PPO and DQN, and what algorithms share. It trains a network on the games
// that it is given and knows nothing of where they come from.
//
// A [Trainer] makes a [Recorder], which reads an [Episode] step by step and returns [Rows]; a [Rollout] takes these up,
// and the trainer learns from it:
//
//	rows, err := recorder.Record(episode) // verified while it is read
//	rollout.Add(rows, 1)
//	report, err := trainer.Learn(ctx, rollout, progress)
//	network := trainer.Published()
//
// An algorithm is one file that reads from top to bottom: its settings, its curves, its iteration (ppo.go, dqn.go). It
// builds on [Descent], which has the minibatches, the gradients on all cores, the optimiser and the canary that undoes
// an unsound iteration. Its loss is a [croupier/learner/train/graph.Loss]. docs/guide/add-an-algorithm.md describes how
// one is written, in this module or another.
//
// Episodes become rows in recorder.go and a rollout in rollout.go. Advantages come from gae.go, without the luck of
// chance from chance_correction.go; minibatches from pack.go and shard.go; new weights are tried in accept.go. Work
// that a group of learners divides is in divide.go, the replay buffer in replay.go, the settings that all share in
// config.go.
//
// Rewards, results, values, advantages and targets are in units of the game's Spec.MaxReturn, log-probabilities in
// nats, and progress is the part of the run that is over, 0..1.
//
// Terms:
//
//   - A sample is a decision of the learning agent with at least two legal actions. Any other
//     is forced: nothing can be learnt from it, and the estimates pass over it.
//   - A sequence holds the samples of one seat in one game.
//   - A rollout holds the games that an iteration learns from: new ones, or games drawn from
//     a replay buffer. An update is one step of the optimiser on a minibatch of a rollout.
package train
