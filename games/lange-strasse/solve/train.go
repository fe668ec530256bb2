package solve

import (
	"context"
	"fmt"
	"math"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
)

// TrainConfig are the settings of [Train].
type TrainConfig struct {
	Seed        uint64
	Opening     int // games of the turn optimum to which the first values are fitted
	Iterations  int
	Games       int // of self-play in an iteration
	Steps       int // of the fit in an iteration, for each seat
	Validation  int // games that measure the errors of the final values
	Workers     int // goroutines that play; the result does not depend on it
	Explore     float64
	Lambda      float64 // of the targets
	RateStart   float64
	RateEnd     float64 // learning rate of the last step
	KeepSamples int     // of each seat, the newest
}

// DefaultTrainConfig makes the values built into the program.
func DefaultTrainConfig() TrainConfig {
	return TrainConfig{
		Seed: 1, Opening: 30_000, Iterations: 10, Games: 500, Steps: 3000, Validation: 70, Workers: 1,
		Explore: 0.1, Lambda: 0.9, RateStart: 1e-3, RateEnd: 2e-5, KeepSamples: 100_000,
	}
}

// Validate reports which setting is out of range.
func (c *TrainConfig) Validate() error {
	for _, setting := range []struct {
		name         string
		value, least int
	}{
		{"opening", c.Opening, 1}, {"iterations", c.Iterations, 0}, {"games", c.Games, 1}, {"steps", c.Steps, 1},
		{"validation", c.Validation, 1}, {"workers", c.Workers, 1},
	} {
		if setting.value < setting.least {
			return fmt.Errorf("%s is %d, must be at least %d", setting.name, setting.value, setting.least)
		}
	}
	return nil
}

// TrainProgress is the outcome of an iteration. Iteration 0 is the fit to games of the turn
// optimum.
type TrainProgress struct {
	Iteration, Of int
	Samples       int
	Loss          float64 // root mean squared error of the fit at its end, units
	// Residual is the root mean squared difference, in units, between the values of the
	// iteration's standings and their backups by one turn; Correction is the same for the targets.
	Residual, Correction float64
}

// String reports how far training has come.
func (p TrainProgress) String() string {
	if p.Iteration == 0 {
		return fmt.Sprintf("fitted to %d turns of games between turn optima: error %.3f units", p.Samples, p.Loss)
	}
	return fmt.Sprintf("iteration %d of %d: one turn changes values by %.4f units, targets by %.4f; "+
		"%d turns kept, error of the fit %.4f", p.Iteration, p.Of, p.Residual, p.Correction, p.Samples, p.Loss)
}

// Train makes values by fitted value iteration on self-play: it plays games with the values so
// far, solving every turn exactly, and fits the values to the targets of [correct]. The first
// values are fitted to the results of games between turn optima.
func Train(ctx context.Context, c TrainConfig, progress func(TrainProgress)) (*Values, error) {
	game, err := langestrasse.New(nil)
	if err != nil {
		return nil, err
	}
	t := &trainer{config: c, game: game, rng: engine.NewRNG(c.Seed, 0)}
	for seat := range t.fitters {
		t.fitters[seat] = newFitter(newNetwork(t.rng))
	}
	if err := t.open(ctx); err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	for i := 0; ; i++ {
		t.report.Loss = t.fit()
		t.report.Iteration, t.report.Of = i, c.Iterations
		for _, s := range t.samples {
			t.report.Samples += len(s)
		}
		progress(t.report)
		t.report = TrainProgress{}
		if i == c.Iterations {
			break
		}
		if err := t.iterate(ctx, i); err != nil {
			return nil, fmt.Errorf("training: %w", err)
		}
	}
	values := t.values()
	return values, t.measure(ctx, values)
}

type trainer struct {
	config  TrainConfig
	game    engine.Game
	rng     *engine.RNG
	fitters [seats]*fitter
	samples [seats][]sample
	report  TrainProgress
	fits    int
}

// values returns a copy of the values as they are.
func (t *trainer) values() *Values {
	var networks [seats]*network
	for seat, f := range t.fitters {
		networks[seat] = f.network.clone()
	}
	return newValues(networks)
}

