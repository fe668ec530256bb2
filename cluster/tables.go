package cluster

import (
	"slices"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/family"
	"croupier/league"
)

// tables are those at which the league measures versions that train on a family: the presets and usual numbers that are
// in it, and the table that is farthest from the default one.
func (s *node) tables() (list []league.Table, err error) {
	training, _, err := s.config.Games()
	if err != nil {
		return nil, err
	}
	f, isFamily := training.(*family.Game)
	if !isFamily {
		return nil, nil
	}
	named, err := namedTables(s.config.Catalog(), f, s.config.League.Tables)
	if err != nil {
		return nil, err
	}
	from := agents.Sources{Catalog: s.config.Catalog(), Frozen: agents.FromBus(s.bus)}
	for _, table := range named {
		t, err := agents.TableOf(table, from, s.config.League.TableGames, s.config.Seed)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// namedTables returns as many tables of a family, at most, but for the default one.
func namedTables(games *catalog.Catalog, f *family.Game, most int) ([]catalog.NamedTable, error) {
	if most == 0 {
		return nil, nil
	}
	all, err := games.Tables(f.Default())
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(t catalog.NamedTable) bool {
		_, err := f.Encoding(t.Game)
		return err != nil
	})
	list := all[:min(len(all), most)]
	far := engine.RulesHash(f.Farthest())
	if slices.ContainsFunc(list, func(t catalog.NamedTable) bool { return engine.RulesHash(t.Game) == far }) {
		return list, nil
	}
	return append(list[:min(len(list), most-1)], catalog.NamedTable{Name: farthest, Game: f.Farthest()}), nil
}

// farthest is the name of the table that differs the most from the default one.
const farthest = "Farthest from the default"
