package actor

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/leduc"
	"croupier/games/standard"
	"croupier/messages"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
)

func leducGame(t *testing.T) engine.Game {
	t.Helper()
	game, err := leduc.New(nil)
	require.NoError(t, err)
	return game
}

// network returns a player with random weights that depend on the seed.
func network(t *testing.T, game engine.Game, name string, seed uint64, lstm ...int) *player.Player {
	t.Helper()
	layout, err := nn.NewLayout(nn.Description{Dense: []int{16}, LSTM: lstm}, game.Spec())
	require.NoError(t, err)
	weights := layout.Init(seed)
	for i := range weights {
		weights[i] *= 3 // away from the nearly uniform policy of fresh weights
	}
	net, err := nn.NewNetwork(layout, weights)
	require.NoError(t, err)
	return &player.Player{Name: name, Version: seed, Learning: name == "main", Network: net, Temperature: policy.Sampled}
}

func randomPlayer() *player.Player {
	return &player.Player{Name: "random", NewPolicy: func() policy.Policy { return policy.Random{} }}
}

// playAll plays the games with these seeds, all between the same players, and
// returns for each its history, log-probabilities and returns as text.
func playAll(game engine.Game, tables int, seeds []uint64, seats []*player.Player) map[uint64]string {
	r := newRoom(tables, game)
	played, next := map[uint64]string{}, 0
	for len(played) < len(seeds) {
		r.step(context.Background(), func() (assignment, bool) {
			if next == len(seeds) {
				return assignment{}, false
			}
			next++
			return assignment{seed: seeds[next-1], seats: seats, finish: func(g *episode) {
				played[g.seed] = fmt.Sprint(g.history, g.logProbs, g.returns, g.decisions)
			}}, true
		})
	}
	return played
}

// A game depends on its seed and its players alone: not on how many tables there
// are or which other games share its batches.
func TestGameDoesNotDependOnCompany(t *testing.T) {
	game := leducGame(t)
	var seeds []uint64
	for i := range uint64(200) {
		seeds = append(seeds, engine.GameSeed(1, "test", i))
	}
	for name, seats := range map[string][]*player.Player{
		"feed-forward": {network(t, game, "main", 1), network(t, game, "main@1", 2)},
		"recurrent":    {network(t, game, "main", 1, 8), network(t, game, "main@1", 2, 8, 4)},
		"with a bot":   {network(t, game, "main", 1, 8), randomPlayer()},
	} {
		t.Run(name, func(t *testing.T) {
			alone := playAll(game, 1, seeds, seats)
			require.Equal(t, alone, playAll(game, 64, seeds, seats))
			require.Equal(t, alone, playAll(game, 7, seeds, seats))
		})
	}
}

// A recurrent network plays at a table as nn.Policy does, which resets its state
// at the start of each game.
func TestRecurrentStateBeginsAnew(t *testing.T) {
	game := leducGame(t)
	p := network(t, game, "main", 3, 8)
	single := &player.Player{Name: "single", NewPolicy: func() policy.Policy {
		return nn.NewPolicy(p.Network, policy.Sampled)
	}}
	var seeds []uint64
	for i := range uint64(100) {
		seeds = append(seeds, i)
	}
	batched := historiesOf(game, seeds, []*player.Player{p, p})
	require.Equal(t, historiesOf(game, seeds, []*player.Player{single, single}), batched)
}

func historiesOf(game engine.Game, seeds []uint64, seats []*player.Player) map[uint64][]byte {
	r := newRoom(5, game)
	out, next := map[uint64][]byte{}, 0
	for len(out) < len(seeds) {
		r.step(context.Background(), func() (assignment, bool) {
			if next == len(seeds) {
				return assignment{}, false
			}
			next++
			return assignment{seed: seeds[next-1], seats: seats, finish: func(g *episode) {
				out[g.seed] = append([]byte(nil), g.history...)
			}}, true
		})
	}
	return out
}

