package langestrasse

import (
	"fmt"
	"slices"
	"strings"

	"croupier/engine"
)

// View is what a board of Lange Strasse shows. All of it is public; only You depends on the eye.
type View struct {
	You    int  `json:"you"`    // the eye: a seat, engine.Public or engine.Everything
	Target int  `json:"target"` // points that end the game with their round
	Round  int  `json:"round"`  // from 1
	Fast   int  `json:"fast"`   // the last round whose end pays the winner more
	Last   bool `json:"last"`   // somebody has the target: this round is the last
	// Phase is "keep" (Seat chooses among Choices), "throw" (Seat throws Left dice) or "over".
	Phase  string `json:"phase"`
	Seat   int    `json:"seat"`
	Turn   int    `json:"turn"`    // points of the finished sets of this turn
	Set    int    `json:"set"`     // points of the kept dice of this set
	StopAt int    `json:"stop_at"` // points of a set that may end the turn
	// Kept holds what is kept of this set: a group of three or more, then single dice.
	Kept [][]int `json:"kept"`
	Left int     `json:"left"` // dice of this set that are not kept
	// Danger is the chance that throwing Left dice is a strich, while Seat throws.
	Danger  float64  `json:"danger"`
	Thrown  []Die    `json:"thrown"`  // ascending, where Seat chooses
	Choices []Keep   `json:"choices"` // every legal keep, where Seat chooses
	Players []Player `json:"players"` // by seat
	Before  *TurnEnd `json:"before"`  // the turn before this one, if it is known
}

// Die is a die of the newest throw.
type Die struct {
	Face int `json:"face"`
	// Least is how many dice of this face a keep takes at least: 1, 3 for a new group, or 0 where none
	// can be kept except by a Lange Strasse or a Talheim. Why is the rule that forbids fewer.
	Least int    `json:"least"`
	Why   string `json:"why,omitempty"`
}

// Keep is a choice of dice with what it leads to.
type Keep struct {
	Faces []int `json:"faces"` // the dice that it takes, ascending
	// Special is "Lange Strasse", "Super Strasse", "Talheim" or "".
	Special string `json:"special,omitempty"`
	Gain    int    `json:"gain"` // points that these dice add to the set
	Set     int    `json:"set"`  // points of the set after it
	Turn    int    `json:"turn"` // points that the turn would score, finished sets included
	Left    int    `json:"left"` // dice of the next throw: 6 once the set is full
	// Strich is the chance that the next throw is a strich; 0 where the turn must end.
	Strich float64 `json:"strich"`
	Roll   int     `json:"roll"` // the action that rolls on, -1 if there is none
	Stop   int     `json:"stop"` // the action that ends the turn, -1 if there is none
	// WhyRoll explains why the turn cannot end here; empty where it can.
	WhyRoll string `json:"why_roll,omitempty"`
}

// Player is a seat of a View.
type Player struct {
	Points  int `json:"points"`
	Missing int `json:"missing"` // to the target
	Striche int `json:"striche"` // turns that ended so; a position that tells of one or more counts as one
	Money   int `json:"money"`   // won so far, in ct
	Place   int `json:"place"`   // 1 to 3 by points, ties to the earlier seat
}

// TurnEnd is how a turn ended.
type TurnEnd struct {
	Seat   int    `json:"seat"`
	How    string `json:"how"`    // "stop", "talheim" or "strich"
	Points int    `json:"points"` // scored, or lost by a strich
	Kept   []int  `json:"kept"`   // of the set of a strich, ascending
	Thrown []int  `json:"thrown"` // of a strich, ascending
	Totale bool   `json:"totale"` // a strich in the first round
}

// View implements engine.Viewed.
func (g *Game) View(state engine.State, eye int) any {
	s := state.(*State)
	kept := s.tables.sets[s.set]
	v := &View{
		You: eye, Target: target, Round: int(s.standing.Round), Fast: fastRounds, Last: s.standing.reached(),
		Phase: "keep", Seat: int(s.standing.Seat), Turn: int(s.turn), Set: kept.points(), StopAt: stopPoints,
		Kept: kept.groups(), Left: int(s.tables.left[s.set]), Thrown: []Die{}, Choices: []Keep{},
		Players: s.viewPlayers(), Before: s.viewBefore(),
	}
	switch s.player {
	case engine.Chance:
		v.Phase, v.Danger = "throw", s.tables.strich(s.set)
	case engine.Terminal:
		v.Phase = "over"
	default:
		v.Thrown, v.Choices = s.viewThrown(), s.viewChoices()
	}
	return v
}

