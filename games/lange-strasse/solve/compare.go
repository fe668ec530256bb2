package solve

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/internal/stat"
	"croupier/internal/texttable"
	"croupier/policy"
)

// situations classify decisions; the first that applies counts.
var situations = [...]string{
	"somebody has 10,000: the last turns of the game",
	"round 1: a strich is a Totale",
	"no strich so far",
	"round 9 or 10: the fast end",
	"somebody has 8,500 or more",
	"any other",
}

// Difference is how the money player departs from the turn optimum in one situation.
type Difference struct {
	Situation string `json:"situation"`
	Decisions int    `json:"decisions"` // with more than one legal action
	// Different choices by kind: ending the turn where the turn optimum rolls on, the
	// reverse, and keeping other dice.
	Stops int `json:"stops"`
	Rolls int `json:"rolls"`
	Dice  int `json:"other_dice"`
	// Points of the turn given up and units won by a different choice, on average.
	Points float64 `json:"points_given_up"`
	Units  float64 `json:"units_won"`
}

// Different returns the number of different choices.
func (d *Difference) Different() int { return d.Stops + d.Rolls + d.Dice }

// Comparison is what the games of a money player show.
type Comparison struct {
	Differences []Difference `json:"differences"`
	// Room is what a seat that knew the values exactly would win more a game among two money players, in
	// units: at each of its decisions the expectation of the largest gain by another action, given the errors
	// of the differences ([policy.Differencer]). That is right to first order, since the values are those of
	// games in which nobody deviates later. Low counts the most promising other action of each decision alone,
	// High adds up the gains of all others, as if no two were possible at once.
	Room struct {
		Low  stat.Interval `json:"low"`
		High stat.Interval `json:"high"`
	} `json:"room"`
}

// Render writes the comparison for people.
func (c *Comparison) Render(w io.Writer) error {
	if err := renderDifferences(w, c.Differences); err != nil {
		return err
	}
	low, high := c.Room.Low, c.Room.High
	_, err := fmt.Fprintf(w, "A player who knew all values exactly would win %.3f (%.3f .. %.3f) to %.3f (%.3f .. %.3f) units a game from two of it.\n",
		low.Value, low.Low, low.High, high.Value, high.Low, high.High)
	return err
}

func renderDifferences(w io.Writer, differences []Difference) error {
	t := texttable.New(1, 2, 3, 4, 5, 6, 7)
	t.AppendHeader([]any{"situation", "decisions", "different", "stops", "rolls on", "other dice", "points given up",
		"units won"})
	for _, d := range differences {
		share := func(n int) string {
			return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(d.Decisions, 1)))
		}
		t.AppendRow([]any{d.Situation, d.Decisions, share(d.Different()), share(d.Stops), share(d.Rolls), share(d.Dice),
			fmt.Sprintf("%.0f", d.Points), fmt.Sprintf("%.3f", d.Units)})
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

// Compare plays games with the money player in all seats, and compares each decision with the
// turn optimum and with what exact values would choose.
func Compare(
	ctx context.Context, game engine.Game, newPlayer func() policy.Stochastic, games int, seed uint64,
	progress func(done, total int),
) (*Comparison, error) {
	s, ok := game.NewState().(*langestrasse.State)
	player, isMoney := newPlayer().(*moneyPlayer)
	if !ok || !isMoney {
		return nil, fmt.Errorf("comparison: %s has no money player here", game.Spec().Name)
	}
	differences := make([]Difference, len(situations))
	for i, name := range situations {
		differences[i].Situation = name
	}
	var low, high stat.Moments // room of a seat in a game
	var room [2]float64        // of all seats in this game
	play := engine.Play{State: s, Choose: func(_ int, legal []int) int {
		action := player.Choose(s, legal, nil)
		if len(legal) > 1 {
			differences[situation(s.Standing())].count(player, s, action)
			most, sum := player.room(s, legal, slices.Index(legal, action))
			room[0] += most
			room[1] += sum
		}
		return action
	}}
	for i := range games {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("comparison: stopped after %d of %d games", i, games)
		}
		play.Chance = engine.NewRNG(engine.GameSeed(seed, "compare", uint64(i)), engine.ChanceStream)
		s.Reset()
		room = [2]float64{}
		if err := play.ToEnd(); err != nil {
			return nil, fmt.Errorf("comparison: %w", err)
		}
		low.Add(room[0] / seats)
		high.Add(room[1] / seats)
		progress(i+1, games)
	}
	for i := range differences {
		d := &differences[i]
		d.Points /= float64(max(d.Different(), 1))
		d.Units /= float64(max(d.Different(), 1))
	}
	c := &Comparison{Differences: differences}
	c.Room.Low, c.Room.High = low.Interval(), high.Interval()
	return c, nil
}

// room returns what another action than legal[best] is expected to win more where it is the better one: the
// largest such expectation, and the sum over all actions.
func (p *moneyPlayer) room(s *langestrasse.State, legal []int, best int) (most, sum float64) {
	differences := make([]policy.Value, len(legal))
	p.Differences(s, legal, best, differences)
	for i, d := range differences {
		if i == best {
			continue
		}
		gain := expectedGain(d.Mean, (d.High-d.Low)/(2*stat.Z95))
		most = max(most, gain)
		sum += gain
	}
	return most, sum
}

// expectedGain is E max(0, −x) of a normal x.
func expectedGain(mean, deviation float64) float64 {
	if deviation == 0 {
		return max(0, -mean)
	}
	z := mean / deviation
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return deviation*density - mean*math.Erfc(z/math.Sqrt2)/2
}

// situation returns the number of a turn's situation.
func situation(s langestrasse.Standing) int {
	leader := max(s.Points[0], s.Points[1], s.Points[2])
	for i, holds := range [...]bool{
		leader >= target, s.Round == 1, s.Strich>>s.Seat&1 == 0,
		s.Round == fastRounds-1 || s.Round == fastRounds, leader >= 8500,
	} {
		if holds {
			return i
		}
	}
	return len(situations) - 1
}

// count notes the player's choice at a decision.
func (d *Difference) count(player *moneyPlayer, s *langestrasse.State, choice int) {
	points, set, throw := s.InTurn()
	d.Decisions++
	optimum := langestrasse.TurnOptimum()
	other := optimum.Best(points, set, throw)
	if choice == int(other.Action) {
		return
	}
	var mine langestrasse.Move
	units := map[uint8]float32{}
	player.eachMove(s, func(_ int, m langestrasse.Move, c cell) {
		units[m.Action] = c.own
		if int(m.Action) == choice {
			mine = m
		}
	})
	switch {
	case mine.Stops() == other.Stops():
		d.Dice++
	case mine.Stops():
		d.Stops++
	default:
		d.Rolls++
	}
	best, _ := optimum.Value(points, other)
	made, _ := optimum.Value(points, mine)
	d.Points += best - made
	d.Units += float64(units[mine.Action] - units[other.Action])
}
