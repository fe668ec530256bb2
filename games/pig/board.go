package pig

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// View is what a board of Pig shows. All of it is public; only You depends on the eye.
type View struct {
	You    int        `json:"you"` // the eye: a seat, engine.Public or engine.Everything
	Target int        `json:"target"`
	Scores [seats]int `json:"scores"` // held points by seat
	// Phase is "choose" (Seat decides), "roll" (the die of Seat is in the air) or "over" (Seat has won).
	Phase  string  `json:"phase"`
	Seat   int     `json:"seat"`
	Turn   int     `json:"turn"`    // points of this turn, which a 1 loses
	Die    int     `json:"die"`     // newest roll of this turn, 0 before the first
	IfHeld int     `json:"if_held"` // score of Seat once it holds
	Wins   bool    `json:"wins"`    // holding now wins
	Risk   float64 `json:"risk"`    // chance that another roll loses the turn
	// Before is how the turn before this one ended, nil in the first turn and where a position does not
	// tell. At the end it is the turn that won.
	Before *TurnEnd `json:"before"`
}

// TurnEnd is how a turn ended.
type TurnEnd struct {
	Seat   int  `json:"seat"`
	Points int  `json:"points"` // held, or lost
	Lost   bool `json:"lost"`   // by a 1
}

// View implements engine.Viewed.
func (g *Game) View(state engine.State, eye int) any {
	s := state.(*State)
	v := &View{
		You: eye, Target: g.rules.Target, Phase: "choose", Seat: int(s.seat), Turn: int(s.turn), Die: int(s.die),
		IfHeld: int(s.scores[s.seat] + s.turn), Risk: 1.0 / faces,
	}
	for seat, score := range s.scores {
		v.Scores[seat] = int(score)
	}
	v.Wins = v.IfHeld >= v.Target
	switch s.player {
	case engine.Chance:
		v.Phase = "roll"
	case engine.Terminal:
		v.Phase = "over"
	}
	if b := s.before; b.lost || b.held {
		v.Before = &TurnEnd{Seat: v.Seat, Points: int(b.points), Lost: b.lost}
		if v.Phase != "over" {
			v.Before.Seat = 1 - v.Seat
		}
	}
	return v
}

// String describes the position as the eye sees it.
func (v *View) String() string {
	var b strings.Builder
	if e := v.Before; e != nil && e.Lost {
		fmt.Fprintf(&b, "%s rolled a 1 and lost %d points.\n", v.name(e.Seat), e.Points)
	} else if e != nil {
		fmt.Fprintf(&b, "%s held %d points.\n", v.name(e.Seat), e.Points)
	}
	for seat, score := range v.Scores {
		fmt.Fprintf(&b, "%s: %d of %d points\n", v.name(seat), score, v.Target)
	}
	switch {
	case v.Phase == "over":
		fmt.Fprintf(&b, "%s won.\n", v.name(v.Seat))
	case v.Turn == 0:
		fmt.Fprintf(&b, "Turn of: %s\n", engine.SeatName(v.Seat, v.You))
	default:
		fmt.Fprintf(&b, "%s made %d points in this turn", v.name(v.Seat), v.Turn)
		if v.Die > 0 {
			fmt.Fprintf(&b, ", the last roll was a %d", v.Die)
		}
		fmt.Fprintf(&b, "; holding makes %d.\n", v.IfHeld)
	}
	return b.String()
}

func (v *View) name(seat int) string { return engine.SeatTitle(seat, v.You) }

// Stage implements engine.Staged.
func (v *View) Stage() string {
	if v.Phase == "choose" && v.Turn == 0 {
		return "begin"
	}
	return v.Phase
}