// Players with the same weights share an evaluator, whatever their temperatures, and each
// plays at its own as nn.Policy does.
func TestTemperaturesShareABatch(t *testing.T) {
	game := leducGame(t)
	for _, lstm := range [][]int{nil, {8}} {
		sampled := network(t, game, "main@3", 3, lstm...)
		greedy := *sampled
		greedy.Name, greedy.Temperature = "greedy:main@3", policy.Greedy
		cool := greedy
		cool.Name, cool.Temperature = "temperature(0.5):main@3", 0.5
		alone := func(p *player.Player) *player.Player { return &player.Player{Name: p.Name, NewPolicy: p.Policy} }
		var seeds []uint64
		for i := range uint64(100) {
			seeds = append(seeds, i)
		}
		played := map[string]bool{}
		for _, seats := range [][]*player.Player{{sampled, &greedy}, {&greedy, &cool}, {&cool, sampled}, {&greedy, &greedy}} {
			batched := historiesOf(game, seeds, seats)
			require.Equal(t, historiesOf(game, seeds, []*player.Player{alone(seats[0]), alone(seats[1])}), batched)
			played[fmt.Sprint(batched)] = true
		}
		require.Len(t, played, 4, "temperatures change what is played")

		r := newRoom(2, game)
		seats := []*player.Player{sampled, &greedy}
		r.step(t.Context(), func() (assignment, bool) { return assignment{seats: seats, finish: func(*episode) {}}, true })
		require.LessOrEqual(t, len(r.groups), 1)
	}
}

// A learning player draws from its distribution: the learner needs the probability.
func TestLearningPlayersAreSampled(t *testing.T) {
	game := leducGame(t)
	main := network(t, game, "main", 3)
	greedy := *main
	greedy.Temperature = policy.Greedy
	seeds := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	require.Equal(t, playAll(game, 3, seeds, []*player.Player{main, main}),
		playAll(game, 3, seeds, []*player.Player{&greedy, &greedy}))
}

func TestRoomForgetsNetworksThatLeft(t *testing.T) {
	game := leducGame(t)
	r := newRoom(4, game)
	for version := range uint64(5) {
		p := network(t, game, "main", version)
		games := 0
		for games < 20 {
			r.step(t.Context(), func() (assignment, bool) {
				return assignment{seed: version, seats: []*player.Player{p, p}, finish: func(*episode) { games++ }}, games < 20
			})
		}
	}
	for r.playing() > 0 {
		r.step(t.Context(), func() (assignment, bool) { return assignment{}, false })
	}
	require.Empty(t, r.groups)
}

func TestStepAllocatesNothing(t *testing.T) {
	game := leducGame(t)
	r := newRoom(32, game)
	seats := []*player.Player{network(t, game, "main", 1, 8), network(t, game, "main@1", 2, 8)}
	done := func(*episode) {}
	seed := uint64(0)
	next := func() (assignment, bool) {
		seed++
		return assignment{seed: seed, seats: seats, finish: done}, true
	}
	for range 200 {
		r.step(t.Context(), next)
	}
	require.Zero(t, testing.AllocsPerRun(200, func() { r.step(t.Context(), next) }))
}

func TestBatchPassesTheDoor(t *testing.T) {
	game := leducGame(t)
	seats := []*player.Player{network(t, game, "main", 1), randomPlayer()}
	hash := engine.RulesHash(game)
	e := newExperience(nil, nil, nil, "run", "actor-1", "main", game)
	r := newRoom(8, game)
	number := uint64(0)
	for len(e.batch.Episodes) < 50 {
		r.step(t.Context(), func() (assignment, bool) {
			n := number
			number++
			seed := engine.GameSeed(9, messages.TrainPurpose("actor-1"), n)
			return assignment{seed: seed, seats: seats, finish: func(g *episode) { e.add(n, 0, g) }}, true
		})
	}
	data, err := messages.Encode(e.batch)
	require.NoError(t, err)
	var got messages.Experience
	require.NoError(t, messages.Decode(data, &got))
	require.Equal(t, hash[:], got.RulesHash)
	v := messages.NewVerifier(game, "run", 9)
	require.NoError(t, v.Header(&got))
	learning := 0
	for i := range got.Episodes {
		r := v.Episode(&got, i)
		for r.Next() {
			if r.Agent.GetLearning() { // chance is no agent
				learning++
				require.LessOrEqual(t, r.LogProb, float32(0))
			}
		}
		require.NoError(t, r.Err())
	}
	require.Positive(t, learning)
}

