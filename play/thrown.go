package play

import (
	"fmt"
	"slices"
	"strings"

	"croupier/engine"
)

// Entered returns the outcome of chance that a person means. Dice are typed as people read them, in any order: "3 4",
// "43", "4,3" and "3-4" are one throw of two. Other outcomes are typed as moves are.
func Entered(text string, outcomes []Choice) (int, error) {
	dice := diceOf(outcomes)
	if dice == 0 {
		return Typed(text, outcomes)
	}
	thrown := faces(text)
	slices.Sort(thrown)
	name := strings.Join(thrown, "-")
	for _, o := range outcomes {
		if o.Name == name {
			return o.Action, nil
		}
	}
	return 0, fmt.Errorf("%q is not %s", strings.TrimSpace(text), throwInWords(outcomes))
}

// diceOf returns how many dice chance throws, if its outcomes are named by their faces in ascending order, as in
// "1-2-2"; 0 where it does something else.
func diceOf(outcomes []Choice) (dice int) {
	for _, o := range outcomes {
		thrown := strings.Split(o.Name, "-")
		if dice > 0 && len(thrown) != dice {
			return 0
		}
		dice = len(thrown)
		for _, face := range thrown {
			if len(face) != 1 || face < "1" || face > "9" {
				return 0
			}
		}
	}
	return dice
}

// faces returns what was typed as faces of dice: each character but spaces, commas and hyphens.
func faces(text string) (list []string) {
	for _, r := range text {
		if !strings.ContainsRune(" ,-\t", r) {
			list = append(list, string(r))
		}
	}
	return list
}

// throwInWords reports how a throw is typed: "2 dice, as in 3-4 or 34".
func throwInWords(outcomes []Choice) string {
	name := outcomes[len(outcomes)/2].Name
	if dice := diceOf(outcomes); dice > 1 {
		return fmt.Sprintf("%d dice, as in %s or %s", dice, name, strings.ReplaceAll(name, "-", ""))
	}
	return "a die, as in " + name
}

// choicesInWords reports what can be typed.
func choicesInWords(show *Show) string {
	if show.Mover == engine.Chance && diceOf(show.Actions) > 0 {
		return throwInWords(show.Actions)
	}
	return list(show.Actions)
}

// nextThrow takes from what was given for chance as much as the next outcome needs: as many faces as there are dice.
func nextThrow(given []string, outcomes []Choice) (text string, rest []string) {
	text, rest = given[0], given[1:]
	for dice := diceOf(outcomes); len(rest) > 0 && len(faces(text)) < dice; rest = rest[1:] {
		text += " " + rest[0]
	}
	return text, rest
}