// strich returns the chance that throwing the remaining dice of the set is a strich.
func (t *tables) strich(set uint8) (p float64) {
	for _, o := range t.odds[t.left[set]] {
		if len(t.at(t.base[set]+uint16(o.Index))) == 0 {
			p += o.Probability
		}
	}
	return p
}

func (s *State) viewThrown() (list []Die) {
	kept, rolled := s.tables.sets[s.set], s.tables.roll(s.set, s.node)
	for _, face := range rolled.dice[:rolled.n] {
		d := Die{Face: int(face), Least: kept.least(int(face), rolled.counts)}
		if d.Least != 1 {
			d.Why = mustKeep(d.Face, d.Least)
		}
		list = append(list, d)
	}
	return list
}

// viewChoices lists the keeps; the two actions of the same dice are one of them.
func (s *State) viewChoices() (list []Keep) {
	before := s.tables.sets[s.set].points()
	for _, m := range s.tables.at(s.node) {
		faces := s.facesOf(int(m.Action))
		if n := len(list); n > 0 && m.Stops() && m.Action != Talheim && slices.Equal(list[n-1].Faces, faces) {
			list[n-1].Stop, list[n-1].WhyRoll = int(m.Action), ""
			continue
		}
		k := Keep{
			Faces: faces, Gain: int(m.Points) - before, Set: int(m.Points), Turn: int(s.turn) + int(m.Points),
			Roll: int(m.Action), Stop: -1,
		}
		if m.Action >= Straight {
			k.Special = s.ActionName(int(m.Action))
		}
		if m.Action == Talheim {
			k.Roll, k.Stop = -1, Talheim
		} else {
			k.Left, k.Strich = int(s.tables.left[m.Next]), s.tables.strich(m.Next)
			k.WhyRoll = whyRoll(m)
		}
		list = append(list, k)
	}
	return list
}

// whyRoll reports why the turn cannot end with a move that rolls on, unless another move ends it.
func whyRoll(m Move) string {
	if m.Fills() {
		return "all six dice are kept: the turn continues with six new ones"
	}
	return fmt.Sprintf("ending the turn takes %d points in this set", stopPoints)
}

// facesOf lists the dice that an action keeps.
func (s *State) facesOf(action int) []int {
	rolled := s.tables.roll(s.set, s.node)
	mask := action / 2
	if action >= Straight {
		mask = 1<<rolled.n - 1
	}
	chosen, _ := rolled.chosen(mask)
	return chosen.list()
}

// list returns the dice, ascending.
func (c counts) list() []int {
	list := []int{}
	for face, count := range c {
		list = append(list, slices.Repeat([]int{face}, int(count))...)
	}
	return list
}

func (s *State) viewPlayers() []Player {
	players := make([]Player, seats)
	for seat := range players {
		players[seat] = Player{
			Points: int(s.standing.Points[seat]), Missing: max(0, target-int(s.standing.Points[seat])),
			Striche: max(int(s.past.striche[seat]), int(s.standing.Strich>>seat&1)), Money: int(s.money[seat]),
		}
	}
	for place, seat := range s.standing.ranking() {
		players[seat].Place = place + 1
	}
	return players
}

func (s *State) viewBefore() *TurnEnd {
	p := s.past
	e := &TurnEnd{Seat: int(p.seat), Points: int(p.points), Kept: []int{}, Thrown: []int{}}
	switch p.end {
	case noTurn:
		return nil
	case stopped:
		e.How = "stop"
	case paired:
		e.How = "talheim"
	case struck:
		e.How, e.Totale = "strich", p.totale
		kept := s.tables.sets[p.set]
		all := counts{1: kept.ones, 5: kept.fives}
		all[kept.face] += kept.size
		e.Kept, e.Thrown = all.list(), s.tables.roll(p.set, p.node).counts.list()
	}
	return e
}

