package solve

import (
	"fmt"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/internal/stat"
)

// Step is the unit of points: all points are multiples of it.
const Step = 50

// Scores is the distribution of what a turn scores.
type Scores struct {
	Strich float64
	// Points holds the probability that the turn scores i × Step, by i.
	Points []float64
	// Straights is the expected number of Lange Strassen, and Supers that of the Super Strassen
	// among them.
	Straights, Supers float64
	// Rest is the probability of turns that were not followed to their end.
	Rest float64
}

// negligible is the probability below which turns are not followed further. They could continue
// for ever with ever smaller probability.
const negligible = 1e-16

// ScoresOf computes the distribution for a bot that looks only at the turn and does not
// mix, by following every throw from the first turn of a game through the engine.
func ScoresOf(game engine.Game, bot engine.Bot) (*Scores, error) {
	begin, ok := game.NewState().(*langestrasse.State)
	if !ok {
		return nil, fmt.Errorf("turn scores: the game is %s, not lange-strasse", game.Spec().Name)
	}
	w := &walk{bot: bot, sets: langestrasse.NewTurn().Sets(), after: begin.Clone().(*langestrasse.State)}
	w.add(begin, 1)
	// A move leads to more kept dice, or to more points: this order visits each place
	// after all that lead to it.
	for points := 0; points < len(w.rows); points++ {
		for set := range w.rows[points] {
			if visit := &w.rows[points][set]; visit.state != nil {
				if err := w.roll(visit); err != nil {
					return nil, fmt.Errorf("turn scores: %w", err)
				}
			}
		}
		w.rows[points] = nil
	}
	return &w.scores, nil
}

// walk goes through the positions of a turn.
type walk struct {
	bot    engine.Bot
	sets   int
	rows   [][]visit // by points of finished sets in steps, and by set
	scores Scores
	after  *langestrasse.State // after the step that is looked at
	legal  []int
}

// visit is a chance node with the probability of reaching it.
type visit struct {
	state       *langestrasse.State
	probability float64
}

// add notes that the turn reaches the chance node s with the given probability.
func (w *walk) add(s *langestrasse.State, probability float64) {
	points, set, _ := s.InTurn()
	for len(w.rows) <= points/Step {
		w.rows = append(w.rows, nil)
	}
	row := &w.rows[points/Step]
	if *row == nil {
		*row = make([]visit, w.sets)
	}
	v := &(*row)[set]
	if v.state == nil {
		v.state = s.Clone().(*langestrasse.State)
	}
	v.probability += probability
}

// roll follows every throw at a chance node.
func (w *walk) roll(v *visit) error {
	if v.probability < negligible {
		w.scores.Rest += v.probability
		return nil
	}
	for _, throw := range v.state.Outcomes(nil) {
		p := v.probability * throw.Probability
		w.after.CopyFrom(v.state)
		if err := w.after.Apply(throw.Index); err != nil {
			return err
		}
		if w.over() {
			w.scores.Strich += p
			continue
		}
		w.legal = w.after.LegalActions(w.legal[:0])
		if err := w.move(w.bot.Choose(w.after, w.legal, nil), p); err != nil {
			return err
		}
	}
	return nil
}

// move makes the bot's action, which the turn reaches with probability p.
func (w *walk) move(action int, p float64) error {
	paid := w.after.Money()[0]
	if err := w.after.Apply(action); err != nil {
		return err
	}
	if action == langestrasse.Straight {
		w.scores.Straights += p
		if w.after.Money()[0]-paid > 2*langestrasse.StraightMoney {
			w.scores.Supers += p
		}
	}
	if !w.over() {
		w.add(w.after, p)
		return nil
	}
	i := int(w.after.Standing().Points[0]) / Step
	for len(w.scores.Points) <= i {
		w.scores.Points = append(w.scores.Points, 0)
	}
	w.scores.Points[i] += p
	return nil
}

// over reports whether the turn is over.
func (w *walk) over() bool { return w.after.Standing().Seat != 0 }

// Mean returns the expected points.
func (s *Scores) Mean() (mean float64) {
	for i, p := range s.Points {
		mean += p * float64(i*Step)
	}
	return mean
}

// Deviation returns the standard deviation of the points.
func (s *Scores) Deviation() float64 {
	var points stat.Moments
	points.AddWeighted(0, s.Strich)
	for i, p := range s.Points {
		points.AddWeighted(float64(i*Step), p)
	}
	return points.Deviation()
}

// FirstRoll holds the chances of the special throws of six dice.
type FirstRoll struct {
	Strich       float64 `json:"strich"`
	LangeStrasse float64 `json:"lange_strasse"`
	Talheim      float64 `json:"talheim"`
}

// RollOdds returns the chances of the first roll of a turn.
func RollOdds() (odds FirstRoll) {
	turn := langestrasse.NewTurn()
	for _, throw := range turn.Throws(0) {
		moves := turn.Moves(0, throw.Index)
		if len(moves) == 0 {
			odds.Strich += throw.Probability
			continue
		}
		switch moves[len(moves)-1].Action {
		case langestrasse.Straight:
			odds.LangeStrasse += throw.Probability
		case langestrasse.Talheim:
			odds.Talheim += throw.Probability
		}
	}
	return odds
}
