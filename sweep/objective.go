package sweep

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/strict"
	"croupier/league/tournament"
	"croupier/learner"
	"croupier/messages"
	"croupier/settings"
	"croupier/solver"
)

// What is measured of the last weights of a run.
const (
	Exploitability = "exploitability" // exact, in the game's unit; the smaller, the better
	Rating         = "rating"         // over the one opponent, on the game's scale
	Return         = "return"         // mean return per game alone among copies of each opponent, mean over these
	Exploiter      = "exploiter"      // what a new agent gains that learns against it; the smaller, the better
)

// How the last weights play games.
const (
	Sampled = "sampled" // actions are drawn with the policy's probabilities, as in training
	Best    = "best"    // at the temperature at which the game's networks play best
)

// How a run becomes one number.
const (
	End       = "end"       // what the last weights are worth
	Area      = "area"      // mean height of the curve over processor time: the area under it, per second
	Threshold = "threshold" // processor seconds until the curve is as good as the threshold
)

// Objective reports what is better.
type Objective struct {
	Measure   string   `yaml:"measure"`
	Opponents []string `yaml:"opponents"` // rating: one; return: several
	Play      string   `yaml:"play"`      // how the weights play; by default best against an exploiter, else sampled
	Games     uint64   `yaml:"games"`     // per seating against each opponent or of the exploiter, after the end
	// Budget is the processor time for which an exploiter learns, next to the budget of the run.
	Budget    time.Duration `yaml:"budget"`
	Summary   string        `yaml:"summary"`
	Threshold *float64      `yaml:"threshold"`
	// Curve is the learning curve of the run that area and threshold are taken of, and that is shown.
	Curve string `yaml:"curve"`
}

func defaultObjective() Objective { return Objective{Games: 2000, Summary: End} }

const maxOpponents = 16

// check completes the objective and names what is wrong with it.
func (o *Objective) check(known *agents.Agents) error {
	if o.Curve == "" {
		o.Curve = "rating/newest"
		if o.Measure == Exploitability {
			o.Curve = Exploitability
		}
	}
	if o.Play == "" {
		o.Play = Sampled
		if o.Measure == Exploiter {
			o.Play = Best
		}
	}
	switch {
	case !slices.Contains([]string{Exploitability, Rating, Return, Exploiter}, o.Measure):
		return strict.Errorf("objective.measure", "%q is not %s, %s, %s or %s", o.Measure, Exploitability, Rating, Return,
			Exploiter)
	case !slices.Contains([]string{Sampled, Best}, o.Play):
		return strict.Errorf("objective.play", "%q is not %s or %s", o.Play, Sampled, Best)
	case o.Play == Best && o.Measure == Exploitability:
		return strict.Errorf("objective.play", "%s is that of the policy, %s", Exploitability, Sampled)
	case !slices.Contains([]string{End, Area, Threshold}, o.Summary):
		return strict.Errorf("objective.summary", "%q is not %s, %s or %s", o.Summary, End, Area, Threshold)
	case (o.Threshold != nil) != (o.Summary == Threshold):
		return strict.Errorf("objective.threshold", "belongs to summary: %s", Threshold)
	case o.Measure != Exploiter && o.Budget != 0:
		return strict.Errorf("objective.budget", "belongs to measure: %s", Exploiter)
	case o.Measure == Exploiter && o.Budget < time.Second:
		return strict.Errorf("objective.budget", "%v is not at least 1s of processor time for the exploiter to learn",
			o.Budget)
	case o.Measure == Exploiter && o.Summary != End:
		return strict.Errorf("objective.summary", "an exploiter learns against the last weights only, summary: %s", End)
	case (o.Measure == Exploitability || o.Measure == Exploiter) && len(o.Opponents) > 0:
		return strict.Errorf("objective.opponents", "%s has none", o.Measure)
	case o.Measure == Rating && len(o.Opponents) != 1:
		return strict.Errorf("objective.opponents", "a rating is over one opponent, not %d", len(o.Opponents))
	case o.Measure == Return && (len(o.Opponents) < 1 || len(o.Opponents) > maxOpponents):
		return strict.Errorf("objective.opponents", "there are %d, and must be 1 to %d", len(o.Opponents), maxOpponents)
	case o.Games < 1 || o.Games > 10_000_000:
		return strict.Errorf("objective.games", "%d is not in 1..10000000", o.Games)
	}
	for i, name := range o.Opponents {
		field := strict.Element("objective.opponents", i)
		if slices.Index(o.Opponents, name) != i {
			return strict.Errorf(field, "%s is named twice", name)
		}
		if _, err := known.Player(context.Background(), name); err != nil {
			return strict.Errorf(field, "%v", err)
		}
	}
	return nil
}

// agents finds those that a network meets: files, bots and solutions.
func (f *File) agents() *agents.Agents { return agentsOf(f.games, f.game) }

func agentsOf(games *catalog.Catalog, game engine.Game) *agents.Agents {
	return agents.New(game, agents.Sources{Catalog: games, Files: true})
}

// smaller reports whether a smaller number is better.
func (o *Objective) smaller() bool {
	switch o.Summary {
	case Threshold:
		return true
	case Area:
		return o.falling()
	}
	return o.Measure == Exploitability || o.Measure == Exploiter
}

