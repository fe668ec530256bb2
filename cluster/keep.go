package cluster

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"croupier/actor"
	"croupier/archive"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/curves"
)

// Times of keeping the curves.
const (
	keepRetry   = time.Second      // after the stream could not be read
	keepCheck   = 10 * time.Second // between looks whether the stream began again
	keepPatient = 5 * time.Second  // for the last messages at the end, while somebody waits for it
	keepAlone   = time.Second      // the same where the broker is away
)

// curveWriter writes the learning curves of the run into its directory. Training does not fail with it:
// what could not be written is logged, and missing in the curves of the run once it has ended.
type curveWriter struct {
	*node
	writer *curves.Writer
}

// curvesRole keeps the curves.
func (s *node) curvesRole() role {
	return role{run: func(ctx context.Context) error { s.keepCurves(ctx); return nil }}
}

// keepCurves follows the stream of curves until ctx ends, and then writes what is still in it.
func (s *node) keepCurves(ctx context.Context) {
	writer, err := curves.Open(filepath.Join(s.dir, rundir.CurvesFile))
	if err != nil {
		s.log.Warn("the curves are not kept in the run directory", "error", err)
		return
	}
	if n := writer.Damaged(); n > 0 {
		s.log.Warn("lines of the learning curves are damaged, and their points are missing", "file", rundir.CurvesFile,
			"lines", n)
	}
	k := &curveWriter{s, writer}
	for ctx.Err() == nil {
		if s.room() != nil { // the stream keeps them
			sleep(ctx, keepRetry)
			continue
		}
		k.restarted(ctx)
		part, cancel := context.WithTimeout(ctx, keepCheck)
		err := k.read(part, false)
		cancel()
		if err == nil {
			continue
		}
		s.log.Debug("the curves cannot be read, trying again", "error", err)
		sleep(ctx, keepRetry)
	}
	patience := keepPatient
	if !s.bus.Connected() {
		patience = keepAlone
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := k.read(last, true); err != nil {
		s.log.Warn("the last points of the curves are not kept in the run directory", "error", err)
	}
	if s.events != nil {
		if err := s.events.Close(); err != nil {
			s.log.Warn("the event file may not be complete", "error", err)
		}
	}
	if err := writer.Close(); err != nil {
		s.log.Warn("the curves may not be kept in the run directory", "error", err)
	}
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// restarted notices a stream that ends before what was written: it is another one.
func (k *curveWriter) restarted(ctx context.Context) {
	info, err := k.bus.Info(ctx, bus.Curves)
	if err == nil && info.Last+1 < k.writer.Next() {
		k.writer.Restart()
	}
}

// read writes the messages that come until ctx ends, or, if only what is there is wanted, until those
// are written; that ctx ended before they were is then an error.
func (k *curveWriter) read(ctx context.Context, there bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := k.bus.Read(ctx, bus.Curves, k.writer.Next())
	if err != nil {
		return err
	}
	for msg := range stream {
		if msg == nil {
			if there {
				return nil
			}
			continue
		}
		if err := k.writer.Append(msg.Sequence(), msg.Data()); err != nil {
			k.log.Warn("a point of the curves is not kept in the run directory", "error", err)
		}
		if err := k.addEvent(msg.Data()); err != nil {
			k.log.Warn("a point of the curves is missing in the event file", "error", err)
		}
	}
	if there {
		return context.Cause(ctx)
	}
	return nil
}

// addEvent writes a message into the event file, if there is one.
func (k *curveWriter) addEvent(data []byte) error {
	if k.events == nil {
		return nil
	}
	var points messages.Points
	if err := messages.Decode(data, &points); err != nil {
		return err
	}
	return k.events.Add(points.InCoin(k.game.Spec()))
}

// reach says in the run directory how to reach its broker, so that croupier web finds a run that is
// running. remove takes it away again.
func (s *node) reach(b Broker) (remove func()) {
	r := rundir.Reach{URL: b.URL}
	for _, file := range []struct{ from, to *string }{
		{&b.Credentials, &r.Credentials}, {&b.CA, &r.CA}, {&b.Cert, &r.Cert}, {&b.Key, &r.Key},
	} {
		if path, err := filepath.Abs(*file.from); *file.from != "" && err == nil {
			*file.to = path
		}
	}
	remove, err := rundir.WriteReach(s.dir, r)
	if err != nil {
		s.log.Warn("croupier web will not find the run while it is running", "error", err)
	}
	return remove
}

// growing are the files of a run that are only appended to.
func growing() []string {
	return slices.Concat(curves.Part.Grows, actor.Part.Grows, archive.Part.Grows)
}
