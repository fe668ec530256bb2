package cluster

import (
	"bytes"
	"context"
	"time"

	"croupier/advice"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/messages"
	"croupier/web"
)

// webBudget is the time after which an answer for the page rests on the games that were played, and
// a review ends with the games that were judged; both then say so.
const webBudget = 12 * time.Second

// webAdvisor gives advice on pages: about the game of a run under its rules, with its versions, and
// about games under rules that the page sends.
type webAdvisor struct {
	runs   Runs
	budget time.Duration // of one question, see webBudget
	agents resolvers
}

var _ web.Advisor = (*webAdvisor)(nil)

// advicePage is the page on which the advisor is asked.
func advicePage(_ context.Context, h *Globals) web.Page {
	return web.AdvicePage(h.advisor(), h.Log)
}

// advisor returns the advisor of the global pages.
func (h *Globals) advisor() *webAdvisor {
	return &webAdvisor{runs: h.Runs, budget: webBudget, agents: resolvers{games: h.Catalog}}
}

// choose returns the agent to ask. The page must not read files of this machine.
func (a *webAdvisor) choose(ctx context.Context, run *View, game engine.Game, name string) (advice.Agent, error) {
	if run == nil {
		var err error
		if run, err = a.runs.Newest(ctx, game); err != nil {
			return advice.Agent{}, err
		}
	}
	var ladder *messages.Ladder
	if run != nil && engine.RulesHash(game) == engine.RulesHash(run.Game) {
		var err error
		if ladder, err = run.Ladder(ctx); err != nil {
			return advice.Agent{}, err
		}
	}
	return advice.Choose(ctx, a.agents.of(run, game), name, ladder)
}

// Games implements web.Advisor.
func (a *webAdvisor) Games(ctx context.Context, runID string) (list []web.AdvisedGame, err error) {
	run, err := a.runs.Find(ctx, runID)
	if err != nil {
		return nil, err
	}
	for _, entry := range a.agents.games.Games() {
		game, err := a.agents.game(run, entry.Name, "")
		if err != nil {
			continue
		}
		list = append(list, web.AdvisedGame{
			Name: entry.Name, Rules: game.Rules(), Example: engine.ExampleOf(game),
			Agents: advice.Advisers(a.agents.of(run, game)),
		})
	}
	return list, nil
}

// Advise implements web.Advisor.
func (a *webAdvisor) Advise(
	ctx context.Context, runID, name, rules, agentName string, position []byte,
) (*advice.Answer, error) {
	q, agent, err := a.question(ctx, runID, name, rules, agentName, position)
	if err != nil {
		return nil, err
	}
	return advice.Advise(ctx, q, agent, a.limits())
}

// Think implements web.Advisor.
func (a *webAdvisor) Think(
	ctx context.Context, runID, name, rules, agentName string, position []byte,
) (*advice.Thoughts, error) {
	q, agent, err := a.question(ctx, runID, name, rules, agentName, position)
	if err != nil {
		return nil, err
	}
	return advice.Think(ctx, q, agent, a.limits())
}

// limits are those of one question.
func (a *webAdvisor) limits() advice.Options {
	o := advice.DefaultOptions()
	o.Budget = a.budget
	return o
}

// question reads a position, and finds the agent to ask.
func (a *webAdvisor) question(
	ctx context.Context, runID, name, rules, agentName string, position []byte,
) (q advice.Question, agent advice.Agent, err error) {
	run, err := a.runs.Find(ctx, runID)
	if err != nil {
		return q, agent, err
	}
	if q.Game, err = a.agents.game(run, name, rules); err != nil {
		return q, agent, err
	}
	q.State, q.History, q.Notes, err = engine.PositionOf(q.Game, position, engine.NewRNG(1, 0))
	if err != nil {
		return q, agent, err
	}
	agent, err = a.choose(ctx, run, q.Game, agentName)
	return q, agent, err
}

// Review implements web.Advisor.
func (a *webAdvisor) Review(
	ctx context.Context, runID, agentName string, histories []byte, span advice.Span,
) (*advice.Report, error) {
	run, err := a.runs.Find(ctx, runID)
	if err != nil {
		return nil, err
	}
	begin := func(game engine.Game) (*advice.Reviewer, error) {
		agent, err := a.choose(ctx, run, game, agentName)
		reviewer := advice.NewReviewer(game, agent, advice.ReviewOptions())
		reviewer.Span = span
		return reviewer, err
	}
	return advice.ReviewAll(ctx, history.NewReader(bytes.NewReader(histories)), a.agents.games.New, a.budget, begin)
}