// falling reports whether the curve falls when it gets better, which depends on what it shows and not on the measure.
func (o *Objective) falling() bool {
	if quantity, _, _ := strings.Cut(o.Curve, "/"); quantity == Exploitability {
		return true // also of one seat
	}
	return slices.ContainsFunc(learner.Series(), func(s messages.Series) bool { return s.Name == o.Curve && s.Smaller })
}

// better reports whether a number is better than another one. NaN, which a failed run has, is the worst.
func (o *Objective) better(a, b float64) bool {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return !math.IsNaN(a)
	case o.smaller():
		return a < b
	}
	return a > b
}

// in words, for people.
func (o *Objective) String() string {
	what := map[string]string{
		Exploitability: "exploitability", Rating: "rating over ", Return: "mean return against ",
		Exploiter: fmt.Sprintf("gain of an exploiter that has learnt for %v of processor time,", o.Budget),
	}[o.Measure]
	for i, name := range o.Opponents {
		if i > 0 {
			what += ", "
		}
		what += name
	}
	switch {
	case o.Play == Sampled && o.Measure == Exploiter:
		what += " against sampled actions,"
	case o.Play == Best && o.Measure != Exploiter:
		what += ", played as the game's networks play best,"
	}
	switch o.Summary {
	case Area:
		return "mean height of the curve " + o.Curve + " over processor time"
	case Threshold:
		return fmt.Sprintf("processor seconds until the curve %s is at %g", o.Curve, *o.Threshold)
	}
	return what + " at the end"
}

// strength is what the weights in a file are worth.
type strength struct {
	value     float64
	opponents map[string]float64 // what they got against each
}

// measure measures the weights in a file, at most that many games at the same time.
func (o *Objective) measure(
	ctx context.Context, config *settings.Config, game engine.Game, data []byte, path string, workers int,
) (strength, error) {
	switch o.Measure {
	case Exploiter:
		gain, err := o.exploit(ctx, config, game, path, workers)
		return strength{value: gain}, err
	case Exploitability:
		exactly, err := agentsOf(config.Catalog(), game).Evaluation(
			config.Network, max(config.League.CurveNodes, solver.MaxNodes))
		if err != nil {
			return strength{}, fmt.Errorf("no exact exploitability: %w", err)
		}
		values, err := exactly(ctx, data)
		return strength{value: values[Exploitability]}, err
	}
	name := o.agent(game, path)
	tournament := agents.Tournament{
		Game: game, Format: tournament.Gauntlet{First: 1}, Games: o.Games, Seed: config.Seed, Workers: 1,
	}
	ladder, _, err := tournament.Play(ctx, agentsOf(config.Catalog(), game), append([]string{name}, o.Opponents...))
	if err != nil {
		return strength{}, err
	}
	if o.Measure == Rating {
		return strength{value: ratingOf(ladder, name) - ratingOf(ladder, o.Opponents[0])}, nil
	}
	s := strength{opponents: map[string]float64{}}
	for _, p := range ladder.Payoff {
		if p.A == name {
			s.opponents[p.B] = p.MeanReturnA
			s.value += p.MeanReturnA / float64(len(o.Opponents))
		}
	}
	return s, nil
}

// agent names the agent that plays games with the weights in a file.
func (o *Objective) agent(game engine.Game, path string) string {
	name := "file:" + path
	if o.Play == Best {
		return agents.DefaultPlay(game.Spec(), name)
	}
	return name
}

func ratingOf(ladder *messages.Ladder, name string) float64 {
	for _, a := range ladder.Agents {
		if a.Name == name {
			return a.Rating
		}
	}
	return math.NaN()
}

// summary makes one number of a run: its curve over processor seconds and what its last weights are worth.
// reached reports whether the threshold was reached, if there is one.
func (o *Objective) summary(curve []Point, end, budget float64) (value float64, reached bool) {
	switch o.Summary {
	case Area:
		return area(curve, budget), true
	case Threshold:
		at := crossing(curve, *o.Threshold, o.falling())
		if math.IsNaN(at) || at > budget {
			return budget, false
		}
		return at, true
	}
	return end, true
}

// Point is a point of a curve: processor seconds, and the value.
type Point [2]float64

// area is the mean height of a curve from 0 to end: between its points it is straight, before the first and
// behind the last level. It is NaN without points.
func area(curve []Point, end float64) float64 {
	if len(curve) == 0 {
		return math.NaN()
	}
	sum, last := 0.0, Point{0, curve[0][1]}
	for _, p := range append(slices.Clone(curve), Point{end, curve[len(curve)-1][1]}) {
		p = Point{min(p[0], end), p[1]}
		sum += max(0, p[0]-last[0]) * (p[1] + last[1]) / 2
		last = p
	}
	return sum / end
}

// crossing is where a curve, straight between its points, first is as good as the level, NaN for nowhere.
func crossing(curve []Point, level float64, falling bool) float64 {
	good := func(v float64) bool { return falling && v <= level || !falling && v >= level }
	for i, p := range curve {
		if !good(p[1]) {
			continue
		}
		if i == 0 {
			return p[0]
		}
		last := curve[i-1]
		return last[0] + (p[0]-last[0])*(level-last[1])/(p[1]-last[1])
	}
	return math.NaN()
}
