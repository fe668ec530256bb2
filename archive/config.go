package archive

import "croupier/internal/strict"

// Config reports which games are kept.
type Config struct {
	// MaxBytes is the size on disk that the archive never exceeds. 0: no game is kept.
	MaxBytes int64 `yaml:"max_bytes"`
	// TrainingShare is the share of the training games that are kept.
	TrainingShare float64 `yaml:"training_share"`
	// TrainingPerSecond is the most training games that each worker of an actor gives per
	// second, on average. Long games count as several: as one for every 500 steps.
	TrainingPerSecond float64 `yaml:"training_per_second"`
	// ArenaPerSecond is the most games of the arena that each worker of an actor gives per
	// second, counted in the same way: matches are kept whole or not at all.
	ArenaPerSecond float64 `yaml:"arena_per_second"`
	// JudgedGames is how many of the games that a best version has lost are judged while processor cores are idle, for
	// the page of the run. 0: none.
	JudgedGames int `yaml:"judged_games"`
}

// leastBytes is room for a segment of every class.
const leastBytes = 1 << 20

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{
		MaxBytes:          256 << 20, // millions of games
		TrainingShare:     0.01,
		TrainingPerSecond: 5,
		ArenaPerSecond:    50,
		JudgedGames:       100,
	}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.MaxBytes != 0 && (c.MaxBytes < leastBytes || c.MaxBytes > 1<<40):
		return strict.Errorf("max_bytes", "%d is neither 0 nor in %d..%d", c.MaxBytes, leastBytes, int64(1)<<40)
	case !(c.TrainingShare >= 0 && c.TrainingShare <= 1):
		return strict.Errorf("training_share", "%v is not in 0..1", c.TrainingShare)
	case !(c.TrainingPerSecond >= 0 && c.TrainingPerSecond <= 1e6):
		return strict.Errorf("training_per_second", "%v is not in 0..1000000", c.TrainingPerSecond)
	case !(c.ArenaPerSecond >= 0 && c.ArenaPerSecond <= 1e6):
		return strict.Errorf("arena_per_second", "%v is not in 0..1000000", c.ArenaPerSecond)
	case c.JudgedGames < 0 || c.JudgedGames > maxReviews:
		return strict.Errorf("judged_games", "%d is not in 0..%d", c.JudgedGames, maxReviews)
	}
	return nil
}
