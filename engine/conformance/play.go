package conformance

import (
	"bytes"
	"context"
	"io"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/nightly"
	"croupier/internal/strict"
)

// checkIllegalSteps: what is not possible is refused with ErrIllegal and changes nothing.
func (c *suite) checkIllegalSteps(t *trial) {
	c.look(t, 500, func(s engine.State, past []int) {
		before := c.position(s)
		legal := map[int]bool{}
		for _, step := range possible(s) {
			legal[step] = true
		}
		steps := []int{-1 << 40, -3, -2, -1, 1 << 16, 1 << 40}
		for step := range max(c.spec.Actions, c.spec.Outcomes) + 2 {
			steps = append(steps, step)
		}
		for _, step := range steps {
			if !legal[step] {
				require.ErrorIs(t, s.Apply(step), engine.ErrIllegal, "%s: step %d", after(past), step)
			}
		}
		require.Equal(t, before, c.position(s), "%s: an illegal step changed the state", after(past))
		for _, step := range possible(s) {
			require.NoError(t, s.Clone().Apply(step), "%s: step %d", after(past), step)
		}
	})
}

// checkEnds: returns and scores, before the end and at it.
func (c *suite) checkEnds(t *trial) {
	c.visit(t, 5000, func(s engine.State, past []int) {
		c.requireResults(t, s, after(past))
	})
}

// checkCopies: a copy, a clone and a replay of the history are the same state, and none of them
// changes with the original. Each node costs a whole game, so of a long game every hundredth node
// is checked after the first ones.
func (c *suite) checkCopies(t *trial) {
	rng := engine.NewRNG(2, 0)
	used := c.game.NewState()
	c.look(t, 300, func(s engine.State, past []int) {
		if len(past) > nightly.Cases(60, 300) && len(past)%100 != 0 {
			return
		}
		before := c.position(s)
		clone := s.Clone()
		used.CopyFrom(s)
		replayed := c.replay(t, past)
		for _, other := range []engine.State{clone, used, replayed} {
			require.Equal(t, before, c.position(other), after(past))
		}
		for clone.Player() != engine.Terminal {
			step := NextStep(clone, rng)
			require.NoError(t, clone.Apply(step), after(past))
			require.NoError(t, used.Apply(step), after(past))
			require.NoError(t, replayed.Apply(step), after(past))
		}
		require.Equal(t, before, c.position(s), "%s: the state changes with its copy", after(past))
		require.Equal(t, c.position(clone), c.position(used), after(past))
		require.Equal(t, c.position(clone), c.position(replayed), after(past))
	})
}

// checkReset: from every node back to the beginning.
func (c *suite) checkReset(t *trial) {
	fresh := c.position(c.game.NewState())
	c.look(t, 500, func(s engine.State, past []int) {
		clone := s.Clone()
		clone.Reset()
		require.Equal(t, fresh, c.position(clone), after(past))
	})
}

// checkSeeds: the same seed gives the same game, even when goroutines share it.
func (c *suite) checkSeeds(t *trial) {
	const games = 10
	results, errs := make([][]byte, 4), make([]error, 4)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() { results[i], errs[i] = c.simulate(games) })
	}
	group.Wait()
	for i, result := range results {
		require.NoError(t, errs[i], "a game from a seed")
		require.Equal(t, string(results[0]), string(result), "the same seeds give other games when goroutines share the game")
	}
	lines := bytes.Split(bytes.TrimSpace(results[0]), []byte{'\n'})
	require.Len(t, lines, games, "records of games")
}

// simulate returns the records of random games with the seeds 0, 1, 2, …
func (c *suite) simulate(games uint64) (lines []byte, err error) {
	simulator, err := history.NewSimulator(c.game)
	if err != nil {
		return nil, err
	}
	var rec history.Record
	for seed := range games {
		if err := simulator.Play(seed, slices.Repeat([]engine.Bot{Random}, c.spec.Seats), &rec); err != nil {
			return nil, err
		}
		lines = history.Append(lines, &rec)
	}
	return lines, nil
}