// Two players with one network of action values: the one that trains explores and
// says so truthfully, the other plays greedily.
func TestOnlyTrainingExplores(t *testing.T) {
	game := leducGame(t)
	layout, err := nn.NewLayout(nn.Description{Dense: []int{8}, Dueling: true}, game.Spec())
	require.NoError(t, err)
	net, err := nn.NewNetwork(layout, layout.Init(1))
	require.NoError(t, err)
	seats := []*player.Player{
		{Name: "main", Version: 1, Learning: true, Network: net, Exploration: 0.5},
		{Name: "main@1", Network: net},
	}
	r, games := newRoom(4, game), 0
	explored, greedy := 0, 0
	for games < 200 {
		r.step(t.Context(), func() (assignment, bool) {
			return assignment{seed: engine.GameSeed(1, "test", uint64(games)), seats: seats, finish: func(g *episode) {
				games++
				requireGreedy(t, game, g.history, net)
				for i := range len(g.logProbs) / 4 {
					// With two or three legal actions: ε/n, or 1 − ε + ε/n.
					if p := math.Exp(float64(messages.FloatAt(g.logProbs, i))); p < 0.3 {
						explored++
						require.True(t, near(p, 0.5/2) || near(p, 0.5/3), p)
					} else {
						greedy++
						require.True(t, near(p, 0.5+0.5/2) || near(p, 0.5+0.5/3), p)
					}
				}
			}}, true
		})
	}
	require.InDelta(t, 0.3, float64(explored)/float64(explored+greedy), 0.1)
}

// requireGreedy replays a game in which seat 1 played greedily with the network.
func requireGreedy(t *testing.T, game engine.Game, history []byte, net *nn.Network) {
	s, p := game.NewState(), nn.NewPolicy(net, policy.Sampled)
	for _, step := range history {
		if s.Player() == 1 {
			require.Equal(t, p.Choose(s, s.LegalActions(nil), engine.NewRNG(1, 0)), int(step))
		}
		require.NoError(t, s.Apply(int(step)))
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// Tables change between games; what is played in a game stays what its seed says.
func TestTablesPlayGamesOfStages(t *testing.T) {
	own, err := standard.Games.New("tysiac", []byte("{game: {max_hands: 1}}"))
	require.NoError(t, err)
	hand, err := standard.Games.New("tysiac-hand", nil)
	require.NoError(t, err)
	kinds := []engine.Game{own, hand}
	seats := []*player.Player{network(t, own, "main", 1), network(t, own, "main@1", 2)}
	seed := func(n int) uint64 { return engine.GameSeed(1, "test", uint64(n)) }
	alone := make([]map[uint64]string, 2)
	for stage, game := range kinds {
		for n := stage; n < 60; n += 2 {
			if alone[stage] == nil {
				alone[stage] = map[uint64]string{}
			}
			for s, played := range playAll(game, 1, []uint64{seed(n)}, seats) {
				alone[stage][s] = played
			}
		}
	}
	r, started, finished := newRoom(7, own, hand), 0, 0
	for finished < 60 {
		r.step(t.Context(), func() (assignment, bool) {
			if started == 60 {
				return assignment{}, false
			}
			stage := started % 2
			started++
			return assignment{seed: seed(started - 1), stage: stage, seats: seats, finish: func(g *episode) {
				require.Equal(t, alone[stage][g.seed], fmt.Sprint(g.history, g.logProbs, g.returns, g.decisions))
				finished++
			}}, true
		})
	}
}

func TestPolicyOfAPlayer(t *testing.T) {
	game := leducGame(t)
	net := network(t, game, "main", 1)
	_, ok := net.Policy().(policy.Stochastic)
	require.True(t, ok, "a network says its probabilities")
	require.NotSame(t, net.Policy(), net.Policy(), "each belongs to one goroutine")
	require.Equal(t, policy.Random{}, randomPlayer().Policy())
}
