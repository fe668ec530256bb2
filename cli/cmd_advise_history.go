package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"croupier/advice"
	"croupier/engine"
	"croupier/play"
)

// afterSteps returns the question about the position after the steps of a list, which are separated by commas.
func afterSteps(game engine.Game, list string) (q advice.Question, err error) {
	q = advice.Question{Game: game, State: game.NewState(), History: []int{}}
	list = strings.TrimSpace(list)
	if inside, ok := strings.CutPrefix(list, "["); ok { // as a history is written in JSON
		list = strings.TrimSuffix(inside, "]")
	}
	for i, text := range strings.Split(list, ",") {
		if text = strings.TrimSpace(text); text == "" && strings.TrimSpace(list) == "" {
			break // the beginning
		}
		step, err := stepOf(q.State, text)
		if err == nil {
			err = q.State.Apply(step)
		}
		if err != nil {
			return q, fmt.Errorf("step %d: %w", i, err)
		}
		q.History = append(q.History, step)
	}
	switch q.State.Player() {
	case engine.Terminal:
		return q, errors.New("the game is over then")
	case engine.Chance:
		return q, errors.New("chance is to move then: there is nothing to decide")
	}
	return q, nil
}

// stepOf returns the possible step of a number, else of a name.
func stepOf(s engine.State, text string) (int, error) {
	var choices []play.Choice
	var names []string
	add := func(step int, name string) {
		choices, names = append(choices, play.Choice{Action: step, Name: name}), append(names, name)
	}
	for _, action := range s.LegalActions(nil) {
		add(action, s.ActionName(action))
	}
	for _, o := range s.Outcomes(nil) {
		add(o.Index, s.OutcomeName(o.Index))
	}
	if number, err := strconv.Atoi(text); err == nil {
		return number, nil
	}
	read := play.Typed
	if s.Player() == engine.Chance {
		read = play.Entered
	}
	step, err := read(text, choices)
	if err != nil {
		return 0, fmt.Errorf("%q: %w; possible are %s", text, err, engine.ListNames(names))
	}
	return step, nil
}
