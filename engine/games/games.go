// Package games is the explicit list of all games.
package games

import (
	"fmt"
	"strings"

	"croupier/engine"
	"croupier/engine/bank"
	"croupier/engine/bankcards"
	"croupier/engine/banluck"
	"croupier/engine/kuhn"
	"croupier/engine/langestrasse"
	"croupier/engine/leduc"
	"croupier/engine/pig"
	"croupier/engine/tysiac"
	"croupier/internal/strict"
	"croupier/internal/suggest"
)

// Entry is one game of the list.
type Entry struct {
	Name string
	// New returns the game under a rules document, or under its own rules for nil.
	New func(rules *strict.Document) (engine.Game, error)
}

// All lists the games in the order in which they are shown.
var All = []Entry{
	{"bank", bank.New},
	{"pig", pig.New},
	{"kuhn", kuhn.New},
	{"leduc", leduc.New},
	{"tysiac", tysiac.New},
	{"tysiac-hand", tysiac.NewHand},
	{"banluck", banluck.New},
	{"lange-strasse", langestrasse.New},
	{"bank-cards", bankcards.New},
}

// Info describes a game under its default rules, for lists.
type Info struct {
	Name            string   `json:"name"`
	Seats           int      `json:"seats"`
	Actions         int      `json:"actions"`
	ObservationSize int      `json:"observation_size"`
	Summary         string   `json:"summary"`
	Rules           any      `json:"rules"`
	Bots            []string `json:"bots"` // on every ladder
	AllBots         []Bot    `json:"all_bots"`
	// Book explains the rules; nil where none can be changed.
	Book *engine.RuleBook `json:"-"`
}

// Bot is one row of a game's table of bots.
type Bot struct {
	Name string `json:"name"` // with the names of its numbers in brackets
	Help string `json:"help"`
}

// Describe returns the description of the named game.
func Describe(name string) (*Info, error) {
	g, err := New(name, nil)
	if err != nil {
		return nil, err
	}
	s, bots := g.Spec(), g.Bots()
	info := &Info{s.Name, s.Seats, s.Actions, s.ObservationSize, s.Summary, g.Rules(), bots.References, nil, s.Rules}
	for _, bot := range bots.Table {
		info.AllBots = append(info.AllBots, Bot{bot.Call, bot.Help})
	}
	return info, nil
}

// New returns the named game under a rules document, or under its own rules for nil.
func New(name string, rules *strict.Document) (engine.Game, error) {
	names := make([]string, len(All))
	for i, e := range All {
		if e.Name == name {
			g, err := e.New(rules)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return g, nil
		}
		names[i] = e.Name
	}
	return nil, fmt.Errorf("unknown game %q%s; the games are %s", name, suggest.Hint(name, names), strings.Join(names, ", "))
}
