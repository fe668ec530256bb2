package audit

import (
	"crypto/sha256"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/leduc"
	"croupier/messages"
	"croupier/messages/conduct"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
)

const (
	runID   = "evening"
	runSeed = 7
)

// table plays training games as an actor does, with whatever its owner makes of them.
type table struct {
	t       testing.TB
	game    engine.Game
	player  *player.Player
	worker  string
	number  uint64
	choices uint64 // the stream of the seats' choices begins here
	bias    float32
}

func newGame(t testing.TB) engine.Game {
	g, err := leduc.New(nil)
	require.NoError(t, err)
	return g
}

// newPlayer makes a version of the learning agent from a seed.
func newPlayer(t testing.TB, game engine.Game, version, seed uint64, d nn.Description) (*player.Player, []byte) {
	layout, err := nn.NewLayout(d, game.Spec())
	require.NoError(t, err)
	weights := layout.Init(seed)
	for i := range weights { // far from the uniform policy that networks begin with
		weights[i] *= 12
	}
	n, err := nn.NewNetwork(layout, weights)
	require.NoError(t, err)
	file, err := nn.NewFile(n, game, nil)
	require.NoError(t, err)
	data, err := file.Encode()
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	return &player.Player{
		Name: "main", Version: version, Learning: true, SHA256: sum[:], Network: n, Temperature: policy.Sampled,
	}, data
}

// play plays a game of self-play.
func (p *table) play() *messages.Episode {
	spec, s := p.game.Spec(), p.game.NewState()
	seed := engine.GameSeed(runSeed, messages.TrainPurpose(p.worker), p.number)
	ep := &messages.Episode{Number: p.number, Seed: seed, Seats: make([]byte, spec.Seats)}
	p.number++
	chance, choices := engine.NewRNG(seed, engine.ChanceStream), make([]*engine.RNG, spec.Seats)
	e := p.player.Network.NewEvaluator(1, spec.Seats)
	for i := range choices {
		choices[i] = engine.NewRNG(seed, engine.ActionStream+uint64(i)+p.choices)
		e.ResetSlot(i)
	}
	recurrent := p.player.Network.Layout.StateSize > 0
	play := engine.Play{State: s, Chance: chance, Choose: func(seat int, legal []int) int {
		action, logProb := legal[0], float32(0)
		if len(legal) > 1 || recurrent {
			s.Observe(seat, e.Observation(0))
			e.SetLegal(0, legal)
			e.SetSlot(0, seat)
			e.Forward(1)
			action, logProb = e.Sample(0, choices[seat])
			logProb = min(logProb+p.bias, 0)
		}
		ep.LogProbs = messages.AppendFloat(ep.LogProbs, logProb)
		return action
	}}
	for s.Player() != engine.Terminal {
		step, err := play.Step()
		require.NoError(p.t, err)
		ep.History = messages.AppendStep(ep.History, messages.HistoryWidth(spec), step)
	}
	returns := make([]float64, spec.Seats)
	s.Returns(returns)
	for _, r := range returns {
		ep.Returns = messages.AppendFloat(ep.Returns, float32(r))
	}
	return ep
}

// batch plays a batch of games.
func (p *table) batch(games int) *messages.Experience {
	hash := engine.RulesHash(p.game)
	x := &messages.Experience{
		Schema: messages.SchemaVersion, Run: runID, Actor: p.worker, Sequence: 1, RulesHash: hash[:],
		Agents: []*messages.Agent{{Name: "main", Version: p.player.Version, Learning: true, Sha256: p.player.SHA256}},
	}
	for range games {
		x.Episodes = append(x.Episodes, p.play())
	}
	v := messages.NewVerifier(p.game, runID, runSeed)
	for i := range x.Episodes {
		require.NoError(p.t, v.Episode(x, i).Rest(), "it passes the learner's door")
	}
	return x
}

var kinds = map[string]nn.Description{
	"dense": {Dense: []int{16}}, "recurrent": {Dense: []int{16}, LSTM: []int{8}},
}

func both(players ...*player.Player) ([]*player.Player, []bool) {
	return []*player.Player{players[0], players[0]}, []bool{true, true}
}

func TestHonestGamesComeOutBitForBit(t *testing.T) {
	for name, d := range kinds {
		t.Run(name, func(t *testing.T) {
			game := newGame(t)
			p, _ := newPlayer(t, game, 3, 1, d)
			honest := &table{t: t, game: game, player: p, worker: "lab-1-0"}
			r := NewReplayer(game)
			players, learning := both(p)
			for _, ep := range honest.batch(300).Episodes {
				outcome, err := r.Game(ep, players, learning)
				require.NoError(t, err)
				require.Equal(t, Exact, outcome)
			}
		})
	}
}

// TestOtherKernelsAreWithinRounding moves the weights by about a rounding error.
func TestOtherKernelsAreWithinRounding(t *testing.T) {
	game := newGame(t)
	p, _ := newPlayer(t, game, 3, 1, kinds["dense"])
	moved := *p
	weights := make([]float32, len(p.Network.Weights))
	for i, w := range p.Network.Weights {
		weights[i] = w * (1 + float32(i%3-1)*3e-6)
	}
	var err error
	moved.Network, err = nn.NewNetwork(p.Network.Layout, weights)
	require.NoError(t, err)
	far := &table{t: t, game: game, player: &moved, worker: "lab-1-0"}
	r, rounded := NewReplayer(game), 0
	players, learning := both(p)
	for _, ep := range far.batch(2000).Episodes {
		outcome, err := r.Game(ep, players, learning)
		require.NoError(t, err)
		if outcome == Rounded {
			rounded++
		}
	}
	require.Greater(t, rounded, 1000)
}

