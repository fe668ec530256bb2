package learner

import (
	"fmt"
	"slices"

	"croupier/engine"
)

// Stage is a part of a curriculum: from the end of the stage before until Until, a
// part of the run's length (see [Options.Progress]), training games are those of Game.
type Stage struct {
	Until float64
	Game  engine.Game
}

// Curriculum is a list of stages, simple games before harder ones (Bengio, Louradour,
// Collobert and Weston, "Curriculum Learning", ICML 2009). Stages are numbered from 1;
// after the last, as number 0, the run's own game is trained under its own rules.
// Everything else (arena, ratings, checkpoints, published networks) is always about
// the run's own game.
type Curriculum []Stage

// Validate says which stage cannot prepare for the run's own game: one that ends no
// later than the stage before or after the run, or one whose games do not look the
// same to a network (observation, actions, seats).
func (c Curriculum) Validate(own engine.Game) error {
	before := 0.0
	for i, s := range c {
		if !(s.Until > before && s.Until <= 1) {
			return fmt.Errorf("curriculum: stage %d: until: %v is not above %v and at most 1", i+1, s.Until, before)
		}
		before = s.Until
		if err := sameShape(s.Game.Spec(), own.Spec()); err != nil {
			return fmt.Errorf("curriculum: stage %d: %w", i+1, err)
		}
	}
	return nil
}

// sameShape says what differs between two games for a network.
func sameShape(a, b *engine.Spec) error {
	switch {
	case a.Seats != b.Seats:
		return fmt.Errorf("game: %s has %d seats, %s %d", a.Name, a.Seats, b.Name, b.Seats)
	case a.Actions != b.Actions:
		return fmt.Errorf("game: %s has %d actions, %s %d", a.Name, a.Actions, b.Name, b.Actions)
	case !slices.Equal(a.ActionGroups, b.ActionGroups):
		return fmt.Errorf("game: %s and %s have other groups of actions", a.Name, b.Name)
	case a.ObservationSize != b.ObservationSize:
		return fmt.Errorf("game: an observation of %s has %d values, of %s %d", a.Name, a.ObservationSize, b.Name, b.ObservationSize)
	case !slices.Equal(a.Segments, b.Segments):
		return fmt.Errorf("game: observations of %s and %s have other segments", a.Name, b.Name)
	}
	return nil
}

// at returns the number of the stage after the given part of the run.
func (c Curriculum) at(progress float64) uint32 {
	for i, s := range c {
		if progress < s.Until {
			return uint32(i + 1)
		}
	}
	return 0
}

// games returns the games by the number of the stage.
func (c Curriculum) games(own engine.Game) []engine.Game {
	games := []engine.Game{own}
	for _, s := range c {
		games = append(games, s.Game)
	}
	return games
}

// place is a stage's place in the order of training, from 1; without a curriculum 1
// as well, of 1.
func (c Curriculum) place(stage uint32) int {
	if stage == 0 {
		return len(c) + 1
	}
	return int(stage)
}
