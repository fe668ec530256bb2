package report

import (
	"context"
	"fmt"
	"io"
	"strings"

	"croupier/engine"
	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
	"croupier/internal/seed"
	"croupier/internal/texttable"
)

// Crowd is the game with some number of players in numbers, in units a hand. Its JSON is the
// output of croupier solve banluck with more than one player.
type Crowd struct {
	Players          int           `json:"players"`
	EV               Interval      `json:"ev"`             // of each player
	Exploitability   float64       `json:"exploitability"` // by strategies of the same kind
	PlayerGain       Interval      `json:"player_gain"`    // at most, by a best response of one player
	DealerGain       Interval      `json:"dealer_gain"`    // at most, by a best response of the dealer, from all players
	Reveal           Interval      `json:"reveal"`         // what the option is worth to the dealer, from all players
	ChangedFromAlone []string      `json:"changed_from_alone"`
	Choices          []CrowdChoice `json:"player"`
	Played           *PlayedCrowd  `json:"simulation,omitempty"` // for the caller to fill in, from Simulate

	solution *banluck.CrowdSolution
}

// Interval is a mean with its 95 % interval; both ends are the mean where it is exact.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func intervalOf(e banluck.Estimate) Interval { return Interval{e.Mean, e.Low, e.High} }

// CrowdChoice is what a player does with a hand, and what it is worth to one who knows nothing
// of the others' cards.
type CrowdChoice = PlayerChoice

// PlayedCrowd is the solution played through the engine.
type PlayedCrowd struct {
	Hands   int         `json:"hands"`
	Seed    seed.Number `json:"seed"`
	EV      Interval    `json:"ev"`
	Reveals Interval    `json:"reveals"` // share of hands in which the dealer reveals and plays on
}

// boundSamples is how many samples of the others' deals the bounds of three and four players are
// computed from.
const boundSamples = 5

// NewCrowd solves a game of Banluck with any number of players, and bounds what a seat could gain
// by leaving the solution. It takes seconds with one and two players, minutes with more.
func NewCrowd(ctx context.Context, g engine.Game, o Sampling) (*Crowd, error) {
	options := banluck.DefaultCrowdOptions()
	options.Progress = func(p banluck.Point) {
		o.Say("CFR+: %d iterations, exploitability %.2g units a hand", p.Iterations, p.Exploitability)
	}
	s, err := banluck.SolveCrowd(ctx, g, options)
	if err != nil {
		return nil, err
	}
	o.Say("what the seats could gain with %d players", s.Players)
	b, err := s.Bound(ctx, boundSamples, o.Seed)
	if err != nil {
		return nil, err
	}
	c := &Crowd{
		Players: s.Players, Exploitability: s.Exploitability, EV: intervalOf(b.EV), PlayerGain: intervalOf(b.Player),
		DealerGain: intervalOf(b.Dealer), Reveal: intervalOf(b.Reveal), ChangedFromAlone: []string{}, solution: s,
	}
	for _, h := range s.Changed() {
		c.ChangedFromAlone = append(c.ChangedFromAlone, h.String())
	}
	for _, h := range s.PlayerHands() {
		hits, stand, hit := s.Player(h)
		w := g.(*game.Game).Worth(h)
		c.Choices = append(c.Choices, CrowdChoice{
			Hand: h.String(), Cards: h.Size(), Total: int(w.Total), Soft: w.Soft, Hit: hits, Stand: 1 - hits,
			EVHit: hit.Value, EVStand: stand.Value,
		})
	}
	return c, nil
}

// Simulate plays hands of the solution through the engine.
func (c *Crowd) Simulate(ctx context.Context, o Sampling) error {
	played, err := c.solution.Simulate(ctx, o.Hands, o.Seed)
	if err != nil {
		return err
	}
	c.Played = &PlayedCrowd{o.Hands, seed.Number(o.Seed), intervalOf(played.EV), intervalOf(played.Reveals)}
	return nil
}

// Print writes the numbers for people.
func (c *Crowd) Print(w io.Writer) error {
	t := texttable.New(1, 2)
	t.AppendHeader([]any{"units a hand", "", "95 % interval"})
	row := func(name string, i Interval) {
		interval := "exact"
		if i.Low < i.High {
			interval = fmt.Sprintf("%+.6f … %+.6f", i.Low, i.High)
		}
		mean := fmt.Sprintf("%+.6f", i.Mean)
		if strings.Trim(mean, "-+0.") == "" {
			mean = "0"
		}
		t.AppendRow([]any{name, mean, interval})
	}
	row("each player's result", c.EV)
	row("a player can gain at most", c.PlayerGain)
	row("the dealer can gain at most", c.DealerGain)
	row("reveal is worth to the dealer", c.Reveal)
	if c.Played != nil {
		row("each player's result, played", c.Played.EV)
	}
	changed := "play every hand as with one player"
	if n := len(c.ChangedFromAlone); n > 0 {
		changed = fmt.Sprintf("play %d hands otherwise than with one player", n)
	}
	_, err := fmt.Fprintf(w, "%d players\n%s\n\nThe players %s.\n\n%s\n%s\n",
		c.Players, t.Render(), changed, "The players", chartTable(c.solution.PlayerChart()))
	return err
}
