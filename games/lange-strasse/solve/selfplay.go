package solve

import (
	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
)

// explorers play the turns in which self-play deviates from its own strategy, so that it meets
// standings it would avoid.
var explorers = []string{"turn-optimum", "greedy-stop", "threshold(1000)", "threshold(2500)"}

// turnRecord is a turn of a game of self-play.
type turnRecord struct {
	seat          int8
	input         [features]float32
	value, backup money // of the standing, and after backing it up by one turn of best play
	explored      bool
	final         bool // the round is the last: the turn before has the backup for its value
}

// correct returns what to add to the value of each record: the sum, discounted by lambda, of
// what backups added to the values of the turns from it on, up to the first explored or final one.
// With
// lambda 1 and no exploration its expectation is the amount by which the value falls short of
// the money that this strategy wins: payments, values and backups telescope, and dice matter
// only for which standings come up (TD(λ), Sutton and Barto 2018, section 12.2, with exact
// expectations over a turn).
func correct(records []turnRecord, lambda float32) []money {
	corrections := make([]money, len(records))
	var after money
	for i := len(records) - 1; i >= 0; i-- {
		r := &records[i]
		if r.explored {
			after = money{}
		}
		for seat := range after {
			after[seat] = r.backup[seat] - r.value[seat] + lambda*after[seat]
		}
		corrections[i] = after
		if r.final {
			after = money{}
		}
	}
	return corrections
}

// selfPlay plays games with one value function in all seats. It belongs to one goroutine.
type selfPlay struct {
	state     *langestrasse.State
	player    *moneyPlayer
	values    *evaluator
	explorers []engine.Bot
	steps     engine.Play
	// solved stops games where the rest of them is solved.
	solved bool
	exact  *turnSolver // of last rounds, made when it is needed
}

func newSelfPlay(game engine.Game, v *Values) (*selfPlay, error) {
	p := &selfPlay{
		state: game.NewState().(*langestrasse.State), player: newMoneyPlayer(v), values: newEvaluator(v, 1),
	}
	p.player.solver.rough = true
	for _, name := range explorers {
		bot, err := game.Bots().New(name)
		if err != nil {
			return nil, err
		}
		p.explorers = append(p.explorers, bot)
	}
	return p, nil
}

// play plays one game and records its turns, a share of which is explored.
func (p *selfPlay) play(seed uint64, explore float64) ([]turnRecord, error) {
	p.state.Reset()
	return p.goOn(seed, explore, nil)
}

// goOn plays from the beginning of a turn to the end of the game. It passes the state at the
// beginning of each turn to begun, unless that is nil.
func (p *selfPlay) goOn(
	seed uint64, explore float64, begun func(*langestrasse.State),
) (records []turnRecord, err error) {
	dice, choices := engine.NewRNG(seed, engine.ChanceStream), engine.NewRNG(seed, engine.ActionStream)
	for p.state.Player() != engine.Terminal && !(p.solved && p.isFinal()) {
		if begun != nil {
			begun(p.state)
		}
		r := p.look()
		r.explored = choices.Float64() < explore
		records = append(records, r)
		var bot engine.Bot = p.player
		if r.explored {
			bot = p.explorers[choices.IntN(len(p.explorers))]
		}
		if err := p.turn(bot, dice, choices); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// isFinal reports whether the round is the last.
func (p *selfPlay) isFinal() bool {
	standing := p.state.Standing()
	return standing.Final()
}

// look records the turn that begins.
func (p *selfPlay) look() (r turnRecord) {
	standing := p.state.Standing()
	r.seat, r.final = standing.Seat, standing.Final()
	r.backup = p.player.solver.solve(standing, 0).values[0][0].of(r.seat)
	row := p.values.add(&standing)
	copy(r.input[:], p.values.input.Row(row, features))
	p.values.run(r.seat)
	r.value = p.values.result(row)
	return r
}

// turn plays one turn.
func (p *selfPlay) turn(bot engine.Bot, dice, choices *engine.RNG) error {
	p.steps.State, p.steps.Chance = p.state, dice
	p.steps.Choose = func(_ int, legal []int) int { return bot.Choose(p.state, legal, choices) }
	for standing := p.state.Standing(); p.state.Player() != engine.Terminal && p.state.Standing() == standing; {
		if _, err := p.steps.Step(); err != nil {
			return err
		}
	}
	return nil
}
