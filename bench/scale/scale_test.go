package scale

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var constants = Constants{
	DecisionsPerCore: 30_000, DecisionsPerGame: 60, BytesPerDecision: 5.3, BrokerPerGame: 5e-6, DoorPerGame: 7e-6,
	SamplesPerCore: 100_000, SampleShare: 0.9, WeightsBytes: 100e3, WeightsPerSecond: 1, WeightsPerActor: 3e-3,
}

// Model and simulation agree on what a plant does, whichever station limits it, to within a tenth.
func TestModelAgreesWithSimulation(t *testing.T) {
	for name, plant := range map[string]Plant{
		"actors":   {Cores: 10, CoresPerActor: 2, Link: 125e6, BrokerCores: 4, Doors: 4, LearnerCores: 16, BatchGames: 64},
		"link in":  {Cores: 1000, CoresPerActor: 10, Link: 12.5e6, BrokerCores: 16, Doors: 16, LearnerCores: 400, BatchGames: 64},
		"broker":   {Cores: 1000, CoresPerActor: 10, Link: 1.25e9, BrokerCores: 1, Doors: 16, LearnerCores: 400, BatchGames: 64},
		"door":     {Cores: 1000, CoresPerActor: 10, Link: 1.25e9, BrokerCores: 16, Doors: 1, LearnerCores: 400, BatchGames: 64},
		"training": {Cores: 100, CoresPerActor: 10, Link: 1.25e9, BrokerCores: 8, Doors: 8, LearnerCores: 4, BatchGames: 64},
	} {
		limit := plant.Limit(constants)
		require.Equal(t, name, limit.Name)
		run := plant.Simulate(constants, 10, 1)
		require.InEpsilon(t, limit.Capacity, run.Decisions, 0.1, name)
		for station, busy := range run.Busy {
			if station == name {
				require.Greater(t, busy, 0.9, "what limits is always at work")
			} else if name == "actors" {
				require.Less(t, busy, 0.9, "%s waits for the actors", station)
			}
		}
	}
}

// What one process takes for a decision is what its stations take, one after the other.
func TestWork(t *testing.T) {
	stations := Plant{Cores: 1, CoresPerActor: 1 << 40, Link: 1, BrokerCores: 1, Doors: 1, LearnerCores: 1}.Stations(constants)
	took := 0.0
	for _, s := range stations {
		if s.Name != "link in" {
			took += 1 / s.Capacity
		}
	}
	require.InEpsilon(t, 1000*took, constants.Work(1000, 1000), 1e-9)
	require.InEpsilon(t, 1000/constants.DecisionsPerCore, constants.Work(1000, 0), 1e-9)
}

// A plant that was sized for its actors is limited by them.
func TestSized(t *testing.T) {
	for _, cores := range []int{10, 1000, 100_000} {
		p := Plant{Cores: cores, CoresPerActor: 32, Link: 1.25e9, Leaves: max(1, cores/1000), BatchGames: 64}.Sized(constants)
		require.Equal(t, "actors", p.Limit(constants).Name, "%d cores: %+v", cores, p)
	}
}

// Without leaves the weights alone can fill the link.
func TestWeightsCrossTheLinkOnce(t *testing.T) {
	p := Plant{Cores: 100_000, CoresPerActor: 8, Link: 1.25e9, BrokerCores: 64}
	require.Greater(t, p.WeightsLink(constants), 0.9)
	p.Leaves = 100
	require.Less(t, p.WeightsLink(constants), 0.01)
}
