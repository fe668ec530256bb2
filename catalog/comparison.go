package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"croupier/engine"
	"croupier/internal/seed"
)

// Comparison is what agents got in games against one another, the evidence for whom to ask.
type Comparison struct {
	Game  string          `json:"game"`
	Rules json.RawMessage `json:"rules"`
	Seed  Seed            `json:"seed"`
	// Games is the number of games of each agent alone among copies of each other one.
	Games uint64 `json:"games"`
	// Unit of results: ShareUnit in a game that is won or lost, else the game's own unit.
	Unit string `json:"unit"`
	// Trained is the digest ([Digest]) of the network for these rules that came with the program then.
	Trained string  `json:"trained,omitempty"`
	Agents  []Agent `json:"agents"` // by falling mean of Worst, the strongest first
	Met     []Met   `json:"met"`

	Coin engine.Coin `json:"-"` // what people are shown results in
}

// Seed is the seed of a comparison. One that many programs could not read as a number is text in JSON.
type Seed = seed.Number

// ShareUnit is the unit in games that are won or lost: a shared win counts its share, and
// parity is 1/seats.
const ShareUnit = "of the win"

// Agent is an agent of a comparison.
type Agent struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // network, bot or solver
	// Worst is what it got among copies of the agent against which it fares worst: no agent can
	// look strong by exploiting the weak.
	Worst Met `json:"worst"`
	// MillisecondsPerMove is the time of a single decision on the machine of the comparison.
	MillisecondsPerMove float64 `json:"milliseconds_per_move"`
	// Advises: it can be asked what actions are worth, or is fast enough for games to be played
	// out with it.
	Advises bool `json:"advises"`
}

// Met is the mean result of one agent alone among copies of another, with its 95 % interval.
type Met struct {
	Agent string  `json:"agent"`
	Among string  `json:"among"`
	Mean  float64 `json:"mean"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Digest returns the SHA-256 of a network file in hexadecimal digits, "" if there is none.
func Digest(network []byte) string {
	if network == nil {
		return ""
	}
	sum := sha256.Sum256(network)
	return hex.EncodeToString(sum[:])
}

// Compared returns the comparison of the game's agents under the rules of one of its games. Without one it returns that
// under the game's own rules, and here is false.
func (g Game) Compared(game engine.Game) (c *Comparison, here bool, err error) {
	if g.Comparison == nil {
		return nil, false, fmt.Errorf("no comparison of agents of %s comes with the program", g.Name)
	}
	own := &Comparison{Coin: game.Spec().Coin}
	if err := json.Unmarshal(g.Comparison, own); err != nil {
		return nil, false, fmt.Errorf("comparison of agents of %s: %w", g.Name, err)
	}
	if g.covers(own, game) {
		return own, true, nil
	}
	for documents := json.NewDecoder(bytes.NewReader(g.Tables)); ; {
		table := &Comparison{Coin: own.Coin}
		if err := documents.Decode(table); errors.Is(err, io.EOF) {
			return own, false, nil
		} else if err != nil {
			return nil, false, fmt.Errorf("comparisons of agents of %s at other tables: %w", g.Name, err)
		}
		if g.covers(table, game) {
			return table, true, nil
		}
	}
}

// Write puts a result into words, in that unit or in the coin that people count it in: "0.530 (0.510 .. 0.550) of the
// win", with as many decimals as leave half the interval two digits, at most three.
func (m Met) Write(unit string, coin engine.Coin) string {
	unit, scale := coin.Shown(unit)
	m.Mean, m.Low, m.High = scale*m.Mean, scale*m.Low, scale*m.High
	decimals := 3
	if half := (m.High - m.Low) / 2; half > 0 {
		decimals = min(max(0, 1-int(math.Floor(math.Log10(half)))), 3)
	}
	return fmt.Sprintf("%s (%s .. %s) %s",
		decimal(m.Mean, decimals), decimal(m.Low, decimals), decimal(m.High, decimals), unit)
}

// decimal writes a number with that many decimals, and never as "-0".
func decimal(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Describe puts a result into words: "0.530 (0.510 .. 0.550) of the win against trained in 900 games".
func (c *Comparison) Describe(m Met) string {
	return fmt.Sprintf("%s against %s in %d games", m.Write(c.Unit, c.Coin), m.Among, c.Games)
}

// covers reports whether a comparison of the game's agents is for these very rules.
func (g Game) covers(c *Comparison, game engine.Game) bool {
	if c.Game != g.Name {
		return false
	}
	own, err := g.New(c.Rules)
	return err == nil && engine.RulesHash(own) == engine.RulesHash(game)
}

// Strongest returns the strongest agent that can advise, and false if there is none.
func (c *Comparison) Strongest() (Agent, bool) {
	i := slices.IndexFunc(c.Agents, func(a Agent) bool { return a.Advises })
	if i < 0 {
		return Agent{}, false
	}
	return c.Agents[i], true
}

// Between returns what one agent got among copies of another, and false if they have not met.
func (c *Comparison) Between(agent, among string) (Met, bool) {
	i := slices.IndexFunc(c.Met, func(m Met) bool { return m.Agent == agent && m.Among == among })
	if i < 0 {
		return Met{}, false
	}
	return c.Met[i], true
}
