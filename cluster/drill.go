package cluster

import (
	"context"
	"fmt"
	"strings"

	"croupier/advice"
	"croupier/agents"
	"croupier/catalog"
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

// Games implements web.Driller: a game about which nobody knows enough under its usual rules is
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
		if advice.Asks(d.advisor.agents.of(run, game)) == 0 && !d.preset(entry, &offered) {
			continue
		}
		list = append(list, offered)
	}
	return list, nil
}

// preset finds the first preset of a game under which it can be practised.
func (d *webDriller) preset(entry catalog.Game, offered *web.DrillGame) bool {
	game, err := entry.New(nil)
	if err != nil || game.Spec().Rules == nil {
		return false
	}
	for _, p := range game.Spec().Rules.Presets {
		if other, err := entry.New([]byte(p.Document)); err == nil && advice.Asks(d.advisor.agents.of(nil, other)) > 0 {
			offered.Rules, offered.About = p.Document, strings.ToLower(p.Name[:1])+p.Name[1:]
			return true
		}
	}
	return false
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
	o := advice.DrillOptions{
		Seed: uint64(q.Seed), Asks: advice.Asks(known), Easy: q.Difficulty == web.EasyDrill, Strongest: known.StrongestBot(),
	}
	if o.Asks == 0 {
		return nil, fmt.Errorf("%s cannot be practised under these rules: nobody knows what its actions are worth",
			game.Spec().Name)
	}
	agent, err := advice.Choose(ctx, known, "", nil)
	if err != nil {
		return nil, err
	}
	drill, err := advice.Deal(ctx, game, agent, o)
	if err != nil {
		return nil, err
	}
	return dealt(known, drill, seed.Number(q.Seed))
}

// dealt shows a drill to the seat that is to move.
func dealt(known *agents.Agents, drill *advice.Drill, from seed.Number) (*web.DealtDrill, error) {
	game := known.Game()
	story, err := play.NewStory(game)
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
		Seed: from,
	}
	if g, ok := game.(engine.Positioned); ok {
		d.Position = g.FormatPosition(story.State(), drill.Answer.Seat)
	}
	return d, nil
}
