package bench

import (
	"context"
	"runtime"

	"croupier/bench/scale"
)

// measured are the constants of BANK! with the network R128 by which the growth of a run is planned.
var measured = scale.Constants{
	DecisionsPerCore: 325_000, // bench --only inference, batch 256, of which games take a tenth
	DecisionsPerGame: 57.9,    // bench --only fabric: games of random play
	BytesPerDecision: 5.9,     // bench --only fabric
	BrokerPerGame:    6e-6,    // bench --only fabric, 10 actors: 1 / games per processor second - the door
	DoorPerGame:      5.4e-6,  // bench --only fabric
	SamplesPerCore:   22_000,  // bench --only learner: 88,100 a second, each of them in four epochs
	SampleShare:      0.9,     // of BANK!'s decisions, those with a choice
	WeightsBytes:     550e3,   // a file of R128
	WeightsPerSecond: 1,       // docs/algorithms/ppo.md
	WeightsPerActor:  3e-3,    // bench --only fabric
}

const (
	playedByNetwork = 0.9 // of an actor's time
	epochs          = 4   // the default of learner.ppo.epochs: training of a decision takes as many updates
	playBatch       = 256 // rows of inference
)

// compareModel compares each cluster with the model, whose rates of play and training are those of this report.
func (r *Report) compareModel() {
	for i := range r.Cluster {
		p, c := &r.Cluster[i], measured
		c.DecisionsPerCore, c.SamplesPerCore = 0, 0
		for _, q := range r.Inference {
			if q.Net == p.Net && q.Batch == playBatch && q.Threads == 1 {
				c.DecisionsPerCore = playedByNetwork * q.DecisionsPerSecond / q.CPUShare
			}
		}
		for _, q := range r.Learner {
			if q.Net == p.Net && q.Precision == p.Precision && q.Threads == 1 {
				c.SamplesPerCore = q.SamplesPerSecond / q.CPUShare / epochs
			}
		}
		if c.DecisionsPerCore > 0 && c.SamplesPerCore > 0 {
			took := p.CPUShare * float64(runtime.NumCPU())
			p.ModelShare = c.Work(p.DecisionsPerSecond, p.TrainingDecisionsPerSecond) / took
		}
	}
}

// searched is how much slower an actor plays that looks ahead a hundred positions for each decision.
const searched = 100

// Scale models and simulates runs of 10, 1,000 and 100,000 cores that play, with and without search: first with
// one broker, door and learner of two cores each and a link of 1 Gbit/s, then with as many as the actors need, and
// then also with a leaf broker for each 1,000 cores.
func (o *Options) Scale(context.Context) ([]Scale, error) {
	o.Progress("scale: model and simulation")
	var results []Scale
	for _, slower := range []float64{1, searched} {
		c := measured
		c.DecisionsPerCore /= slower
		for _, cores := range []int{10, 1000, 100_000} {
			one := scale.Plant{
				Cores: cores, CoresPerActor: 32, Link: 125e6, BrokerCores: 2, Doors: 1, LearnerCores: 2, BatchGames: 64,
			}
			plants := []scale.Plant{one, one.Sized(c)}
			if one.Leaves = cores / 1000; one.Leaves > 0 {
				plants = append(plants, one.Sized(c))
			}
			for _, p := range plants {
				results = append(results, scaled(p, c, slower > 1))
			}
		}
	}
	return results, nil
}

// scaled models and simulates a plant.
func scaled(p scale.Plant, c scale.Constants, search bool) Scale {
	const batches = 20_000 // that the simulation follows
	limit := p.Limit(c)
	run := p.Simulate(c, batches*float64(p.BatchGames)*c.DecisionsPerGame/limit.Capacity, 1)
	return Scale{
		Cores: p.Cores, Search: search, BrokerCores: p.BrokerCores, Doors: p.Doors, LearnerCores: p.LearnerCores,
		Leaves: p.Leaves, Link: p.Link, Limit: limit.Name, DecisionsPerSecond: limit.Capacity, Simulated: run.Decisions, WaitSeconds: run.Wait,
		PlayedShare: limit.Capacity / (float64(p.Cores) * c.DecisionsPerCore), WeightsLink: p.WeightsLink(c),
	}
}
