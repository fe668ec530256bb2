package train

import (
	"fmt"
	"slices"

	"croupier/engine"
	"croupier/internal/strict"
)

// Stage is a part of a curriculum: training games are those of Game from the end of the
// previous stage until Until, a fraction of the run's length.
type Stage struct {
	Until float64     // 0..1
	Game  engine.Game // simpler than the run's own, with the same seats, actions and observation
}

// Curriculum is a list of stages, easier games before harder ones (Bengio, Louradour,
// Collobert and Weston, "Curriculum Learning", ICML 2009). Stages are numbered from 1;
// after the last one comes number 0, training on the run's own game under its own rules.
// Everything else (arena, ratings, checkpoints, published networks) always concerns the
// run's own game.
type Curriculum []Stage

// Validate reports which stage cannot prepare for the run's own game: one that does not end
// after the stage before it and within the run, or one whose games look different to a
// network (observation, actions, seats).
func (c Curriculum) Validate(own engine.Game) error {
	before := 0.0
	for i, s := range c {
		stage := strict.Element("curriculum", i)
		if !(s.Until > before && s.Until <= 1) {
			return strict.Errorf(stage+".until", "%v is not above %v and at most 1", s.Until, before)
		}
		before = s.Until
		if err := sameShape(s.Game.Spec(), own.Spec()); err != nil {
			return strict.Under(stage+".game", err)
		}
	}
	return nil
}

// sameShape reports what a network would find different between two games.
func sameShape(a, b *engine.Spec) error {
	switch {
	case a.Seats != b.Seats:
		return fmt.Errorf("%s has %d seats, %s %d", a.Name, a.Seats, b.Name, b.Seats)
	case a.Actions != b.Actions:
		return fmt.Errorf("%s has %d actions, %s %d", a.Name, a.Actions, b.Name, b.Actions)
	case !slices.Equal(a.ActionGroups, b.ActionGroups):
		return fmt.Errorf("%s and %s have different groups of actions", a.Name, b.Name)
	case a.ObservationSize != b.ObservationSize:
		return fmt.Errorf("an observation of %s has %d values, of %s %d",
			a.Name, a.ObservationSize, b.Name, b.ObservationSize)
	case !slices.Equal(a.Segments, b.Segments):
		return fmt.Errorf("observations of %s and %s have different segments", a.Name, b.Name)
	}
	return nil
}

// At returns the number of the stage at the given part of the run, 0..1.
func (c Curriculum) At(progress float64) uint32 {
	for i, s := range c {
		if progress < s.Until {
			return uint32(i + 1)
		}
	}
	return 0
}

// Games returns the games by stage number.
func (c Curriculum) Games(own engine.Game) []engine.Game {
	games := []engine.Game{own}
	for _, s := range c {
		games = append(games, s.Game)
	}
	return games
}

// Place returns a stage's position in training, from 1; without a curriculum it is 1.
func (c Curriculum) Place(stage uint32) int {
	if stage == 0 {
		return len(c) + 1
	}
	return int(stage)
}
