package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"croupier/advice"
	"croupier/agents"
	"croupier/engine"
	"croupier/engine/games"
	"croupier/engine/history"
	"croupier/internal/strict"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/web"
)

// webBudget is the time after which an answer for the page rests on the games that were played, and
// a review ends with the games that were judged; both then say so.
const webBudget = 12 * time.Second

// webAdvisor gives advice on the page of a run: about the run's game under its rules, with
// its versions, and about games under rules that the page sends.
type webAdvisor struct {
	site   *site
	budget time.Duration // of one question, see webBudget

	mutex sync.Mutex
	known map[[8]byte]*agents.Agents // by engine.RulesHash; each keeps its solutions
}

var _ web.Advisor = (*webAdvisor)(nil)

// maxAdvisedRules bounds the number of games with rules whose solutions are kept.
const maxAdvisedRules = 32

// game returns a game under a rules document; an empty document means the run's rules for
// the run's game, and the default rules for others.
func (a *webAdvisor) game(name, rules string) (engine.Game, error) {
	if rules == "" && name == a.site.game.Spec().Name {
		return a.site.game, nil
	}
	return games.New(name, strict.YAML(rules))
}

// resolver returns the agents of a game.
func (a *webAdvisor) resolver(game engine.Game) *agents.Agents {
	hash := engine.RulesHash(game)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if known := a.known[hash]; known != nil {
		return known
	}
	if a.known == nil || len(a.known) == maxAdvisedRules {
		a.known = map[[8]byte]*agents.Agents{}
	}
	a.known[hash] = agents.New(game, agents.Sources{Frozen: agents.FromBus(a.site.bus)})
	return a.known[hash]
}

// choose returns the agent to ask. The page must not read files of this machine.
func (a *webAdvisor) choose(ctx context.Context, game engine.Game, name string) (advice.Agent, error) {
	ladder, err := a.ladder(ctx, game)
	if err != nil {
		return advice.Agent{}, err
	}
	return advice.Choose(ctx, a.resolver(game), name, ladder)
}

// ladder returns the run's ladder if the game is the run's, nil if there is none yet. It comes
// from the bus, because its file may be on another machine.
func (a *webAdvisor) ladder(ctx context.Context, game engine.Game) (*messages.Ladder, error) {
	if engine.RulesHash(game) != engine.RulesHash(a.site.game) {
		return nil, nil
	}
	entry, err := a.site.bus.State().Get(ctx, messages.LadderKey)
	if errors.Is(err, bus.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ladder: %w", err)
	}
	ladder, err := messages.ParseLadder(entry.Value)
	if err != nil {
		return nil, fmt.Errorf("read the ladder: %w", err)
	}
	return ladder, nil
}

// Games implements web.Advisor.
func (a *webAdvisor) Games() (list []web.AdvisedGame) {
	for _, entry := range games.All {
		game, err := a.game(entry.Name, "")
		if err != nil {
			continue
		}
		if g, ok := game.(engine.Positioned); ok {
			list = append(list, web.AdvisedGame{
				Name: entry.Name, Example: g.ExamplePosition(), Agents: advice.Advisers(game),
			})
		}
	}
	return list
}

// Advise implements web.Advisor.
func (a *webAdvisor) Advise(
	ctx context.Context, name, rules, agentName string, position []byte,
) (*advice.Answer, error) {
	game, err := a.game(name, rules)
	if err != nil {
		return nil, err
	}
	written, err := advice.Positioned(game)
	if err != nil {
		return nil, err
	}
	state, notes, err := written.ParsePosition(position, engine.NewRNG(1, 0))
	if err != nil {
		return nil, err
	}
	agent, err := a.choose(ctx, game, agentName)
	if err != nil {
		return nil, err
	}
	q := advice.Question{Game: game, State: state, Notes: notes}
	limits := advice.DefaultOptions()
	limits.Budget = a.budget
	return advice.Advise(ctx, q, agent, limits)
}

// Review implements web.Advisor.
func (a *webAdvisor) Review(ctx context.Context, agentName string, histories []byte) (*advice.Report, error) {
	begin := func(game engine.Game) (*advice.Reviewer, error) {
		agent, err := a.choose(ctx, game, agentName)
		return advice.NewReviewer(game, agent, advice.ReviewOptions()), err
	}
	return advice.ReviewAll(ctx, history.NewReader(bytes.NewReader(histories)), games.New, a.budget, begin)
}
