// Package scale says how fast a run of many machines is, and what limits it: by a model, which divides the
// capacity of each station by the work that a game brings it, and by a simulation of discrete events, in which
// batches of games wait at the stations one after the other. Both take the same measured [Constants].
//
// A station is what a game passes on its way: the actors that play it, the learner's link, the broker, the
// learner's door, training. Weights go the other way, over the link of the broker.
package scale

// Constants are what was measured on one core and one machine (docs/scale.md says by which commands).
type Constants struct {
	DecisionsPerCore float64 // that a core plays in a second
	DecisionsPerGame float64
	BytesPerDecision float64 // on the wire
	BrokerPerGame    float64 // processor seconds, with both ends of the connection
	DoorPerGame      float64 // processor seconds to decode, verify by replay and rebuild
	SamplesPerCore   float64 // that a core learns from in a second
	SampleShare      float64 // of the decisions: the others have one legal action
	WeightsBytes     float64 // of a version
	WeightsPerSecond float64 // versions
	WeightsPerActor  float64 // processor seconds of a version for each actor that takes it
}

// Work is the processor time in seconds of a number of decisions, of which some are learnt from, where cores
// do everything: play, carry, check and train, as in one process.
func (c Constants) Work(played, learnt float64) float64 {
	return played/c.DecisionsPerCore +
		learnt*((c.BrokerPerGame+c.DoorPerGame)/c.DecisionsPerGame+c.SampleShare/c.SamplesPerCore)
}

// Plant is a cluster.
type Plant struct {
	Cores         int     // that play
	CoresPerActor int     // of one actor process, which has one connection
	Link          float64 // bytes a second into and out of the broker's machine
	BrokerCores   int
	Doors         int // cores, each at the door of one learner
	LearnerCores  int // that train
	Leaves        int // brokers of sites that take weights once for all their actors; 0: every actor takes them itself
	BatchGames    int
}

// Station is a part of the plant and what it can do.
type Station struct {
	Name     string
	Capacity float64 // decisions a second
}

// Stations lists what each part of the plant can do, in the order in which a game passes them. Weights have at
// most half of the broker's time: an actor that is late skips versions.
func (p Plant) Stations(c Constants) []Station {
	games := func(cores int, perGame float64) float64 { return float64(cores) / perGame * c.DecisionsPerGame }
	spent := p.weightsCPU(c) // of the broker's cores
	return []Station{
		{"actors", float64(p.Cores) * c.DecisionsPerCore},
		{"link in", p.Link / c.BytesPerDecision},
		{"broker", max(0.5, 1-spent/float64(p.BrokerCores)) * games(p.BrokerCores, c.BrokerPerGame)},
		{"door", games(p.Doors, c.DoorPerGame)},
		{"training", float64(p.LearnerCores) * c.SamplesPerCore / c.SampleShare},
	}
}

// takers is how many connections take weights from the broker.
func (p Plant) takers() float64 {
	if p.Leaves > 0 {
		return float64(p.Leaves)
	}
	return float64(p.Cores) / float64(p.CoresPerActor)
}

// weightsCPU is the processor time of the broker in a second that the weights take.
func (p Plant) weightsCPU(c Constants) float64 {
	return p.takers() * c.WeightsPerSecond * c.WeightsPerActor
}

// WeightsLink is the share of the outgoing link that the weights take; above 1, versions are skipped.
func (p Plant) WeightsLink(c Constants) float64 {
	return p.takers() * c.WeightsPerSecond * c.WeightsBytes / p.Link
}

// Limit is the station that saturates first: what it can do is what the plant does.
func (p Plant) Limit(c Constants) Station {
	stations := p.Stations(c)
	limit := stations[0]
	for _, s := range stations[1:] {
		if s.Capacity < limit.Capacity {
			limit = s
		}
	}
	return limit
}

// Sized returns the plant with as many broker cores, doors, learner cores and links as the cores that play need
// for all of their games: several learners, each with a door and a link of its own.
func (p Plant) Sized(c Constants) Plant {
	wanted := float64(p.Cores) * c.DecisionsPerCore
	whole := func(need float64) int { return max(1, int(need+0.999999)) }
	games := wanted / c.DecisionsPerGame
	p.BrokerCores = whole(games*c.BrokerPerGame + p.weightsCPU(c))
	p.Doors = whole(games * c.DoorPerGame)
	p.LearnerCores = whole(wanted / (c.SamplesPerCore / c.SampleShare))
	p.Link *= float64(whole(wanted / (p.Link / c.BytesPerDecision)))
	return p
}
