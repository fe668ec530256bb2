package league

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/sealed/sealedtest"
)

// A snapshot with a right checksum and whatever state is restored or refused, and what was
// restored can be written again.
func FuzzSnapshot(f *testing.F) {
	w := playedWorld(f, 1)
	document, err := w.core.encodeSnapshot()
	require.NoError(f, err)
	var outer sealedState
	require.NoError(f, json.Unmarshal(document, &outer))
	f.Add([]byte(outer.State))
	f.Add([]byte(`{"schema":2,"run":"run","pairs":[{"a":"","b":"","done":[{"first":9,"sets":18446744073709551615}]}]}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		sum := sha256.Sum256(state)
		document, err := json.Marshal(sealedState{SHA256: hex.EncodeToString(sum[:]), State: state})
		if err != nil {
			return // not JSON
		}
		c := newTestCore(testConfig(), 3, false)
		if _, err := c.restoreFrom(document); err != nil {
			return
		}
		_, err = c.encodeSnapshot()
		require.NoError(t, err)
	})
}

// A journal whose lines are sealed, whatever is in them, is replayed as far as it fits, and what remains of it
// says the same to a league that begins with it.
func FuzzJournal(f *testing.F) {
	w := playedWorld(f, 1)
	published := w.core.published()
	entries := append(w.core.remains(), entry{Progress: &published}, entry{Refused: []mark{{3, 21}}})
	for i, r := range w.results {
		counted, err := withoutEvidence(r)
		require.NoError(f, err)
		entries = append(entries, entry{Result: counted, Place: &mark{uint64(i + 1), 7 * uint64(i+1)}})
	}
	var all []byte
	for _, e := range entries {
		line, err := json.Marshal(e)
		require.NoError(f, err)
		f.Add(line)
		all = append(append(all, line...), '\n')
	}
	f.Add(all)
	f.Add([]byte(`{"issued":{"a":"random","b":"threshold(100)","sets":{"first":18446744073709551615,"sets":9}}}` +
		"\n{}\n[]"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		dir := t.TempDir()
		text := sealedtest.Seal(lines)
		require.NoError(t, os.WriteFile(filepath.Join(dir, journalName), text, 0o600))
		j, entries, damaged, err := openJournal(dir)
		require.NoError(t, err)
		defer j.close()
		require.LessOrEqual(t, len(entries)+damaged, bytes.Count(text, []byte("\n")))
		c := newTestCore(testConfig(), 3, false)
		require.LessOrEqual(t, c.replay(entries), len(entries))
		_, err = c.encodeSnapshot()
		require.NoError(t, err)

		require.NoError(t, j.restart(c.remains()))
		again, entries, damaged, err := openJournal(dir)
		require.NoError(t, err)
		defer again.close()
		require.Zero(t, damaged)
		require.Equal(t, j.size, again.size)
		next := newTestCore(testConfig(), 3, false)
		require.Zero(t, next.replay(entries))
		require.Equal(t, c.outstandingIDs(), next.outstandingIDs())
		require.Equal(t, c.refusals, next.refusals)
	})
}
