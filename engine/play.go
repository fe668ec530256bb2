package engine

// Play plays games of one State step by step: it draws what chance does and asks what the seats
// do. Steps do not allocate. A Play belongs to one goroutine.
type Play struct {
	State  State // of the game, reset by the caller before a further one
	Chance *RNG  // the stream of chance
	// Choose returns what the seat to move does: one of the legal actions, a list that
	// is valid until it returns.
	Choose func(seat int, legal []int) int
	legal  []int
}

// Step makes the next step of a game that is not over, and returns it: an action or an outcome.
// The error is that of Apply for what Choose returned.
func (p *Play) Step() (step int, err error) {
	step = p.next(p.State.Player())
	return step, p.State.Apply(step)
}

// ToEnd plays from the present state until the game is over. Its errors are those of [Play.Step].
func (p *Play) ToEnd() error {
	for player := p.State.Player(); player != Terminal; player = p.State.Player() {
		if err := p.State.Apply(p.next(player)); err != nil {
			return err
		}
	}
	return nil
}

// next returns the next step of the player: Chance or a seat.
func (p *Play) next(player int) int {
	if player == Chance {
		return p.State.SampleChance(p.Chance)
	}
	p.legal = p.State.LegalActions(p.legal[:0])
	return p.Choose(player, p.legal)
}

// Playouts plays whole games in which every legal action has the same probability, and returns
// the number of decisions. Chance and actions come from rng. legal is scratch for a list of
// actions. If observation is not nil, it has Spec.ObservationSize values, and each decision is
// first observed into it.
//
// It is a [Play] written out: with choice and observation inlined, random play of the small
// games is up to a quarter faster, and the speed of games is measured with it.
func Playouts(s State, games int, rng *RNG, legal []int, observation []float32) (decisions int, err error) {
	for range games {
		s.Reset()
		for player := s.Player(); player != Terminal; player = s.Player() {
			var step int
			if player == Chance {
				step = s.SampleChance(rng)
			} else {
				decisions++
				if observation != nil {
					s.Observe(player, observation)
				}
				legal = s.LegalActions(legal[:0])
				step = legal[rng.IntN(len(legal))]
			}
			if err := s.Apply(step); err != nil {
				return decisions, err
			}
		}
	}
	return decisions, nil
}
