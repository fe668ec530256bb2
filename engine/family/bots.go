package family

import "croupier/engine"

// Bots returns the bots of the plain game. Each sits at the table of the game that it is asked about.
func (g *Game) Bots() *engine.Bots { return g.bots }

// seatBots makes the bots of the plain game those of the family.
func (g *Game) seatBots() *engine.Bots {
	plain := g.Default().Bots()
	bots := &engine.Bots{Game: plain.Game, References: plain.References}
	for i, named := range plain.Table {
		named.New = func(numbers []float64) (engine.Bot, error) { return g.seatBot(i, numbers) }
		bots.Table = append(bots.Table, named)
	}
	return bots
}

// seatBot makes a bot of the list for each table.
func (g *Game) seatBot(named int, numbers []float64) (engine.Bot, error) {
	seated := make([]engine.Bot, len(g.tables))
	isMixed := true
	for i := range g.tables {
		bot, err := g.tables[i].game.Bots().Table[named].New(numbers)
		if err != nil {
			return nil, err
		}
		if _, is := bot.(mixture); !is {
			isMixed = false
		}
		seated[i] = bot
	}
	if isMixed {
		return mixed{bot{seated}}, nil
	}
	return bot{seated}, nil
}

// bot plays at the table of the state.
type bot struct{ byTable []engine.Bot }

// Choose implements [engine.Bot].
func (b bot) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	at := s.(*State)
	return b.byTable[at.first].Choose(at.inner, legal, rng)
}

// mixture is a bot that gives the probability of each legal action.
type mixture interface {
	engine.Bot
	Distribution(s engine.State, legal []int, dst []float64)
}

type mixed struct{ bot }

func (b mixed) Distribution(s engine.State, legal []int, dst []float64) {
	at := s.(*State)
	b.byTable[at.first].(mixture).Distribution(at.inner, legal, dst)
}

var _ engine.Shaper = (*Game)(nil)

// Shapings implements [engine.Shaper]: the terms are those of the plain game, if it has any.
func (g *Game) Shapings() []engine.Shaping {
	if shaper, has := g.Default().(engine.Shaper); has {
		return shaper.Shapings()
	}
	return nil
}

// Shape implements [engine.Shaper].
func (g *Game) Shape(s engine.State, action int, buf []engine.Shaped) []engine.Shaped {
	at := s.(*State)
	return g.tables[at.first].game.(engine.Shaper).Shape(at.inner, action, buf)
}
