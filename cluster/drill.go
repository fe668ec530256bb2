package cluster

import (
	"context"
	"fmt"
	"strings"

	"croupier/advice"
	"croupier/agents"
	"croupier/engine"
	"croupier/internal/seed"
	"croupier/play"
	"croupier/web"
)

// webDriller deals decisions to practise on. What they are worth the advisor of pages says.
type webDriller struct{ advisor *webAdvisor }

// drillPage is the page on which decisions are practised.
func drillPage(_ context.Context, h *Globals) web.Page {
	return web.DrillPage(&webDriller{h.advisor()}, h.Log)
}

// companionPage goes along with a game on a real table.
func companionPage(context.Context, *Globals) web.Page { return web.CompanionPage() }

// Games implements web.Driller: a game about which no agent here knows enough under its usual rules is
// offered under the first way to play it about which somebody does.
func (d *webDriller) Games(ctx context.Context, runID string) ([]web.DrillGame, error) {
	run, err := d.advisor.runs.Find(ctx, runID)
	if err != nil {
		return nil, err
	}
	list := []web.DrillGame{}
	for _, entry := range d.advisor.agents.games.Games() {
		game, err := d.advisor.agents.game(run, entry.Name, "")
		if err != nil {
			return nil, err
		}
		offered := web.DrillGame{Name: entry.Name, Title: game.Spec().Title}
		if advice.Asks(d.advisor.agents.of(run, game)) == 0 {
			p, found := advice.PractisedUnder(entry, func(g engine.Game) *agents.Agents { return d.advisor.agents.of(nil, g) })
			if !found {
				continue
			}
			offered.Rules, offered.About = p.Document, strings.ToLower(p.Name[:1])+p.Name[1:]
		}
		list = append(list, offered)
	}
	return list, nil
}

// Deal implements web.Driller.
func (d *webDriller) Deal(ctx context.Context, q web.DrillQuestion) (*web.DealtDrill, error) {
	run, err := d.advisor.runs.Find(ctx, q.Run)
	if err != nil {
		return nil, err
	}
	game, err := d.advisor.agents.game(run, q.Game, q.Rules)
	if err != nil {
		return nil, err
	}
	known := d.advisor.agents.of(run, game)
	if q.Position != "" {
		question := advice.Question{Game: game}
		question.State, question.History, question.Notes, err = engine.PositionOf(game, []byte(q.Position),
			engine.NewRNG(uint64(q.Seed), 0))
		if err != nil {
			return nil, fmt.Errorf("position: %w", err)
		}
		drill, err := advice.PractiseAt(ctx, known, question)
		if err != nil {
			return nil, err
		}
		return dealt(known, drill, seed.Number(q.Seed))
	}
	drill, err := advice.Practise(ctx, known, uint64(q.Seed), q.Difficulty == web.EasyDrill)
	if err != nil {
		return nil, err
	}
	return dealt(known, drill, seed.Number(q.Seed))
}

// dealt shows a drill to the seat that is to move.
func dealt(known *agents.Agents, drill *advice.Drill, from seed.Number) (*web.DealtDrill, error) {
	game := known.Game()
	story, err := play.NewStory(game, drill.Start)
	if err != nil {
		return nil, err
	}
	for _, step := range drill.History {
		if err := story.Apply(step, ""); err != nil {
			return nil, err
		}
	}
	show := story.Show(drill.Answer.Seat)
	for seat := range show.Seats {
		show.Seats[seat] = play.Seat{Name: fmt.Sprintf("Player %d", seat+1), Kind: play.Robot}
		if seat == drill.Answer.Seat {
			show.Seats[seat] = play.Seat{Name: "You", Kind: play.You}
		}
	}
	d := &web.DealtDrill{
		Show: show, Answer: drill.Answer, Rule: drill.Rule, Help: play.About(known, drill.Rule), Obvious: drill.Obvious,
		Seed: from, Right: []int{},
	}
	for _, a := range drill.Answer.Actions {
		if drill.Answer.Right(a.Action) {
			d.Right = append(d.Right, a.Action)
		}
	}
	if g, ok := game.(engine.Positioned); ok {
		d.Position = g.FormatPosition(story.State(), drill.Answer.Seat)
	}
	return d, nil
}
