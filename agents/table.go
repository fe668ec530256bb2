package agents

import (
	"context"
	"encoding/json"
	"fmt"

	"croupier/catalog"
	"croupier/engine"
	"croupier/league"
	"croupier/messages"
)

// TableOf returns a table at which a league measures versions of a run by that many games of each, among copies of the
// bot that is the strongest under the table's rules. The seed is that of all deals.
func TableOf(table catalog.NamedTable, from Sources, games, seed uint64) (league.Table, error) {
	rules, err := json.Marshal(table.Game.Rules())
	if err != nil {
		return league.Table{}, fmt.Errorf("rules of the table %q: %w", table.Name, err)
	}
	spec := table.Game.Spec()
	t := league.Table{LadderTable: messages.LadderTable{
		Name: table.Name, Rules: rules, Seats: spec.Seats, Against: New(table.Game, from).StrongestBot(), Unit: spec.Unit,
	}}
	if spec.Payoff == engine.WinLoss {
		t.Unit, t.Parity = catalog.ShareUnit, 1/float64(spec.Seats)
	}
	t.Measure = func(ctx context.Context, agent string) (r messages.TableResult, err error) {
		known := New(table.Game, from) // which forgets the version with its weights
		ladder, _, err := Tournament{Game: table.Game, Games: games, Seed: seed, Workers: 1}.Play(ctx, known,
			[]string{agent, t.Against})
		if err != nil {
			return r, err
		}
		for _, p := range ladder.Payoff {
			if p.A == agent && p.B == t.Against {
				r.Agent, r.Games = agent, p.Games
				r.Interval = messages.Interval{Value: p.MeanReturnA, Low: p.Low, High: p.High}
				if p.WinShare != nil {
					r.Interval = messages.Interval{Value: p.ShareA, Low: p.ShareLow, High: p.ShareHigh}
				}
				return r, nil
			}
		}
		return r, fmt.Errorf("%s and %s have not met at the table %q", agent, t.Against, table.Name)
	}
	return t, nil
}