// checkHistories: written and read again, a game replays with all its results, and a history
// that is cut off, continued or changed at the end is refused.
func (c *suite) checkHistories(t *trial, newGame New) {
	lines, err := c.simulate(20)
	require.NoError(t, err, "a game from a seed")
	find := func(name string, rules []byte) (engine.Game, error) {
		require.Equal(t, c.spec.Name, name)
		if reflect.TypeOf(c.game.Rules()).Kind() == reflect.Map { // whose keys nothing declares
			return newGame(rules)
		}
		written := reflect.New(reflect.TypeOf(c.game.Rules()))
		require.NoError(t, strict.JSON(rules).DecodeWhole(written.Interface()))
		require.Equal(t, c.game.Rules(), written.Elem().Interface())
		return c.game, nil
	}
	summary, err := history.Check(context.Background(), bytes.NewReader(lines), find, history.NewTrace(io.Discard))
	require.NoError(t, err)
	require.Equal(t, 20, summary.Games)

	reader, replayer := history.NewReader(bytes.NewReader(lines)), history.NewReplayer(c.game)
	var rec history.Record
	require.NoError(t, reader.Read(&rec))
	end := len(rec.History)
	for name, broken := range map[string]struct {
		history []int
		step    int
	}{
		"stops early": {rec.History[:end-1], end - 1},
		"continues":   {append(rec.History[:end:end], 0), end},
		"illegal":     {append(rec.History[:end-1:end-1], -1), end - 1},
	} {
		bad := rec
		bad.History = broken.history
		var wrong *history.Error
		require.ErrorAs(t, replayer.Replay(&bad, nil), &wrong, name)
		require.Equal(t, broken.step, wrong.Step, name)
	}
}

// checkAllocations: a game that calls every method used in play allocates nothing.
func (c *suite) checkAllocations(t *trial) {
	if _, ok := c.game.NewState().(engine.Deferred); ok {
		return
	}
	var (
		rng         engine.RNG
		s, copied   = c.game.NewState(), c.game.NewState()
		legal       = make([]int, 0, c.spec.Actions)
		outcomes    = make([]engine.Outcome, 0, c.spec.Outcomes)
		observation = make([]float32, c.spec.ObservationSize)
		key         = make([]byte, 0, 1<<16)
		returns     = make([]float64, c.spec.Seats)
		scores      = make([]int64, 0, c.spec.Seats)
		sums        = engine.NewSums(c.spec)
	)
	measured, _ := s.(engine.Measured)
	play := func() {
		rng.Seed(1, 0)
		for s.Reset(); s.Player() != engine.Terminal; {
			var step int
			if s.Player() == engine.Chance {
				outcomes = s.Outcomes(outcomes[:0])
				step = s.SampleChance(&rng)
			} else {
				legal = s.LegalActions(legal[:0])
				step = legal[rng.IntN(len(legal))]
			}
			for seat := range c.spec.Seats {
				s.Observe(seat, observation)
				key = s.InformationKey(seat, key[:0])
				s.Seen(seat, step)
			}
			copied.CopyFrom(s)
			s.Returns(returns)
			scores = s.Scores(scores[:0])
			if measured != nil {
				measured.MeasureStep(step, sums)
			}
			if err := s.Apply(step); err != nil {
				t.stop(err.Error())
			}
		}
		if measured != nil {
			measured.MeasureEnd(sums)
		}
	}
	require.Zero(t, allocations(20, play), "allocations per game")
}

// allocations returns the mean number of allocations of a call, after a first one.
func allocations(calls int, f func()) uint64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, now runtime.MemStats
	f()
	runtime.ReadMemStats(&before)
	for range calls {
		f()
	}
	runtime.ReadMemStats(&now)
	return (now.Mallocs - before.Mallocs) / uint64(calls)
}
