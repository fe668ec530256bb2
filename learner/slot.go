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
	revision uint64 // of the last value that is known to be there; 0: none is
	// doubtful are the values written after it whose writing ended without an answer:
	// nothing is known of them but that they may be there.
	doubtful [][]byte
}

// write makes the value that of the key. The bus repeats it until ctx ends. The value of
// another writer gives an error that wraps bus.ErrTaken.
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

// recognise takes the revision of what is there if that is a doubtful value.
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