// scored notes the end of a turn by a move.
func (p *past) scored(s *State, m Move) {
	p.seat, p.end, p.points = s.standing.Seat, stopped, s.turn+int32(m.Points)
	if m.Action == Talheim {
		p.end = paired
	}
}

// strich notes the end of a turn at a throw.
func (p *past) strich(s *State, node uint16) {
	p.seat, p.end, p.set, p.node = s.standing.Seat, struck, s.set, node
	p.points, p.totale = s.turn+int32(s.tables.scores[s.set]), s.standing.Round == 1
	p.striche[p.seat]++
}

// String describes the position as the eye sees it.
func (v *View) String() string {
	var b strings.Builder
	if v.Before != nil {
		b.WriteString(v.before())
	}
	if v.Phase == "over" {
		fmt.Fprintf(&b, "The game is over after round %d.\n", v.Round)
	} else {
		b.WriteString(v.turn())
	}
	for seat, p := range v.Players {
		fmt.Fprintf(&b, "%s: %d points, %+d ct", engine.SeatTitle(seat, v.You), p.Points, p.Money)
		if p.Striche > 0 {
			fmt.Fprintf(&b, ", striche: %d", p.Striche)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// before describes how the turn before ended.
func (v *View) before() string {
	name := engine.SeatTitle(v.Before.Seat, v.You)
	switch v.Before.How {
	case "strich":
		strich := "a strich"
		if v.Before.Totale {
			strich = fmt.Sprintf("a Totale, which pays %d ct to each other player", totaleMoney)
		}
		return fmt.Sprintf("%s threw %s: %s, %d points lost.\n", name, dashed(v.Before.Thrown), strich, v.Before.Points)
	case "talheim":
		return fmt.Sprintf("%s ended the turn with a Talheim and %d points.\n", name, v.Before.Points)
	}
	return fmt.Sprintf("%s ended the turn with %d points.\n", name, v.Before.Points)
}

// turn tells the dice and points of the turn.
func (v *View) turn() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Round %d. Turn of: %s\n", v.Round, engine.SeatName(v.Seat, v.You))
	if v.Turn > 0 {
		fmt.Fprintf(&b, "Finished sets: %d points\n", v.Turn)
	}
	if len(v.Kept) > 0 {
		groups := make([]string, len(v.Kept))
		for i, g := range v.Kept {
			groups[i] = dashed(g)
		}
		fmt.Fprintf(&b, "Kept: %s (%d points)\n", strings.Join(groups, ", "), v.Set)
	}
	if v.Turn > 0 && v.Set > 0 {
		fmt.Fprintf(&b, "This turn so far: %d points\n", v.Turn+v.Set)
	}
	if v.Phase == "keep" {
		faces := make([]int, len(v.Thrown))
		for i, d := range v.Thrown {
			faces[i] = d.Face
		}
		fmt.Fprintf(&b, "Thrown: %s\n", dashed(faces))
	} else {
		fmt.Fprintf(&b, "To throw: %s, a strich in %.0f %% of the throws\n", dieCount(v.Left), 100*v.Danger)
	}
	for _, k := range v.Choices {
		b.WriteString(k.line())
	}
	return b.String()
}

// line tells what a keep is worth.
func (k Keep) line() string {
	text := fmt.Sprintf("  keep %s: %d points", dashed(k.Faces), k.Gain)
	if k.Special != "" {
		text = fmt.Sprintf("  %s: %d points", k.Special, k.Set)
	}
	if k.Roll >= 0 {
		text += fmt.Sprintf(", then %s with a strich in %.0f %%", dieCount(k.Left), 100*k.Strich)
	}
	if k.Stop >= 0 {
		text += fmt.Sprintf(", or end the turn with %d", k.Turn)
	}
	return text + "\n"
}

func dieCount(n int) string {
	if n == 1 {
		return "1 die"
	}
	return fmt.Sprintf("%d dice", n)
}

// dashed shows dice as "1-2-2".
func dashed(faces []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(faces), "[]"), " ", "-")
}

// Part implements engine.Parted.
func (v *View) Part() string { return fmt.Sprintf("round %d", v.Round) }

// Stage implements engine.Staged.
func (v *View) Stage() string { return v.Phase }
