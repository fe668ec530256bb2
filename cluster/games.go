package cluster

import (
	"croupier/actor"
	"croupier/archive"
	"croupier/archive/keeper"
	"croupier/engine"
)

// keeping says which games actors offer to the archive: none where none are kept.
func keeping(c archive.Config) actor.Keeping {
	if c.MaxBytes == 0 {
		return actor.Keeping{}
	}
	return actor.Keeping{
		TrainingShare: c.TrainingShare, TrainingPerSecond: c.TrainingPerSecond, ArenaPerSecond: c.ArenaPerSecond,
	}
}

// newKeeper makes the keeper of the run's archive, which is one for each run: it works where
// the learner works.
func (s *site) newKeeper() (*keeper.Keeper, error) {
	_, curriculum, err := s.config.Games()
	if err != nil {
		return nil, err
	}
	var stages []engine.Game
	for _, stage := range curriculum {
		stages = append(stages, stage.Game)
	}
	return keeper.New(keeper.Options{
		Bus: s.bus, Game: s.game, Stages: stages, Config: s.config.Archive,
		Run: s.config.Run, RunSeed: s.config.Seed, Dir: s.dir, Registerer: s.registry, Log: s.log,
	})
}
