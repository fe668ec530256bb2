package play

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"croupier/engine"
)

// plain turns typed words and names into one form: lower case, letters for suits, spaces between dice and parts.
var plain = strings.NewReplacer("♠", "s", "♣", "c", "♦", "d", "♥", "h", "ą", "a", "-", " ", ",", " ").Replace

func normal(text string) string {
	return strings.Join(strings.Fields(plain(strings.ToLower(text))), " ")
}

// Typed returns the choice that a person means: its name, its number in the list from 1, the part of one name alone
// before its comma, as "keep 5 5 5" for "keep 5-5-5, roll", the beginning of one name alone, or, as "10h" for
// "play 10♥", the end of one name alone.
func Typed(text string, choices []Choice) (int, error) {
	text = normal(text)
	if n, err := strconv.Atoi(text); err == nil && !isName(choices, text) {
		if n < 1 || n > len(choices) {
			return 0, fmt.Errorf("%d is not in 1..%d", n, len(choices))
		}
		return choices[n-1].Action, nil
	}
	for _, matches := range []func(name string) bool{
		func(name string) bool { return normal(name) == text },
		func(name string) bool { part, _, _ := strings.Cut(name, ","); return normal(part) == text },
		func(name string) bool { return strings.HasPrefix(normal(name), text) },
		func(name string) bool { return strings.HasSuffix(normal(name), " "+text) },
	} {
		var found []Choice
		for _, c := range choices {
			if matches(c.Name) {
				found = append(found, c)
			}
		}
		switch {
		case len(found) == 1:
			return found[0].Action, nil
		case len(found) > 1:
			return 0, fmt.Errorf("%q can be %s", text, names(found))
		}
	}
	return 0, errUnknown
}

// errUnknown reports that no choice is meant.
var errUnknown = errors.New("that is not a move here")

func isName(choices []Choice, text string) bool {
	return slices.ContainsFunc(choices, func(c Choice) bool { return normal(c.Name) == text })
}

// names lists choices for people, not too many.
func names(choices []Choice) string {
	var list []string
	for _, c := range choices {
		list = append(list, c.Name)
	}
	if most := 8; len(list) > most {
		list = append(list[:most], fmt.Sprintf("and %d more", len(choices)-most))
	}
	return engine.ListNames(list)
}

// illegal returns the rule that forbids what a person has typed, "" if it names no action of the
// game at all.
func illegal(s engine.State, actions int, text string) string {
	text = normal(text)
	reason := ""
	for action := range actions {
		name := normal(s.ActionName(action))
		if name != text && !strings.HasSuffix(name, " "+text) {
			continue
		}
		var refused *engine.IllegalError
		if err := s.Clone().Apply(action); errors.As(err, &refused) {
			reason = refused.Reason
		}
		if name == text {
			break
		}
	}
	return reason
}
