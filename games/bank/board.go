package bank

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// View is what a board of BANK! shows. All of it is public; only You depends on the eye.
type View struct {
	You    int   `json:"you"`   // the eye: a seat, engine.Public or engine.Everything
	Round  int   `json:"round"` // from 1; at the end the last one
	Rounds int   `json:"rounds"`
	Roll   int   `json:"roll"` // rolls in this round so far
	Safe   int   `json:"safe"` // rolls at the beginning of a round on which a seven is safe
	Dice   []int `json:"dice"` // of the newest roll of this round, ascending; empty before the first
	// Effect is what that roll did to the bank: "added" (its sum, 70 for a safe seven),
	// "doubled", or "" before the first.
	Effect string `json:"effect"`
	Bank   int64  `json:"bank"`
	// Risk is the chance that the next roll ends the round with a seven, 0 while that is safe.
	Risk float64 `json:"risk"`
	// Phase is "ask" (Asked answers), "roll" (Roller rolls next) or "over".
	Phase  string `json:"phase"`
	Roller int    `json:"roller"`
	Asked  int    `json:"asked"` // seat, -1 when nobody is asked
	Queue  []int  `json:"queue"` // seats that have still to answer, in order, Asked first
	// Again reports that somebody has banked since the newest roll, so that the question goes round
	// once more.
	Again   bool     `json:"again"`
	Players []Player `json:"players"` // by seat
	// Before is how the round before ended, nil in the first round and where a position lacks it.
	Before *RoundEnd `json:"before"`
}

// Player is a seat of a View.
type Player struct {
	Total int64 `json:"total"`
	// Lead is the total less the best total of the others.
	Lead int64 `json:"lead"`
	// After is the total once the seat banks now; the total itself where it cannot in this round.
	After int64 `json:"after"`
	// State is "in" (to be asked later), "asked" (now), "passed" (since the newest roll or bank) or
	// "banked" (out of this round); Now says that it banked since the newest roll.
	State string `json:"state"`
	Now   bool   `json:"now"`
	Won   bool   `json:"won"` // shares the win, at the end
}

// RoundEnd is how a round ended: all had banked, or a seven took the bank.
type RoundEnd struct {
	Dice  []int `json:"dice"` // of its last roll
	Bank  int64 `json:"bank"` // at its end
	Seven bool  `json:"seven"`
}

// sevenChance is the probability of a seven.
const sevenChance = 1.0 / 6

// View implements engine.Viewed.
func (g *Game) View(state engine.State, eye int) any {
	s := state.(*State)
	v := &View{
		You: eye, Round: min(int(s.round)+1, g.rules.Rounds), Rounds: g.rules.Rounds, Roll: int(s.roll), Safe: safeRolls,
		Dice: faces(s.dice), Effect: s.effect(), Bank: s.bank, Phase: "ask", Asked: int(s.player), Again: s.banked != 0,
	}
	switch s.player {
	case engine.Chance:
		v.Phase, v.Asked = "roll", -1
	case engine.Terminal:
		v.Phase, v.Asked = "over", -1
	}
	v.Roller, v.Queue = s.roller(), s.queue()
	if s.roll >= safeRolls && v.Phase != "over" {
		v.Risk = sevenChance
	}
	v.Players = s.viewPlayers()
	if s.round > 0 && s.before.bank > 0 {
		v.Before = &RoundEnd{Dice: faces(s.before.dice), Bank: s.before.bank, Seven: s.before.seven}
	}
	return v
}

// faces lists the dice of an outcome, or none for noDice.
func faces(outcome uint8) []int {
	if outcome == noDice {
		return []int{}
	}
	return []int{int(pairs[outcome].low), int(pairs[outcome].high)}
}

// queue is View.Queue.
func (s *State) queue() []int {
	list := []int{}
	for rest := s.asking; s.player >= 0 && rest != 0; {
		seat := firstFrom(rest, int(s.player))
		list = append(list, int(seat))
		rest &^= 1 << seat
	}
	return list
}

// effect is View.Effect.
func (s *State) effect() string {
	switch {
	case s.dice == noDice:
		return ""
	case pairs[s.dice].doubles() && s.roll > safeRolls:
		return "doubled"
	}
	return "added"
}

func (s *State) viewPlayers() []Player {
	returns := make([]float64, s.game.rules.Players)
	s.Returns(returns)
	players := make([]Player, s.game.rules.Players)
	for seat := range players {
		bit, total := uint8(1)<<seat, s.totals[seat]
		p := Player{
			Total: total, Lead: total - s.bestOther(seat), After: total, State: "in", Now: s.banked&bit != 0,
			Won: returns[seat] > 0,
		}
		switch {
		case s.active&bit == 0:
			p.State = "banked"
		case s.player == int8(seat):
			p.State = "asked"
		case s.player >= 0 && s.asking&bit == 0:
			p.State = "passed"
		}
		if s.active&bit != 0 {
			p.After += s.bank
		}
		players[seat] = p
	}
	return players
}

// String describes the position as the eye sees it.
func (v *View) String() string {
	var b strings.Builder
	if e := v.Before; e != nil && e.Seven {
		fmt.Fprintf(&b, "The round before ended with a seven: %d points were lost.\n", e.Bank)
	} else if e != nil {
		b.WriteString("The round before ended when everybody had banked.\n")
	}
	if v.Phase == "over" {
		b.WriteString("The game is over.\n")
	} else {
		b.WriteString(v.sentence())
	}
	for seat, p := range v.Players {
		fmt.Fprintf(&b, "%s: %d points", engine.SeatTitle(seat, v.You), p.Total)
		switch {
		case p.Won:
			b.WriteString(", won")
		case v.Phase == "over" || p.State == "in":
		case p.State == "asked":
			b.WriteString(", asked now")
		default:
			b.WriteString(", " + p.State)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// sentence names round, roll, bank and danger.
func (v *View) sentence() string {
	text := fmt.Sprintf("Round %d of %d", v.Round, v.Rounds)
	if v.Roll == 0 {
		return text + ", before the first roll: the bank is empty.\n"
	}
	text += fmt.Sprintf(", roll %d", v.Roll)
	if len(v.Dice) == 2 {
		text += fmt.Sprintf(" was %d-%d", v.Dice[0], v.Dice[1])
	}
	if v.Risk == 0 {
		return text + fmt.Sprintf(": the bank is %d, the next roll cannot lose it.\n", v.Bank)
	}
	return text + fmt.Sprintf(": the bank is %d, 1 in 6 that the next roll loses it.\n", v.Bank)
}

// Part implements engine.Parted.
func (v *View) Part() string { return fmt.Sprintf("round %d", v.Round) }

// Stage implements engine.Staged.
func (v *View) Stage() string {
	switch {
	case v.Phase == "over":
		return "over"
	case v.Phase == "ask" && v.Again:
		return "again"
	case v.Phase == "ask":
		return "ask"
	case v.Roll < v.Safe:
		return "safe-roll"
	}
	return "roll"
}
