package learner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"croupier/messages/bus"
)

// ownKey is a key of the State bucket that only this learner may write.
type ownKey struct {
	key      string
	revision uint64 // of the last value known to be there; 0: none
	// doubtful holds the later values whose writes ended without an answer; each may or may
	// not be there.
	doubtful [][]byte
}

// errUnderWay reports that a value may not be written yet: the outcome of the previous one is unknown.
var errUnderWay = errors.New("an earlier value is under way")

// write sets the key to the value. The bus retries until ctx ends. If another writer has
// set the key, the error wraps bus.ErrTaken.
func (s *ownKey) write(ctx context.Context, kv bus.KV, value []byte) error {
	revision, err := kv.Update(ctx, s.key, value, s.revision)
	if errors.Is(err, bus.ErrTaken) && len(s.doubtful) > 0 {
		if err = s.recognise(ctx, kv); err == nil {
			revision, err = kv.Update(ctx, s.key, value, s.revision)
		}
	}
	switch {
	case err == nil:
		s.revision, s.doubtful = revision, nil
	case errors.Is(err, bus.ErrTaken):
		return fmt.Errorf("another learner is at work: %s: %w", s.key, err)
	default:
		s.doubtful = append(s.doubtful, value)
	}
	return err
}

// recognise adopts the revision of the stored value if that is a doubtful one. Otherwise the error wraps bus.ErrTaken,
// unless it is not known whose value is there.
func (s *ownKey) recognise(ctx context.Context, kv bus.KV) error {
	there, err := kv.Get(ctx, s.key)
	switch {
	case errors.Is(err, bus.ErrNotFound):
		return bus.ErrTaken // and deleted
	case err != nil:
		return err
	case there.Revision == s.revision:
		return errUnderWay // or a broker has answered that is behind
	case !slices.ContainsFunc(s.doubtful, func(v []byte) bool { return bytes.Equal(v, there.Value) }):
		return bus.ErrTaken
	}
	s.revision = there.Revision
	return nil
}
