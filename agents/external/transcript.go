package external

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// transcript is a file to which all messages are added: lines of JSON with the time, the number
// of the process or connection, and what was sent, received or went wrong.
type transcript struct {
	mu     sync.Mutex
	file   *os.File
	opened int
}

func openTranscript(path string) (*transcript, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("option log: %w", err)
	}
	return &transcript{file: f}, nil
}

// entry is a line of a transcript.
type entry struct {
	Time     time.Time       `json:"time"`
	Copy     int             `json:"copy"`
	Sent     json.RawMessage `json:"sent,omitempty"`
	Received string          `json:"received,omitempty"`
	Error    string          `json:"error,omitempty"`
}

func (t *transcript) add(e entry) {
	e.Time = time.Now().UTC()
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.file.Write(append(encode(e), '\n')) // a full disk ends no game
}

// of returns the transport with everything it carries written down.
func (t *transcript) of(inner transport) transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opened++
	return &written{inner, t, t.opened}
}

type written struct {
	transport
	log  *transcript
	copy int
}

func (w *written) Ask(ctx context.Context, request []byte) ([]byte, error) {
	w.log.add(entry{Copy: w.copy, Sent: request})
	answer, err := w.transport.Ask(ctx, request)
	e := entry{Copy: w.copy, Received: string(answer)}
	if err != nil {
		e.Error = err.Error()
	}
	w.log.add(e)
	return answer, err
}

func (w *written) Close() []byte {
	unasked := w.transport.Close()
	if unasked != nil {
		w.log.add(entry{Copy: w.copy, Received: string(unasked), Error: "it was not asked for"})
	}
	return unasked
}

func (w *written) Tell(request []byte) {
	w.log.add(entry{Copy: w.copy, Sent: request})
	w.transport.Tell(request)
}
