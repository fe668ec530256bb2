package learner

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// troubles are what keeps the learner from doing its work just now, by operation. It is used by
// the training goroutine, heartbeats and requests for the learner's health.
type troubles struct {
	mutex sync.Mutex
	list  []trouble // in the order in which they began
}

type trouble struct {
	operation string
	since     time.Time
	err       error
}

// inWords reports what is not done, by operation.
var inWords = map[string]string{
	opPublish:    "weights are not published",
	opCheckpoint: "no checkpoint can be written",
	opIterate:    "iterations are undone",
}

// note records how an operation ended and reports whether that is news: a trouble that begins
// or ends.
func (t *troubles) note(operation string, err error) (news bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	i := slices.IndexFunc(t.list, func(e trouble) bool { return e.operation == operation })
	switch {
	case err == nil && i >= 0:
		t.list = slices.Delete(t.list, i, i+1)
	case err != nil && i >= 0:
		t.list[i].err = err
		return false
	case err != nil:
		t.list = append(t.list, trouble{operation, time.Now(), err})
	default:
		return false
	}
	return true
}

// count returns how many troubles there are.
func (t *troubles) count() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return len(t.list)
}

// err returns all troubles as one error, nil if there is none.
func (t *troubles) err() error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	var words []string
	for _, e := range t.list {
		words = append(words, fmt.Sprintf("%s since %v: %v",
			inWords[e.operation], time.Since(e.since).Round(time.Second), e.err))
	}
	if words == nil {
		return nil
	}
	return fmt.Errorf("learner: %s", strings.Join(words, "; "))
}

// Healthy returns what keeps the learner from doing its work, nil if nothing does. Waiting for
// experience is no trouble of the learner's.
func (l *Learner) Healthy() error { return l.troubles.err() }
