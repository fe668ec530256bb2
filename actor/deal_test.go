package actor

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

// agentsOf returns agents with these shares.
func agentsOf(shares ...float64) (list []Agent) {
	for i, s := range shares {
		list = append(list, Agent{fmt.Sprintf("agent%d", i), s})
	}
	return list
}

// splits are shares of learning agents.
var splits = [][]float64{{1}, {2, 1}, {1, 2}, {1, 1, 1}, {5, 1, 0.5}, {100, 1, 1}, {0.001, 1000},
	{3, 1, 4, 1, 5, 9, 2, 6}}

// Every process gives each agent exactly its share of its cores, and fills each of them.
func TestDealIsExactInEveryProcess(t *testing.T) {
	for _, shares := range splits {
		total := 0.0
		for _, s := range shares {
			total += s
		}
		for _, cores := range []int{1, 2, 3, 4, 7, 64} {
			sums, divided := make([]float64, len(shares)), 0
			for _, parts := range deal(agentsOf(shares...), cores) {
				whole := 0.0
				for _, p := range parts {
					sums[p.agent] += p.weight
					whole += p.weight
				}
				require.InDelta(t, 1, whole, 1e-6, "%v on %d cores", shares, cores)
				if len(parts) > 1 {
					divided++
				}
			}
			for i, s := range shares {
				require.InDelta(t, s/total*float64(cores), sums[i], 1e-6, "%v on %d cores, agent %d", shares, cores, i)
			}
			require.Less(t, divided, max(len(shares), 2), "%v on %d cores: one core fewer than agents is divided", shares, cores)
		}
	}
}

// However many decisions a turn makes, no worker of a core is ever further than a turn of each from its weight.
func TestRotaKeepsToTheWeights(t *testing.T) {
	for _, shares := range splits {
		for _, tables := range []int{1, 16, 4096} {
			parts := deal(agentsOf(shares...), 1)[0]
			r, played, all := newRota(parts), make([]float64, len(parts)), 0.0
			for range 5000 {
				i := r.order()[0]
				r.count(i, tables)
				played[i] += float64(tables)
				all += float64(tables)
				for k, p := range parts {
					require.InDelta(t, p.weight*all, played[k], float64(tables*len(parts)), "%v, %d tables", shares, tables)
				}
			}
		}
	}
}

// A worker that had nothing to play for a while has no more than its share afterwards.
func TestRotaOwesNothingToTheIdle(t *testing.T) {
	r := newRota(deal(agentsOf(2, 1), 1)[0])
	for range 1000 {
		require.Equal(t, 0, r.order()[0], "the first is asked first, and has nothing to play")
		r.count(1, 10)
	}
	played := [2]int{}
	for range 300 {
		i := r.order()[0]
		r.count(i, 10)
		played[i]++
	}
	require.InDelta(t, 200, played[0], 2)
}

// However few cores and tables an actor has, each of the agents gets its share of the games.
func TestEachAgentHasItsShareOfTheGames(t *testing.T) {
	game := leducGame(t)
	for _, c := range []struct {
		shares        []float64
		cores, tables int
	}{{[]float64{2, 1}, 1, 1}, {[]float64{2, 1}, 2, 16}, {[]float64{1, 1, 1}, 1, 16}, {[]float64{1, 3, 1}, 2, 1},
		{[]float64{8, 1}, 3, 64}} {
		b := memory.New(bus.Options{})
		o := newActor(t, b, game, players{}, "").opts
		o.Agents, o.Workers, o.Config.Tables = agentsOf(c.shares...), c.cores, c.tables
		o.Registerer, o.Log = prometheus.NewRegistry(), slog.New(slog.DiscardHandler)
		a, err := New(o)
		require.NoError(t, err)
		for _, l := range a.links {
			l.pool.learner.Store(network(t, game, l.agent, 1))
		}
		begun := playTurns(t, a, 400+16_000/c.tables)
		all, total := 0.0, 0.0
		for i, s := range c.shares {
			all, total = all+begun[i], total+s
		}
		for i, s := range c.shares {
			require.InEpsilon(t, s/total, begun[i]/all, 0.15, "%v", c)
		}
		require.NoError(t, b.Close())
	}
}

// playTurns gives each core of an actor that many turns and returns the games begun by agent.
func playTurns(t *testing.T, a *Actor, turns int) []float64 {
	t.Helper()
	begun, number := make([]float64, len(a.links)), 0
	for _, parts := range a.dealt {
		c, err := a.newCore(number, parts)
		require.NoError(t, err)
		number += len(parts)
		for range turns {
			require.True(t, c.turn(t.Context(), t.Context()))
			for _, l := range a.links {
				l.unseen.Store(0) // the learner keeps up
			}
		}
		for i, p := range parts {
			begun[p.agent] += float64(c.workers[i].number)
		}
	}
	return begun
}
