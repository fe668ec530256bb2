package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"croupier/internal/strict"
)

// Limits of a question.
const (
	maxQuestionBytes = 1 << 20
	answerTimeout    = 20 * time.Second
)

// desk answers a few questions at a time. They come by POST, because they can be long and take time;
// they change nothing.
type desk struct {
	log   *slog.Logger
	slots chan struct{} // one for each question that is being answered
}

func newDesk(log *slog.Logger, questions int) *desk {
	return &desk{log: log.With("role", "web"), slots: make(chan struct{}, questions)}
}

// answered returns the handler that reads a question of a kind, and writes the answer that find has
// for it. Its context ends when the answer would be late, and when who asks goes away.
func answered[Q any](d *desk, find func(context.Context, *Q) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q Q
		if !readQuestion(w, r, &q) {
			return
		}
		select {
		case d.slots <- struct{}{}:
			defer func() { <-d.slots }()
		default:
			refuse(w, http.StatusServiceUnavailable, errors.New("too many requests at the moment: try again in a few seconds"))
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), answerTimeout)
		defer cancel()
		value, err := find(ctx, &q)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			refuse(w, http.StatusGatewayTimeout, fmt.Errorf("no answer within %v: ask a faster agent, such as a solver or a bot, or in a terminal, which has no such limit", answerTimeout))
		case err != nil:
			refuse(w, http.StatusUnprocessableEntity, err)
		default:
			writeJSON(w, d.log, value)
		}
	})
}

// readQuestion reads the JSON of a request strictly; nothing at all stands for an empty object. Where
// that cannot be, it tells why, and returns false.
func readQuestion(w http.ResponseWriter, r *http.Request, question any) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, errors.New("questions are application/json"))
		return false
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxQuestionBytes))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(question)
	if errors.Is(err, io.EOF) {
		return true
	}
	if err == nil {
		if _, err = decoder.Token(); errors.Is(err, io.EOF) {
			return true
		}
		err = errors.New("something follows the JSON object")
	}
	status := http.StatusBadRequest
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		status, err = http.StatusRequestEntityTooLarge, fmt.Errorf("it is larger than %d bytes", large.Limit)
	}
	refuse(w, status, fmt.Errorf("the question: %w", strict.PlainJSON(err)))
	return false
}

// problem is the answer to a question that cannot be answered.
type problem struct {
	Error string `json:"error"`
	Field string `json:"field,omitempty"` // of the position
}

// refuse tells what is wrong with a question.
func refuse(w http.ResponseWriter, status int, err error) {
	p := problem{Error: err.Error()}
	var wrong *strict.Error
	if errors.As(err, &wrong) {
		p.Field = wrong.Field
	}
	writeStatus(w, status, p)
}

// writeStatus answers with a document that says what is wrong.
func writeStatus(w http.ResponseWriter, status int, document any) {
	data, err := json.Marshal(document)
	if err != nil {
		panic(err) // these always marshal
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}
