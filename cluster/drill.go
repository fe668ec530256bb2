package cluster

import (
	"context"
	"fmt"
	"strings"

	"croupier/advice"
	"croupier/agents"
	"croupier/engine"
	"croupier/engine/games"
	"croupier/internal/seed"
	"croupier/internal/strict"
	"croupier/play"
	"croupier/web"
)

// webDriller deals decisions to practise on. What they are worth the advisor of pages says.
type webDriller struct{ advisor *webAdvisor }

// drillPage is the page on which decisions are practised.
func drillPage(_ context.Context, h *Host) web.Page {
	return web.DrillPage(&webDriller{&webAdvisor{runs: h.Runs, budget: webBudget}}, h.Log)
}

// companionPage goes along with a game on a real table.
func companionPage(context.Context, *Host) web.Page { return web.CompanionPage() }

// Games implements web.Driller: a game about which nobody knows enough under its usual rules is
// offered under the first way to play it about which somebody does.
func (d *webDriller) Games(ctx context.Context, runID string) ([]web.DrillGame, error) {
	run, err := d.advisor.runs.Find(ctx, runID)
	if err != nil {
		return nil, err
	}
	list := []web.DrillGame{}
	for _, entry := range games.All {
		game, err := gameOf(run, entry.Name, "")
		if err != nil {
			return nil, err
		}
		offered := web.DrillGame{Name: entry.Name, Title: play.Describe(game).Title}
		if advice.Asks(game) == 0 && !drillPreset(entry, &offered) {
			continue
		}
		list = append(list, offered)
	}
	return list, nil
}

// drillPreset finds the first preset of a game under which it can be practised.
func drillPreset(entry games.Entry, offered *web.DrillGame) bool {
	game, err := entry.New(nil)
	if err != nil || game.Spec().Rules == nil {
		return false
	}
	for _, p := range game.Spec().Rules.Presets {
		if other, err := entry.New(strict.YAML(p.Document)); err == nil && advice.Asks(other) > 0 {
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
	game, err := gameOf(run, q.Game, q.Rules)
	if err != nil {
		return nil, err
	}
	o := advice.DrillOptions{
		Seed: uint64(q.Seed), Asks: advice.Asks(game), Easy: q.Difficulty == web.EasyDrill, Strongest: agents.StrongestBot(game),
	}
	if o.Asks == 0 {
		return nil, fmt.Errorf("%s cannot be practised under these rules: nobody knows what its actions are worth",
			game.Spec().Name)
	}
	agent, err := advice.Choose(ctx, d.advisor.agents.of(run, game), "", nil)
	if err != nil {
		return nil, err
	}
	drill, err := advice.Deal(ctx, game, agent, o)
	if err != nil {
		return nil, err
	}
	return dealt(game, drill, seed.Number(q.Seed))
}

// dealt shows a drill to the seat that is to move.
func dealt(game engine.Game, drill *advice.Drill, from seed.Number) (*web.DealtDrill, error) {
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
		Show: show, Answer: drill.Answer, Rule: drill.Rule, Help: play.About(game, drill.Rule), Obvious: drill.Obvious, Seed: from,
	}
	if g, ok := game.(engine.Positioned); ok {
		d.Position = g.FormatPosition(story.State(), drill.Answer.Seat)
	}
	return d, nil
}
