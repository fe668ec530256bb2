package cluster

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/rundir"
	"croupier/learner"
	"croupier/messages"
	"croupier/messages/curves"
	"croupier/web"
)

// ListRuns describes the runs below a directory, the newest first. A directory that is not there has none.
func ListRuns(ctx context.Context, games *catalog.Catalog, dir string) ([]web.RunSummary, error) {
	return newRunList(games, dir, false, slog.New(slog.DiscardHandler)).List(ctx)
}

// CountRuns returns how many runs are below a directory.
func CountRuns(dir string) (int, error) {
	ids, err := newRunList(nil, dir, false, slog.New(slog.DiscardHandler)).ids()
	return len(ids), err
}

// summaryOf describes the run in a directory, whose game is nil where it is not known. The first file that cannot be
// read is its problem.
func summaryOf(dir string, game engine.Game, state rundir.State, session rundir.Session) web.RunSummary {
	s := web.RunSummary{State: string(state)}
	complain := func(err error) {
		if err != nil && s.Problem == "" {
			s.Problem = err.Error()
		}
	}
	info, err := rundir.ReadInfo(dir)
	complain(err)
	s.Game, s.Title, s.Kind, s.Created, s.Order = info.Game, info.Game, info.Kind, info.Created, info.Order
	if game != nil {
		s.Title = game.Spec().Title
	}
	label, err := rundir.ReadLabel(dir)
	complain(err)
	s.Label = web.Label(label)
	totals, err := learner.ReadTotals(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		complain(err)
	}
	s.Games, s.Samples, s.Seconds = totals.Games, totals.Samples, totals.Trained.Seconds()
	if state != rundir.Ended { // what was done after the newest checkpoint
		if r, found := curves.Newest(filepath.Join(dir, rundir.CurvesFile), messages.LearnerRole); found {
			s.Seconds, s.Samples = max(s.Seconds, r.Points.Seconds), max(s.Samples, r.Points.Samples)
		}
	}
	if state != rundir.Running {
		s.Ended = endOf(dir, session)
	}
	ladder, err := readLadder(dir)
	complain(err)
	ladder = ladder.InCoin(specOf(game))
	best, found := ladder.Best()
	if info.Kind == rundir.Tournament && ladder != nil && len(ladder.Agents) > 0 {
		best, found = ladder.Agents[0], true
		for _, a := range ladder.Agents {
			s.Games += a.Games
		}
		s.Games /= 2 // each game is one of two agents
	}
	if found {
		s.Best = best.Name
		s.Rating = &web.RunRating{
			Interval: messages.Interval{Value: best.Rating, Low: best.Low, High: best.High},
			Unit:     ladder.Scale.Unit, Zero: ladder.Scale.Zero, Decimals: ladder.Scale.Decimals,
		}
	}
	return s
}

// endOf returns when a run ended. Where nothing says it, it is when its files were last written.
func endOf(dir string, session rundir.Session) (end time.Time) {
	if !session.Ended.IsZero() {
		return session.Ended
	}
	for _, name := range summaryFiles {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.ModTime().After(end) {
			end = info.ModTime()
		}
	}
	return end.UTC()
}

// ending reports how a run has ended, for its pages.
func ending(s web.RunSummary, note string) *web.Ending {
	return &web.Ending{State: s.State, At: s.Ended, Seconds: s.Seconds, Best: s.Best, Note: note}
}

// summary describes the node's run, as far as it is known: from its directory, if that is here.
func (s *node) summary() web.RunSummary {
	summary := web.RunSummary{State: string(rundir.Running)}
	if dir := s.view().Dir; dir != "" {
		session, _ := rundir.ReadSession(dir) // reported for lists of runs; here the page shows the run itself
		summary = summaryOf(dir, s.game, rundir.StateOf(dir, session, messages.LearnerRole), session)
		summary.Bytes = sizeOf(dir)
	}
	summary.ID, summary.Game, summary.Title = s.config.Run, s.config.Game, s.game.Spec().Title
	return summary
}
