package engine

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"croupier/internal/suggest"
)

// Bot is a fixed strategy that a game provides. It is given the whole state but must look only
// at what the seat to move may know. Goroutines may share a Bot.
type Bot interface {
	// Choose returns one of the legal actions of the seat to move.
	Choose(s State, legal []int, rng *RNG) int
}

// BotFunc makes a function a Bot.
type BotFunc func(s State, legal []int, rng *RNG) int

// Choose calls f.
func (f BotFunc) Choose(s State, legal []int, rng *RNG) int { return f(s, legal, rng) }

// Bots are the bots of one game.
type Bots struct {
	Game  string     // its name
	Table []NamedBot // all of them, in the order in which people see them
	// References are the bots on every ladder, with their numbers.
	References []string
}

// NamedBot is a bot, or a family of bots that differ in their numbers.
type NamedBot struct {
	Call string // its name, with the names of its numbers in brackets: "threshold(N)"
	Help string // what it does, for people: the rest of a sentence that begins with its name
	// New makes the bot from as many finite numbers as Call has. The error says which numbers are
	// possible.
	New func(numbers []float64) (Bot, error)
}

// OneNumber returns the New of a bot with one number, its name as in Call, which must lie in low..high.
func OneNumber(name string, low, high float64, bot func(n float64) Bot) func([]float64) (Bot, error) {
	return func(numbers []float64) (Bot, error) {
		if n := numbers[0]; n < low || n > high {
			return nil, fmt.Errorf("%s must be in %.f..%.f", name, low, high)
		}
		return bot(numbers[0]), nil
	}
}

// NoNumbers returns the New of a bot without numbers.
func NoNumbers(bot Bot) func([]float64) (Bot, error) {
	return func([]float64) (Bot, error) { return bot, nil }
}

// New returns the bot of that name, with its numbers, if any, in brackets: "threshold(100)".
// The error says what bots there are.
func (b *Bots) New(name string) (Bot, error) {
	call, numbers, err := ParseCall(name)
	if err != nil {
		return nil, err
	}
	var all, calls, namesakes []string
	for _, e := range b.Table {
		own, parameters := e.signature()
		if own == call && parameters == len(numbers) {
			bot, err := e.New(numbers)
			if err != nil {
				return nil, fmt.Errorf("%s bot %q: %w", b.Game, name, err)
			}
			return bot, nil
		}
		if own == call {
			namesakes = append(namesakes, e.Call)
		}
		all, calls = append(all, e.Call), append(calls, own)
	}
	if namesakes != nil {
		return nil, fmt.Errorf("%s bot %q: it is written %s", b.Game, name, strings.Join(namesakes, " or "))
	}
	return nil, fmt.Errorf("unknown %s bot %q%s; the bots are %s", b.Game, name, suggest.Hint(call, calls),
		strings.Join(all, ", "))
}

// signature returns the name of the bot and how many numbers it has.
func (e *NamedBot) signature() (name string, parameters int) {
	name, list, found := strings.Cut(e.Call, "(")
	if !found {
		return name, 0
	}
	return name, 1 + strings.Count(list, ",")
}

var callPattern = regexp.MustCompile(`^([a-z][a-z0-9-]*)(?:\(([^()]*)\))?$`)

// ParseCall splits a bot's name such as "threshold(100)" into "threshold" and its
// numbers, which are finite; a name without brackets has none.
func ParseCall(s string) (name string, args []float64, err error) {
	m := callPattern.FindStringSubmatch(s)
	if m == nil {
		return "", nil, fmt.Errorf("%q is not a name like \"random\" or \"threshold(100)\"", s)
	}
	if m[2] == "" {
		return m[1], nil, nil
	}
	for _, part := range strings.Split(m[2], ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return "", nil, fmt.Errorf("%q: %q is not a number", s, part)
		}
		args = append(args, v)
	}
	return m[1], args, nil
}
