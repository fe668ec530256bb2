package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"croupier/play"
)

// hint answers what the moves of the person to move are worth.
func (a *playAPI) hint(r *tableRequest) (any, error) {
	q, err := a.hall.Ask(r.id, r.key)
	if err != nil {
		return nil, err
	}
	return asked(r.ctx, a, q, "", a.advisor.Advise)
}

// thoughts answers what an agent would do in the seat of the person to move: the named one, else the
// first one at the table, else the strongest.
func (a *playAPI) thoughts(r *tableRequest, agent string) (any, error) {
	q, err := a.hall.Ask(r.id, r.key)
	if err != nil {
		return nil, err
	}
	if agent == "" && len(q.Agents) > 0 {
		agent = q.Agents[0]
	}
	return asked(r.ctx, a, q, agent, a.advisor.Think)
}

// asked asks the advisor a question about a position, a few at a time.
func asked[Answer any](
	ctx context.Context, a *playAPI, q *play.Position, agent string,
	question func(ctx context.Context, run, game, rules, agent string, position []byte) (Answer, error),
) (any, error) {
	select {
	case a.questions <- struct{}{}:
		defer func() { <-a.questions }()
	default:
		return nil, &play.Refusal{Kind: play.Full, Text: "too many requests at the moment: try again in a few seconds"}
	}
	rules, err := json.Marshal(q.Game.Rules())
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	answer, err := question(ctx, q.Run, q.Game.Spec().Name, string(rules), agent, q.Document)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &play.Refusal{Kind: play.Full, Text: fmt.Sprintf("no answer within %v", answerTimeout)}
	}
	return answer, err
}

// outlook answers what the game is worth to the seats now.
func (a *playAPI) outlook(w http.ResponseWriter, r *http.Request) {
	outlook, err := a.hall.Outlook(r.Context(), r.PathValue("id"), r.URL.Query().Get("key"))
	if err != nil {
		refuseTable(w, nil, err)
		return
	}
	writeJSON(w, a.log, outlook)
}
