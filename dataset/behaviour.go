package dataset

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"croupier/agents"
	"croupier/archive"
	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
)

// maxPlayers bounds the agents whose weights are in memory.
const maxPlayers = 32

// behaviour finds the policies that played, of those who still can say what their probabilities were: networks whose
// weights are among the run's frozen versions, and bots that give them.
type behaviour struct {
	agents  *agents.Agents
	members map[string]string // names of frozen versions by the SHA-256 of their files, hex
	players map[archive.Agent]*player.Player
	seated  map[seating]policy.Stochastic
	list    []policy.Stochastic
	unread  string // why weights that are there were not read, the first time
}

// seating is an agent at a seat: each has a policy of its own, which may remember its game.
type seating struct {
	archive.Agent
	seat int
}

func newBehaviour(games *catalog.Catalog, game engine.Game, dir string) *behaviour {
	b := &behaviour{
		agents:  agents.New(game, agents.Sources{Catalog: games, Frozen: agents.FromRun(dir)}),
		members: map[string]string{},
		players: map[archive.Agent]*player.Player{}, seated: map[seating]policy.Stochastic{},
		list: make([]policy.Stochastic, game.Spec().Seats),
	}
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer root.Close()
		var doc []byte
		if doc, err = regular.ReadIn(root, rundir.MembersFile, nn.MaxFileBytes); err == nil {
			list, _ := messages.ParseMembers(doc)
			for _, m := range list.Kept {
				b.members[hex.EncodeToString(m.Sha256)] = m.Name
			}
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a tournament has no versions of its own
		b.unread = err.Error()
	}
	return b
}

// seats returns the policies that give the probabilities of each seat of a game, nil where there is none. The slice is
// used again by the next call.
func (b *behaviour) seats(ctx context.Context, g *archive.Game) []policy.Stochastic {
	for seat, agent := range g.Agents {
		b.list[seat] = b.seat(ctx, seating{agent, seat}, g.Purpose == archive.TrainingPurpose)
	}
	return b.list
}

// seat returns who gives the probabilities of an agent.
func (b *behaviour) seat(ctx context.Context, s seating, training bool) policy.Stochastic {
	name, ok := b.name(s.Agent)
	if !ok {
		return nil
	}
	p, known := b.players[s.Agent]
	if !known {
		if len(b.players) >= maxPlayers {
			clear(b.players)
			clear(b.seated)
		}
		var err error
		if p, err = b.agents.Player(ctx, name); err != nil && b.unread == "" {
			b.unread = fmt.Sprintf("%s: %v", name, err)
		}
		b.players[s.Agent] = p
	}
	if p == nil || training && p.Network != nil && p.Network.Layout.Description.ActionValues() {
		return nil // how much it explored is not kept
	}
	sits, known := b.seated[s]
	if !known {
		sits, _ = p.Policy().(policy.Stochastic)
		b.seated[s] = sits
	}
	return sits
}

// name returns the name by which an agent is found that can give its probabilities: a bot, or the frozen version that
// has its weights, at the temperature at which it played.
func (b *behaviour) name(a archive.Agent) (string, bool) {
	t, _, err := policy.CutTemperature(a.Name)
	if err != nil {
		return "", false
	}
	if member, kept := b.members[a.SHA256]; kept {
		return t.Of(member), true
	}
	return a.Name, a.SHA256 == "" && agents.Kind(a.Name) == "bot"
}
