package league

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/sealed"
	"croupier/league/rating"
	"croupier/messages"
)

// LadderFile is the ladder in the directory of a run or tournament.
const LadderFile = "ladder.json"

// WriteLadder writes a run directory's copy.
func WriteLadder(dir string, l *messages.Ladder) error {
	_, err := writeLadder(dir, l)
	return err
}

// writeLadder writes a run directory's copy and returns its size in bytes.
func writeLadder(dir string, l *messages.Ladder) (bytes int, err error) {
	doc, err := sealed.Document(l)
	if err != nil {
		return 0, fmt.Errorf("ladder document: %w", err)
	}
	return len(doc), durable.WriteFile(filepath.Join(dir, LadderFile), doc)
}

// shown is the newest ladder for others.
type shown struct{ broker, file copyOf }

// copyOf is a copy of the newest ladder that follows it, as fast as its size allows.
type copyOf struct {
	next *messages.Ladder // nil: the newest is there
	due  time.Time        // when it may follow the one before it
}

// ladderRate bounds the bytes of ladders that are published in a second, and those that are written: a ladder of
// hundreds of agents takes megabytes, and every result changes it.
const ladderRate = 64 << 10

// take returns the ladder that is to follow now, nil for none.
func (c *copyOf) take(at time.Time, now bool) (next *messages.Ladder) {
	if now || !at.Before(c.due) {
		next, c.next = c.next, nil
	}
	return next
}

// done notes that a copy has been made of that many bytes.
func (c *copyOf) done(at time.Time, bytes int) {
	c.due = at.Add(time.Duration(bytes) * time.Second / ladderRate)
}

// showNext has a ladder follow the last one, and measures what it shows of the sets.
func (l *League) showNext(ladder *messages.Ladder) {
	l.shown.broker.next, l.shown.file.next = ladder, ladder
	if ratio, ok := l.core.SetVarianceRatio(); ok {
		l.metrics.duplicates.Set(ratio)
	}
}

// showLadder publishes the newest ladder and writes the run directory's copy, each at once, or unless the last one was
// too large to be followed already. A failure to write is no reason to stop rating: the next ladder is another attempt.
func (l *League) showLadder(at time.Time, now bool) error {
	if ladder := l.shown.broker.take(at, now); ladder != nil {
		doc, err := ladder.Within(messages.MaxMessage)
		if err != nil {
			return err
		}
		l.shown.broker.done(at, len(doc))
		if len(doc) <= messages.MaxMessage {
			l.outbox.put(messages.LadderKey, doc)
		} else {
			l.log.Error("ladder too large for the broker: lower league.ladder_members", "bytes", len(doc))
		}
	}
	if ladder := l.shown.file.take(at, now); ladder != nil && l.o.Dir != "" {
		bytes, err := writeLadder(l.o.Dir, ladder)
		l.shown.file.done(at, bytes)
		l.note("ladder not written", "ladder written again", err)
	}
	return nil
}

// logContradicted logs, once for each, which recorded results do not count: the agents or the rules are not what they
// were.
func (l *League) logContradicted() {
	for _, r := range l.core.standing.Contradicted {
		if pair := rating.NewKey(r.A, r.B); !l.contradicted[pair] {
			l.contradicted[pair] = true
			l.log.Warn("games of two references come out otherwise than those recorded with the program, which do not count",
				"agent", r.A, "other", r.B, "recorded", r.OfA.Value, "low", r.OfA.Low, "high", r.OfA.High)
		}
	}
}

// ErrNoLadder: the league of a run has not written a ladder yet.
var ErrNoLadder = errors.New("no ladder yet")

// maxLadder is more bytes than a ladder of thousands of agents takes.
const maxLadder = 256 << 20

// ReadLadder reads the newest ladder of a run directory.
func ReadLadder(dir string) (*messages.Ladder, error) {
	path := filepath.Join(dir, LadderFile)
	doc, err := regular.Read(path, maxLadder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: the league writes it within seconds of its start", dir, ErrNoLadder)
	}
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	l, _, err := openLadder(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// openLadder reads a run directory's copy.
func openLadder(doc []byte) (l *messages.Ladder, c sealed.Condition, err error) {
	var content json.RawMessage
	if c, err = sealed.OpenDocument(doc, &content); err == nil {
		l, err = messages.ParseLadder(content)
	}
	return l, c, err
}
