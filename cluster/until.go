package cluster

import (
	"slices"
	"strings"
	"sync"
	"time"

	"croupier/league"
	"croupier/league/rating"
	"croupier/league/until"
	"croupier/policy"
	"croupier/web"
)

// lookEvery is how many ticks of await lie between two looks at the goals: a second.
const lookEvery = 10

// goals are those that end the training, and what the last look at them has found.
type goals struct {
	watch until.Watch // but await uses it only
	mutex sync.Mutex
	state until.State
}

// parseGoals reads what is to end the training. A length is one of its limits, and an agent that is to be beaten
// is on the run's ladder from then on.
func (c *Cluster) parseGoals() error {
	run := until.Run{
		Spec: c.game.Spec(), Unit: rating.Unit(c.game.Spec()),
		Exact: func() error {
			return c.node.agents().MeasuresExploitability(c.config.Network, c.config.League.CurveNodes)
		},
	}
	for _, text := range c.o.Until {
		goal, length, err := until.Parse(text, run)
		switch {
		case err != nil:
			return invalid("--until %s: %w", text, err)
		case goal == nil && c.o.Length > 0:
			return invalid("--until %s: the length of the training appears twice", text)
		case goal == nil:
			c.o.Length = length
			continue
		}
		for _, g := range c.goals.watch.Goals {
			if g.Kind == goal.Kind && g.Agent == goal.Agent {
				return invalid("--until %s: there is %s as well", text, g)
			}
		}
		if goal.Kind == until.Beats && !slices.Contains(c.references(), goal.Agent) {
			if err := checkReference(c.node.agents(), goal.Agent); err != nil {
				return invalid("--until %s: %w; on the ladder of %s there are %s", text, err, c.config.Game,
					strings.Join(c.references(), ", "))
			}
			c.config.League.References = append(c.config.League.References, goal.Agent)
		}
		c.goals.watch.Goals = append(c.goals.watch.Goals, *goal)
	}
	return nil
}

// look looks at what is known of the run, and reports whether a goal has been reached.
func (c *Cluster) look() bool {
	if len(c.goals.watch.Goals) == 0 {
		return false
	}
	_, trained := c.Trained()
	state := c.goals.watch.Look(strength(c.feed.Snapshot(), policy.Temperature(c.game.Spec().Temperature), trained))
	c.goals.mutex.Lock()
	c.goals.state = state
	c.goals.mutex.Unlock()
	c.feed.Expect(state.Ahead)
	return state.Held != ""
}

// strength is what a snapshot of a run holds for its goals.
func strength(s *web.Snapshot, play policy.Temperature, trained time.Duration) until.Evidence {
	e := until.Evidence{Ladder: s.Ladder, Members: s.Population, Player: play.Of, Seconds: trained.Seconds()}
	if curve, found := s.Find(league.Exploitability); found {
		for _, p := range curve.Points() {
			e.Exploitability = append(e.Exploitability, until.Measured{Seconds: p.Seconds, Value: p.Value})
		}
	}
	return e
}

// expected reports how far off the goals are.
func (c *Cluster) expected() []string {
	c.goals.mutex.Lock()
	defer c.goals.mutex.Unlock()
	return c.goals.state.Ahead
}

// Reached says in a sentence without its full stop which goal has ended the training, and by what; "" if none has.
func (c *Cluster) Reached() string {
	c.goals.mutex.Lock()
	defer c.goals.mutex.Unlock()
	return c.goals.state.Held
}
