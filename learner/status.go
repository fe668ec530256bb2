package learner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/presence"
)

const (
	curveInterval = time.Second
	// lastInterval is the least that the last point of a training covers: rates over less say nothing.
	lastInterval = curveInterval / 10
	lastPatience = 3 * time.Second // for sending it, while somebody waits for the end
	// rateWindow is the period over which the heartbeat's rates are averaged.
	rateWindow = 10 * time.Second
)

// curve accumulates iterations until the next point of the curves. It belongs to the
// training goroutine.
type curve struct {
	last       time.Time
	from       counters // at the last point
	decisions  uint64   // ingested until the last point
	iterations int
	means      []train.Reading
	size       train.Volume
}

// begin makes now the start of the next rates.
func (c *curve) begin(l *Learner) {
	*c = curve{
		last: time.Now(), from: l.now(), decisions: l.ingestion.decisions.Load(), size: train.NewVolume(l.opts.Game.Spec()),
	}
}

// add adds an iteration.
func (c *curve) add(r train.Report, lag float64, size *train.Volume) {
	readings := append(r.Readings, []train.Reading{
		{Series: "learning_rate", Value: r.LearningRate},
		{Series: "gradient_norm", Value: r.GradientNorm},
		{Series: "lag", Value: lag},
	}...)
	if c.means == nil {
		c.means = make([]train.Reading, len(readings))
	}
	c.iterations++
	for i, r := range readings {
		mean := &c.means[i]
		mean.Series = r.Series
		mean.Value += (r.Value - mean.Value) / float64(c.iterations)
	}
	c.size.Merge(size)
}

// publish sends a point of every curve if the last one is so old and there is something to report:
// means over the iterations since the last point, and rates.
func (c *curve) publish(ctx context.Context, l *Learner, interval time.Duration) {
	elapsed := time.Since(c.last)
	if elapsed < interval || c.iterations == 0 {
		return
	}
	now, decisions := l.now(), l.ingestion.decisions.Load()
	rate := func(now, before uint64) float64 { return float64(now-before) / elapsed.Seconds() }
	values := append(c.means, []train.Reading{
		{Series: "updates_per_second", Value: rate(now.Updates, c.from.Updates)},
		{Series: "samples_per_second", Value: rate(now.Samples, c.from.Samples)},
		{Series: "games_per_second", Value: rate(now.Games, c.from.Games)},
		{Series: "decisions_per_second", Value: rate(decisions, c.decisions)},
		{Series: "episode_length", Value: float64(c.size.Decisions) / float64(c.size.Sequences)},
	}...)
	points := &messages.Points{
		Schema: messages.SchemaVersion, Source: messages.LearnerOf(l.opts.Agent), Seconds: now.Seconds, Samples: now.Samples,
	}
	for _, v := range values {
		points.Points = append(points.Points, &messages.Point{Series: v.Series, Value: v.Value})
	}
	if c := l.opts.Curriculum; len(c) > 0 {
		points.Points = append(points.Points, &messages.Point{Series: "stage", Value: float64(c.Place(l.stage.Load()))})
	}
	for i, f := range l.opts.Game.Spec().Figures {
		if e, ok := messages.EstimateFigure(f, c.size.Figures[i]); ok {
			l.metrics.figures.WithLabelValues(f.Name).Set(e.Value)
			points.Points = append(points.Points, &messages.Point{
				Series: messages.FigurePrefix + f.Name, Value: e.Value, Low: e.Low, High: e.High, HasInterval: true,
			})
		}
	}
	c.begin(l)
	if err := l.sendPoints(ctx, points); err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		l.metrics.failures.WithLabelValues(opCurves).Inc()
		l.log.Warn("curve points not published", "error", err)
	}
}

func (l *Learner) sendPoints(ctx context.Context, points *messages.Points) error {
	data, err := messages.Encode(points)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return l.opts.Bus.Publish(ctx, bus.Curves, messages.LearnerKey(l.opts.Agent), data)
}

