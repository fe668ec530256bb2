package learner

import (
	"slices"

	"croupier/learner/train"
	"croupier/messages"
)

// Curves of every run, in display order: how training progresses, and how fast.
var (
	learningSeries = []messages.Series{
		{
			Name: "gradient_norm", Title: "Gradient norm", Unit: "norm before clipping", Metric: "gradient_norm",
			Help: "Global norm of the gradient before clipping, mean.", Section: messages.SeriesOfLearning, Zero: true,
		},
		{
			Name: "learning_rate", Title: "Learning rate", Unit: "step size", Metric: "learning_rate",
			Help: "Step size of the optimiser.", Section: messages.SeriesOfLearning, Zero: true,
		},
		{
			Name: "stage", Title: "Stage", Unit: "number", Metric: "stage",
			Help:    "Stage of the curriculum in training, from 1; after the last stage comes the run's own game.",
			Section: messages.SeriesOfLearning,
		},
		{
			Name: "episode_length", Title: "Episode length", Unit: "decisions",
			Help: "Decisions of one seat in one game, forced ones included, mean.", Section: messages.SeriesOfLearning,
			Zero: true,
		},
	}
	throughputSeries = []messages.Series{
		{
			Name: "games_per_second", Title: "Games", Unit: "games per second",
			Help: "New games trained on.", Section: messages.SeriesOfThroughput, Zero: true, Awaited: true,
		},
		{
			Name: "lag", Title: "Policy lag", Unit: "versions",
			Help:    "Mean number of versions by which the games' weights were behind when training on them began.",
			Section: messages.SeriesOfThroughput, Zero: true, Awaited: true, Smaller: true,
		},
		{
			Name: "decisions_per_second", Title: "Decisions", Unit: "decisions per second",
			Help:    "Decisions of the learning agent that ingestion accepted, forced ones included.",
			Section: messages.SeriesOfThroughput, Zero: true,
		},
		{
			Name: "samples_per_second", Title: "Samples", Unit: "samples per second",
			Help: "New decisions with at least two legal actions trained on.", Section: messages.SeriesOfThroughput, Zero: true,
		},
		{
			Name: "updates_per_second", Title: "Updates", Unit: "updates per second",
			Help: "Steps of the optimiser.", Section: messages.SeriesOfThroughput, Zero: true,
		},
	}
)

// Series returns every curve of the learner in display order; the curves of particular
// algorithms name them. further lists algorithms that need not be among [Algorithms].
func Series(further ...train.Algorithm) []messages.Series {
	list := slices.Clone(throughputSeries)
	for _, a := range append(train.Algorithms(), further...) {
		for _, s := range a.Series {
			i := slices.IndexFunc(list, func(l messages.Series) bool { return l.Name == s.Name })
			if i < 0 {
				i, list = len(list), append(list, s)
			}
			if !slices.Contains(list[i].Algorithms, a.Name) {
				list[i].Algorithms = append(list[i].Algorithms, a.Name)
			}
		}
	}
	return append(list, learningSeries...)
}
