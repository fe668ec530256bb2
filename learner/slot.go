package learner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"croupier/messages/bus"
)

// slot is a key of the State bucket that only this learner may write.
type slot struct {
	key      string
	revision uint64 // of the last value known to be there; 0: none
	// doubtful holds the later values whose writes ended without an answer; each may or may
	// not be there.
	doubtful [][]byte
}

// write sets the key to the value. The bus retries until ctx ends. If another writer has
// set the key, the error wraps bus.ErrTaken.
func (s *slot) write(ctx context.Context, kv bus.KV, value []byte) error {
	revision, err := kv.Update(ctx, s.key, value, s.revision)
	if errors.Is(err, bus.ErrTaken) && s.recognise(ctx, kv) {
		revision, err = kv.Update(ctx, s.key, value, s.revision)
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

// recognise adopts the revision of the stored value if that is a doubtful one, and reports
// whether it is.
func (s *slot) recognise(ctx context.Context, kv bus.KV) bool {
	if len(s.doubtful) == 0 {
		return false
	}
	there, err := kv.Get(ctx, s.key)
	own := err == nil && slices.ContainsFunc(s.doubtful, func(v []byte) bool { return bytes.Equal(v, there.Value) })
	if own {
		s.revision = there.Revision
	}
	return own
}