// finish sends the points that the end of training has cut short, so that a training of less than an
// interval has curves as well. Where the broker is away they are not waited for.
func (c *curve) finish(ctx context.Context, l *Learner) {
	if !l.opts.Bus.Connected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPatience)
	defer cancel()
	c.publish(ctx, l, lastInterval)
}

// heartbeat reports that the learner is alive and how far it is, until ctx ends.
func (l *Learner) heartbeat(ctx context.Context) error {
	process := l.opts.Process(messages.LearnerRole, l.opts.ID)
	process.Agent, process.Started = l.opts.Agent, l.started
	var window []counters
	var hunger hunger
	useless := l.ingestion.uselessShare()
	return process.Run(ctx, func(context.Context) presence.State {
		window = append(window, l.now())
		if len(window) > int(rateWindow/presence.Period) {
			window = window[1:]
		}
		s := l.status(window)
		s.Values[messages.RefusedShare] = useless()
		s.Values[messages.WithoutGames] = hunger.look(l.waiting.Load(), s.Values["episodes"], time.Now()).Seconds()
		return s
	}, func(err error) {
		l.metrics.failures.WithLabelValues(opHeartbeat).Inc()
		l.log.Debug("heartbeat not sent", "error", err)
	})
}

// hunger is how long a learner has waited without a game having come, as its heartbeats see it.
type hunger struct {
	since time.Time // zero before the first beat
	games float64
}

// look returns the time since the last beat at which the learner was at work, or had more games than the beat before.
func (h *hunger) look(waiting bool, games float64, now time.Time) time.Duration {
	if !waiting || games != h.games || h.since.IsZero() {
		h.since, h.games = now, games
	}
	return now.Sub(h.since)
}

// status returns the content of a heartbeat; window holds the counters of the last beats.
func (l *Learner) status(window []counters) presence.State {
	values := l.ingestion.totals()
	from, now := window[0], window[len(window)-1]
	elapsed := max(now.Seconds-from.Seconds, 1e-9)
	for name, value := range map[string]float64{
		"version":            float64(l.newest.Load()),
		"updates":            float64(now.Updates),
		"samples":            float64(now.Samples),
		"games":              float64(now.Games),
		"seconds":            now.Seconds,
		"lag":                l.lastLag(),
		messages.Troubles:    float64(l.troubles.count()),
		"setbacks":           float64(now.Setbacks),
		"resets":             float64(now.Resets),
		"actors_set_aside":   float64(l.ingestion.conduct.Count()),
		"group_peers":        float64(len(l.group.status())),
		"samples_per_second": float64(now.Samples-from.Samples) / elapsed,
		"updates_per_second": float64(now.Updates-from.Updates) / elapsed,
	} {
		values[name] = value
	}
	if c := l.opts.Curriculum; len(c) > 0 {
		values["stage"], values["stages"] = float64(c.Place(l.stage.Load())), float64(len(c)+1)
	}
	return presence.State{Words: l.state(), Values: values}
}

// state describes in words what the learner is doing.
func (l *Learner) state() string {
	trouble := l.troubles.err()
	if trouble == nil && l.opts.Trouble != nil {
		trouble = l.opts.Trouble()
	}
	switch {
	case trouble != nil:
		return trouble.Error()
	case l.newest.Load() == 0:
		return "starting"
	case l.waiting.Load():
		return "waiting for experience"
	case l.slowed.Load() > 1 && l.fellBack.Load() != nil:
		return fmt.Sprintf("training with 1/%d of the learning rate from %s on, because later versions were weaker",
			l.slowed.Load(), l.fellBack.Load().Best)
	case l.slowed.Load() > 1:
		return fmt.Sprintf("training with 1/%d of the learning rate, because iterations were undone", l.slowed.Load())
	case len(l.opts.Curriculum) > 0:
		return "training: " + l.stageInWords() + l.group.inWords()
	}
	return "training" + l.group.inWords()
}

// stageInWords names the current stage of the curriculum.
func (l *Learner) stageInWords() string {
	c, stage := l.opts.Curriculum, l.stage.Load()
	return fmt.Sprintf("stage %d of %d, %s", c.Place(stage), len(c)+1, c.Games(l.opts.Game)[stage].Spec().Name)
}