// open samples games of the turn optimum; the targets are the money won.
func (t *trainer) open(ctx context.Context) error {
	bot, err := t.game.Bots().New("turn-optimum")
	if err != nil {
		return err
	}
	var (
		p       = &selfPlay{state: t.game.NewState().(*langestrasse.State)}
		table   = reach()
		pending []sample
		seatsOf []int8
	)
	for i := range t.config.Opening {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		seed := engine.GameSeed(t.config.Seed, "opening", uint64(i))
		dice := engine.NewRNG(seed, engine.ChanceStream)
		pending, seatsOf = pending[:0], seatsOf[:0]
		for p.state.Reset(); p.state.Player() != engine.Terminal; {
			standing := p.state.Standing()
			s := sample{}
			describe(&standing, table, s.input[:])
			for seat, ct := range p.state.Money() {
				s.target[seat] = -float32(ct) / unit
			}
			pending, seatsOf = append(pending, s), append(seatsOf, standing.Seat)
			if err := p.turn(bot, dice, nil); err != nil {
				return err
			}
		}
		for j, s := range pending {
			for seat, ct := range p.state.Money() {
				s.target[seat] += float32(ct) / unit
			}
			t.samples[seatsOf[j]] = append(t.samples[seatsOf[j]], s)
		}
	}
	return nil
}

// iterate plays the games of an iteration and keeps their samples.
func (t *trainer) iterate(ctx context.Context, iteration int) error {
	if iteration == 0 {
		t.samples = [seats][]sample{}
	}
	c := &t.config
	games, err := t.play(ctx, t.values(), iteration)
	if err != nil {
		return err
	}
	turns, residual, correction := 0, 0.0, 0.0
	for _, records := range games {
		for i, m := range correct(records, float32(c.Lambda)) {
			r := &records[i]
			s := sample{input: r.input}
			for seat := range m {
				s.target[seat] = r.value[seat] + m[seat]
				residual += square(r.backup[seat] - r.value[seat])
				correction += square(m[seat])
			}
			turns++
			t.samples[r.seat] = append(t.samples[r.seat], s)
		}
	}
	t.report.Residual = math.Sqrt(residual / float64(turns*seats))
	t.report.Correction = math.Sqrt(correction / float64(turns*seats))
	for seat, s := range t.samples {
		if n := len(s); n > c.KeepSamples {
			t.samples[seat] = append([]sample(nil), s[n-c.KeepSamples:]...)
		}
	}
	return nil
}

func square[F float32 | float64](x F) float64 { return float64(x) * float64(x) }

// play plays games of self-play and returns their records in order.
func (t *trainer) play(ctx context.Context, v *Values, iteration int) ([][]turnRecord, error) {
	c := &t.config
	games := make([][]turnRecord, c.Games)
	return games, t.share(ctx, v, c.Games, func(p *selfPlay, i int) (err error) {
		games[i], err = p.play(engine.GameSeed(c.Seed, "iteration", uint64(iteration*c.Games+i)), c.Explore)
		return err
	})
}

// share divides n games among the workers.
func (t *trainer) share(ctx context.Context, v *Values, n int, game func(p *selfPlay, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for worker := range t.config.Workers {
		group.Go(func() error {
			p, err := newSelfPlay(t.game, v)
			if err != nil {
				return err
			}
			for i := worker; i < n && ctx.Err() == nil; i += t.config.Workers {
				if err := game(p, i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

// fit makes the steps of an iteration and returns the error over its last tenth.
func (t *trainer) fit() float64 {
	c, loss, counted := &t.config, 0.0, 0
	for step := range c.Steps {
		done := float64(t.fits*c.Steps+step) / float64((c.Iterations+1)*c.Steps)
		rate := c.RateStart * math.Pow(c.RateEnd/c.RateStart, done)
		for seat, f := range t.fitters {
			l := f.step(t.samples[seat], rate, t.rng)
			if step >= c.Steps*9/10 {
				loss += l
				counted++
			}
		}
	}
	t.fits++
	return math.Sqrt(loss / float64(max(counted, 1)))
}

// measure sets the errors of the values from fresh games, see [selfPlay.errors].
func (t *trainer) measure(ctx context.Context, v *Values) error {
	games := make([]errorSums, t.config.Validation)
	err := t.share(ctx, v, len(games), func(p *selfPlay, i int) (err error) {
		games[i], err = p.errors(engine.GameSeed(t.config.Seed, "validation", uint64(i)))
		return err
	})
	if err != nil {
		return fmt.Errorf("training: %w", err)
	}
	var sums errorSums
	for i := range games {
		sums.add(&games[i])
	}
	v.errors = sums.errors()
	return nil
}
