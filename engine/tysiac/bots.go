package tysiac

import (
	"fmt"

	"croupier/engine"
)

func (g *Game) Bot(name string) (engine.Bot, error) {
	return nil, fmt.Errorf("unknown %s bot %q", g.spec.Name, name)
}

// ReferenceBots names the bots on every ladder.
func (g *Game) ReferenceBots() []string { return nil }
