package learner

// DQNConfig holds the hyperparameters of DQN alone. Values that have a start and an end
// move linearly with the progress of the run.
type DQNConfig struct {
	Samples     int     `yaml:"samples"`      // new decisions gathered for one iteration
	ReplayRatio float64 `yaml:"replay_ratio"` // decisions drawn from the replay buffer for each new one
	Minibatch   int     `yaml:"minibatch"`    // decisions in one update, at most

	ReplayDecisions int `yaml:"replay_decisions"` // decisions that the replay buffer keeps
	ReplayMegabytes int `yaml:"replay_megabytes"` // memory that it may take

	NStep          int `yaml:"n_step"`          // own decisions between a state and the one whose value it is pulled to
	TargetInterval int `yaml:"target_interval"` // updates between two copies to the target network

	PriorityExponent float64 `yaml:"priority_exponent"` // how much more often games with large errors are drawn; 0: all alike
	CorrectionStart  float64 `yaml:"correction_start"`  // how far weights in the loss make up for that; 1: in full
	CorrectionEnd    float64 `yaml:"correction_end"`

	ExplorationStart    float64 `yaml:"exploration_start"`    // part of the decisions in training games that is random
	ExplorationEnd      float64 `yaml:"exploration_end"`      //
	ExplorationFraction float64 `yaml:"exploration_fraction"` // part of the run after which the end is reached
}

func defaultDQN() DQNConfig {
	return DQNConfig{
		Samples:     4096, // a new version some times a second on two cores
		ReplayRatio: 4,    // as often as PPO sees a decision; Mnih et al. 2015 have 8
		Minibatch:   512,  // R2D2 and Ape-X: 64 and 512; small networks need large matrices

		ReplayDecisions: 1_000_000, // Mnih et al. 2015
		ReplayMegabytes: 512,

		NStep:          5,   // R2D2; Rainbow has 3
		TargetInterval: 200, // 100,000 decisions; Mnih et al. 2015: 10,000 updates of 32

		PriorityExponent: 0.6, // Schaul et al. 2016, section 4, as are the next two
		CorrectionStart:  0.4,
		CorrectionEnd:    1,

		ExplorationStart:    1,
		ExplorationEnd:      0.05,
		ExplorationFraction: 0.1, // Mnih et al. 2015 take 2 % of a much longer run
	}
}

func (c *DQNConfig) check(s *settings) {
	s.whole("samples", c.Samples, 1, 1<<24)
	s.positive("replay_ratio", c.ReplayRatio)
	s.whole("minibatch", c.Minibatch, 1, 1<<20)
	s.whole("replay_decisions", c.ReplayDecisions, 1, 1<<40)
	s.whole("replay_megabytes", c.ReplayMegabytes, 1, 1<<20)
	s.whole("n_step", c.NStep, 1, 1<<20)
	s.whole("target_interval", c.TargetInterval, 1, 1<<30)
	s.share("priority_exponent", c.PriorityExponent)
	s.share("correction_start", c.CorrectionStart)
	s.share("correction_end", c.CorrectionEnd)
	s.share("exploration_start", c.ExplorationStart)
	s.share("exploration_end", c.ExplorationEnd)
	s.check(c.ExplorationFraction > 0 && c.ExplorationFraction <= 1, "exploration_fraction", c.ExplorationFraction, "above 0 and at most 1")
}

// exploration is ε after the given part of the run, 0..1.
func (c *DQNConfig) exploration(progress float64) float64 {
	return linear(c.ExplorationStart, c.ExplorationEnd, min(progress/c.ExplorationFraction, 1))
}