// hostile are ways to send games that pass the learner's door. share is the least share of
// such games that a replay has to find out.
var hostile = map[string]struct {
	spoil func(t *testing.T, p *table)
	share float64
}{
	"another policy under these weights' name": {func(t *testing.T, p *table) { p.player = other(t, p, 99) }, 0.99},
	"an older network under the newest one's name": {func(t *testing.T, p *table) {
		o := other(t, p, 1) // the same, a step of training before
		weights := append([]float32(nil), o.Network.Weights...)
		for i := range weights {
			weights[i] *= 0.98
		}
		var err error
		o.Network, err = nn.NewNetwork(o.Network.Layout, weights)
		require.NoError(t, err)
		p.player = o
	}, 0.2},
	"choices of another stream": {func(_ *testing.T, p *table) { p.choices = 1000 }, 0.3},
	"biased log-probabilities":  {func(_ *testing.T, p *table) { p.bias = -0.05 }, 0.99},
}

func other(t *testing.T, p *table, seed uint64) *player.Player {
	o, _ := newPlayer(t, p.game, p.player.Version, seed, kinds["dense"])
	o.SHA256 = p.player.SHA256
	return o
}

func TestInventedGamesDoNotComeOut(t *testing.T) {
	for name, h := range hostile {
		t.Run(name, func(t *testing.T) {
			game := newGame(t)
			p, _ := newPlayer(t, game, 3, 1, kinds["dense"])
			liar := &table{t: t, game: game, player: p, worker: "lab-1-0"}
			h.spoil(t, liar)
			r, found := NewReplayer(game), 0
			players, learning := both(p)
			for _, ep := range liar.batch(500).Episodes {
				if _, err := r.Game(ep, players, learning); err != nil {
					require.Equal(t, string(messages.ReasonReplay), conduct.ReasonOf(err))
					found++
				}
			}
			t.Logf("%d of 500 games are found out", found)
			require.GreaterOrEqual(t, float64(found), h.share*500)
		})
	}
}

// TestBotsAreReplayed says of a seat that a bot played it.
func TestBotsAreReplayed(t *testing.T) {
	game := newGame(t)
	p, _ := newPlayer(t, game, 3, 1, kinds["dense"])
	bot := &player.Player{Name: "first", NewPolicy: func() policy.Policy { return first{} }}
	r, wrong := NewReplayer(game), 0
	for _, ep := range (&table{t: t, game: game, player: p, worker: "lab-1-0"}).batch(50).Episodes {
		if _, err := r.Game(ep, []*player.Player{p, bot}, []bool{true, true}); err != nil {
			wrong++
		}
	}
	require.Greater(t, wrong, 25, "seat 1 was played by the network")
}

type first struct{}

func (first) Reset()                                                {}
func (first) Choose(_ engine.State, legal []int, _ *engine.RNG) int { return legal[0] }

// TestHowSoonAnInventorIsCaught simulates the formula of docs/explain/trust.md: of an actor of whose
// games the share f is invented and the share a is audited, n games are found out with
// probability 1 - (1 - a·f·d)^n, where d is the probability that an invented game does not come out.
func TestHowSoonAnInventorIsCaught(t *testing.T) {
	game := newGame(t)
	p, _ := newPlayer(t, game, 3, 1, kinds["dense"])
	honest := &table{t: t, game: game, player: p, worker: "lab-1-0"}
	liar := *honest
	liar.worker, liar.choices = "lab-2-0", 1000
	r := NewReplayer(game)
	players, learning := both(p)
	wrong := func(ep *messages.Episode) bool { _, err := r.Game(ep, players, learning); return err != nil }
	pool, d := liar.batch(2000).Episodes, 0.0
	for _, ep := range pool {
		if wrong(ep) {
			d += 1 / float64(len(pool))
		}
	}
	const f, a, n, runs = 0.1, 0.02, 1000, 1000
	rng, caught := engine.NewRNG(1, 2), 0
	truth := honest.batch(50).Episodes
	for range runs {
		found := false
		for range n {
			if rng.Float64() >= a {
				continue
			}
			if rng.Float64() < f {
				found = found || wrong(pool[rng.IntN(len(pool))])
			} else {
				require.False(t, wrong(truth[rng.IntN(len(truth))]))
			}
		}
		if found {
			caught++
		}
	}
	want := 1 - math.Pow(1-a*f*d, n)
	t.Logf("d = %.3f, caught %d of %d, formula %.3f", d, caught, runs, want)
	require.InDelta(t, want, float64(caught)/runs, 4*math.Sqrt(want*(1-want)/runs))
}

func BenchmarkReplay(b *testing.B) {

	game := newGame(b)
	p, _ := newPlayer(b, game, 3, 1, nn.Description{Dense: []int{64, 64}})
	ep := (&table{t: b, game: game, player: p, worker: "lab-1-0"}).play()
	r := NewReplayer(game)
	players, learning := both(p)
	for b.Loop() {
		r.Game(ep, players, learning)
	}
}
