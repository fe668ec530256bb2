package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"croupier/agents/external"
	"croupier/internal/strict"
)

// message answers a message of docs/guide/add-an-agent.md. What a message needs is in it, so that games need not be
// known, and any number may be asked about in turns.
func (s *Server) message(w http.ResponseWriter, r *http.Request) {
	data, err := body(w, r)
	if err != nil {
		fail(w, err)
		return
	}
	var of struct {
		Type string `json:"type"`
	}
	if err := strict.Unmarshal(data, &of); err != nil {
		fail(w, &refusal{fmt.Errorf("the message: %w", err)})
		return
	}
	var answer any
	switch of.Type {
	case external.TypeHello:
		answer, err = s.greet(data)
	case external.TypeChoose, external.TypeValues:
		answer, err = s.answerQuestion(r, data)
	default: // end and quit, and what later protocols have
		answer = struct{}{}
	}
	if err != nil {
		fail(w, err)
		return
	}
	write(w, http.StatusOK, answer)
}

// greet agrees on the game.
func (s *Server) greet(data []byte) (*external.Hello, error) {
	var g struct {
		external.Greeting
		Rules json.RawMessage `json:"rules"`
	}
	if err := strict.Unmarshal(data, &g); err != nil {
		return nil, &refusal{fmt.Errorf("hello: %w", err)}
	}
	switch name := s.game.Spec().Name; {
	case g.Protocol != external.Protocol:
		return nil, &refusal{fmt.Errorf("hello: protocol %d is not supported, only %d", g.Protocol, external.Protocol)}
	case g.Game != name:
		return nil, &refusal{fmt.Errorf("hello: the agent here plays %s, not %q", name, g.Game)}
	case !s.sameRules(g.Rules):
		return nil, &refusal{fmt.Errorf("hello: the agent here plays %s under other rules", name)}
	}
	return &external.Hello{Protocol: external.Protocol, Name: s.agent, Unit: s.mind.unit()}, nil
}

// sameRules compares rules with the game's own, as JSON.
func (s *Server) sameRules(given json.RawMessage) bool {
	own, err := json.Marshal(s.game.Rules())
	if err != nil {
		panic(fmt.Sprintf("serve: rules do not marshal: %v", err)) // they always do
	}
	var x, y any
	return json.Unmarshal(own, &x) == nil && json.Unmarshal(given, &y) == nil && reflect.DeepEqual(x, y)
}

// answerQuestion decides, or says what the actions are worth.
func (s *Server) answerQuestion(r *http.Request, data []byte) (*external.Answer, error) {
	var q external.Question
	if err := strict.Unmarshal(data, &q); err != nil {
		return nil, &refusal{fmt.Errorf("the question: %w", err)}
	}
	if q.Type == external.TypeValues && s.mind.unit() == "" {
		return nil, &refusal{errors.New("the agent does not know what actions are worth")}
	}
	d, _, err := s.ask(r.Context(), q.Position, q.Seed)
	if err != nil {
		return nil, err
	}
	return &external.Answer{ID: q.ID, Action: d.action, Values: d.values}, nil
}
