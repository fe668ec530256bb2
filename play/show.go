package play

import (
	"encoding/json"
	"math"

	"croupier/engine"
)

// Others is what a [Show] gives as the mover where the eye must not know who is to move: somebody
// else than itself (engine.Spec.Covert).
const Others = -3

// shownEvents is how many of the newest steps a [Show] tells.
const shownEvents = 40

// Show is a game as one eye sees it: all that a page knows of it. web/boards/types.d.ts says the
// same to scripts.
type Show struct {
	Game  string          `json:"game"`
	Title string          `json:"title"` // of the game, for people
	Rules json.RawMessage `json:"rules"`
	Seats []Seat          `json:"seats"`
	Eye   int             `json:"eye"`  // a seat, engine.Public or engine.Everything
	Step  int             `json:"step"` // how many steps the eye has noticed
	Mover int             `json:"mover"`
	View  any             `json:"view"` // see [ViewOf]
	// Actions are what the eye may choose, ascending. Where chance is entered by people, they are
	// its outcomes at a chance node.
	Actions []Choice `json:"actions"`
	Events  []Event  `json:"events"` // the newest, oldest first
	// Line is what the seat to move knows, in one line (engine.Lined), where the eye may choose for it.
	Line  string `json:"line,omitempty"`
	Clock *Clock `json:"clock,omitempty"`
	Over  *Over  `json:"over,omitempty"`
	// Stage is where the home of the game tells the rules that matter now (engine.Staged).
	Stage string `json:"stage,omitempty"`
	// Table is what there is to know of the table besides the position; nil in a replay.
	Table *TableInfo `json:"table,omitempty"`
}

// The states of a table.
const (
	Waiting = "waiting" // seats are open, and nothing has happened
	Playing = "playing"
	Paused  = "paused" // by the person who watches
	Ended   = "over"
)

// TableInfo is what a page has to know of a table besides the position.
type TableInfo struct {
	ID       string `json:"id"`
	Revision int    `json:"revision"` // grows with every change that the eye notices
	State    string `json:"state"`
	Undo     bool   `json:"undo"`  // the eye may take back its last decision now
	Help     bool   `json:"help"`  // hints and thoughts are answered now
	Watch    string `json:"watch"` // key for spectators
	// Outlook: what the game is worth to the seats is shown to this eye now.
	Outlook bool `json:"outlook,omitempty"`
	// Code is by which further people join while seats are open.
	Code  string    `json:"code,omitempty"`
	Speed float64   `json:"speed"` // steps a second of agents among themselves; 0: as the pace says
	Next  *NextSeat `json:"next,omitempty"`
	// Device is what several persons who share a page have to know; nil for everybody else.
	Device *Device `json:"device,omitempty"`
	// Sum is what each seat's player has gained at this table and those before it, as people are shown amounts.
	Sum []float64 `json:"sum,omitempty"`
	// Bets and NextBets are what each seat bets in this game and in the next one, in the unit; 0 for seats that do not
	// bet. Only of games in which people bet.
	Bets     []float64 `json:"bets,omitempty"`
	NextBets []float64 `json:"next_bets,omitempty"`
	// Kept: the table as it is now is still there when the server is started again.
	Kept bool `json:"kept,omitempty"`
	// Problem says why the game cannot continue, as a sentence.
	Problem string `json:"problem,omitempty"`
}

// NextSeat is where an eye continues after "again".
type NextSeat struct {
	Table string `json:"table"`
	Key   string `json:"key"`
}

// The kinds of a [Seat].
const (
	You    = "you"
	Person = "person"
	Robot  = "agent"
	Vacant = "open"
)

// Seat says who sits in a seat.
type Seat struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	About   string `json:"about,omitempty"`
	Present bool   `json:"present,omitempty"` // of people: a page or terminal of theirs is connected
}

// Choice is an action or an outcome that may be chosen.
type Choice struct {
	Action int    `json:"action"`
	Name   string `json:"name"`
}

// Event is a step as an eye saw it.
type Event struct {
	Step   int    `json:"step"`   // its number among those the eye noticed, from 1
	Player int    `json:"player"` // seat or engine.Chance
	Name   string `json:"name"`   // "" where the eye saw only that a step was made
	Note   string `json:"note,omitempty"`
}

// Clock says how long the person to move may think.
type Clock struct {
	Left     float64 `json:"left"`  // seconds
	Limit    float64 `json:"limit"` // seconds
	Fallback string  `json:"fallback"`
}

// Over is how a game ended.
type Over struct {
	Returns  []float64 `json:"returns"` // by seat, in Unit: what people are shown amounts in
	Unit     string    `json:"unit"`
	Decimals int       `json:"decimals"`
	Scores   []int64   `json:"scores,omitempty"`
	Results  []string  `json:"results"` // by seat: won, lost, tied; in games for money gained, lost, even
	Cut      bool      `json:"cut,omitempty"`
	// OpenCards: a replay with all cards open tells what they allowed (engine.OpenCards).
	OpenCards bool `json:"open_cards,omitempty"`
}

// maxDecimals bounds the decimals of returns.
const maxDecimals = 3

// over sums up a game that is over, or was broken off, with what each seat got.
func (s *Story) over(returns []float64) *Over {
	spec := s.game.Spec()
	unit, scale := spec.Coin.Shown(spec.Unit)
	o := &Over{Returns: scaled(returns, scale), Unit: unit, Scores: s.state.Scores(nil), Cut: s.Cut()}
	_, o.OpenCards = s.game.(engine.OpenCards)
	for _, r := range o.Returns {
		for scale := math.Pow10(o.Decimals); o.Decimals < maxDecimals &&
			math.Abs(r*scale-math.Round(r*scale)) > 1e-9; scale *= 10 {
			o.Decimals++
		}
	}
	shares := make([]float64, spec.Seats)
	spec.Shares(returns, shares)
	for seat, r := range returns {
		o.Results = append(o.Results, result(spec, r, shares[seat]))
	}
	return o
}

// scaled returns amounts as people are shown them.
func scaled(amounts []float64, scale float64) (shown []float64) {
	for _, v := range amounts {
		shown = append(shown, v*scale)
	}
	return shown
}

// result names what a return of a seat, and its share of the win, are to it.
func result(spec *engine.Spec, r, share float64) string {
	if spec.Payoff == engine.Money {
		switch {
		case r > 0:
			return "gained"
		case r < 0:
			return "lost"
		}
		return "even"
	}
	switch share {
	case 1:
		return "won"
	case 0:
		return "lost"
	}
	return "tied"
}
