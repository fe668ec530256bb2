package cluster

import (
	"context"
	"errors"
	"strings"

	"croupier/internal/space"
)

// health is what a process says of itself at /healthz: err if it does not do its work, else a warning, "" for
// none.
type health func() (warning string, err error)

// alive is the health of this process: that of its role and of its disk.
func (s *node) alive() (warning string, err error) {
	if err := s.healthy(); err != nil {
		return "", err
	}
	warning, err = roomLeft(s.room())
	return lines(warning, warningsOf(s.unread...)), err
}

// warningsOf reports which files that a process follows cannot be read again, each on a line.
func warningsOf(unread ...func() error) (text string) {
	for _, problem := range unread {
		if err := problem(); err != nil {
			text = lines(text, err.Error())
		}
	}
	return text
}

// lines returns two texts on lines of their own.
func lines(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }

// roomLeft distinguishes a disk that fills up, of which work that can be done without takes notice, from one on which
// hardly anything is written any more.
func roomLeft(problem error) (warning string, err error) {
	var full *space.NearlyFullError
	if errors.As(problem, &full) && full.Level == space.Low {
		return problem.Error(), nil
	}
	return "", problem
}

// watchRoom watches the file system of the run directory until ctx ends.
func (s *node) watchRoom(ctx context.Context) {
	watch := space.New(s.dir, s.config.Disk)
	s.disk.Store(watch)
	s.registry.MustRegister(watch.Collector("run"))
	tell := func(level space.Level) {
		if level == space.Enough {
			s.log.Info("there is room on the disk again")
		} else {
			s.log.Warn("the archive and the curves in the run directory wait", "reason", watch.Problem())
		}
	}
	if watch.Level() != space.Enough {
		tell(watch.Level())
	}
	go watch.Run(ctx, tell)
}

// room reports that the disk of the run directory is nearly full, nil if it is not or is not watched.
func (s *node) room() error {
	if watch := s.disk.Load(); watch != nil {
		return watch.Problem()
	}
	return nil
}
