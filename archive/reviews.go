package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/internal/sealed"
)

const (
	reviewsFile = "reviews.jsonl"
	// maxReviews bounds the reviews that are kept, some 200 bytes each: the oldest go first.
	maxReviews = 20_000
)

// Review is what a review found to be a game's most expensive decision.
type Review struct {
	// Judge is who judged.
	Judge string  `json:"judge"`
	Why   string  `json:"why,omitempty"` // the judge was asked, in words
	Loss  float64 `json:"loss"`          // at least 0, in Unit
	Unit  string  `json:"unit"`
	Exact bool    `json:"exact"` // the values were computed, not estimated
	Step  int     `json:"step"`  // of the decision, index in the history; -1: there was none
	Seat  int     `json:"seat"`  // whose decision
	Taken string  `json:"taken"` // the action's name
	Best  string  `json:"best"`  // what would have been best
	// Mistakes are the most expensive certain mistake of each seat that made one, the most expensive first; nil: the
	// judge did not distinguish certain mistakes.
	Mistakes []Mistake `json:"mistakes"`
}

// Mistake is a decision that certainly lost something.
type Mistake struct {
	Loss  float64 `json:"loss"` // in the unit of the review
	Step  int     `json:"step"`
	Seat  int     `json:"seat"`
	Taken string  `json:"taken"`
	Best  string  `json:"best"`
}

// reviewed is a line of the file of reviews.
type reviewed struct {
	ID ID `json:"id"`
	Review
}

// AddReviews stores reviews next to the games; the newest of a game counts. Any process may.
func AddReviews(run string, reviews map[ID]Review) (err error) {
	if len(reviews) == 0 {
		return nil
	}
	dir := filepath.Join(run, Folder)
	lock, err := lockReviews(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	lines, err := readReviews(dir)
	if err != nil {
		return err
	}
	for id, r := range reviews {
		lines = append(lines, reviewed{id, r})
	}
	newest, seen := []reviewed{}, map[ID]bool{}
	for _, line := range slices.Backward(lines) {
		if !seen[line.ID] && len(newest) < maxReviews {
			seen[line.ID] = true
			newest = append(newest, line)
		}
	}
	slices.Reverse(newest)
	list, err := sealed.List(newest)
	if err != nil {
		return fmt.Errorf("archive: reviews: %w", err)
	}
	return durable.WriteFile(filepath.Join(dir, reviewsFile), list)
}

// lockReviews takes the lock of the file of reviews; others hold it for moments, or longer if they have the lowest
// priority.
func lockReviews(dir string) (lock io.Closer, err error) {
	for range 500 {
		if lock, err = rundir.LockThere(dir, "reviews"); !errors.Is(err, rundir.ErrInUse) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return lock, err
}

// judgeLock names the lock of the process that judges the games of a run while cores are idle.
const judgeLock = "judge"

// Judge makes this process the one that judges the games of a run while cores are idle, until the lock is closed.
func Judge(run string) (lock io.Closer, err error) {
	return rundir.LockThere(filepath.Join(run, Folder), judgeLock)
}

// BeingJudged reports whether a process judges the games of a run while cores are idle.
func BeingJudged(run string) bool { return rundir.Held(filepath.Join(run, Folder), judgeLock) }

// maxReviewBytes bounds what is read of the file of reviews: many times what maxReviews take.
const maxReviewBytes = 64 << 20

// readReviews reads the file of reviews; lines that are none, however long, are left out.
func readReviews(dir string) ([]reviewed, error) {
	f, err := regular.Open(filepath.Join(dir, reviewsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	defer f.Close()
	var list []reviewed
	lines := bufio.NewReader(io.LimitReader(f, maxReviewBytes))
	for len(list) < maxReviews && err == nil {
		var line []byte
		line, err = lines.ReadBytes('\n')
		var r reviewed
		if _, err := sealed.OpenLine(line, &r); err == nil && r.ID != (ID{}) {
			list = append(list, r)
		}
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return list, nil
}
