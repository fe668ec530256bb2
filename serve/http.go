package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"croupier/internal/login"
	"croupier/internal/strict"
)

// maxBody bounds what is read of a question, in bytes: a position, and around it the fields of a message.
const maxBody = strict.MaxBytes + 64<<10

// Choice is a legal action in an answer.
type Choice struct {
	Action      int      `json:"action"`
	Name        string   `json:"name"`
	Probability *float64 `json:"probability,omitempty"` // with which the agent takes it, if that is known
	Value       *float64 `json:"value,omitempty"`       // what it is worth, in Answer.ValuesUnit, if the agent knows
}

// Answer is the decision in a position.
type Answer struct {
	Action     int      `json:"action"`
	Name       string   `json:"name"`
	Seat       int      `json:"seat"`                  // to move
	Legal      []Choice `json:"legal"`                 // ascending
	ValuesUnit string   `json:"values_unit,omitempty"` // of Choice.Value
	// Value is the expected return of the seat, in Unit, if the agent is a network.
	Value *float64 `json:"value,omitempty"`
	Unit  string   `json:"unit,omitempty"`
	Notes []string `json:"notes,omitempty"` // what was assumed
}

// Handler returns the API, behind a door unless it is nil. unread says which files cannot be read again, so that what
// was in them before counts, and that is reported at /healthz; nil: there are none.
func (s *Server) Handler(door *login.Door, unread func() error) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/decide", s.limited(s.decide))
	mux.HandleFunc("POST /api/agent", s.limited(s.message))
	mux.HandleFunc("GET /openapi.json", s.describe)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
		if unread == nil {
			return
		}
		if err := unread(); err != nil {
			fmt.Fprintln(w, err)
		}
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}))
	var handler http.Handler = mux
	if door != nil {
		mux.HandleFunc("POST /api/login", door.LogIn)
		handler = door.Guard(open, mux)
	}
	// A browser that shows a page of another origin asks with the user's login, and from inside his network.
	own := http.NewCrossOriginProtection()
	own.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, errors.New("questions of pages of another origin are not answered"))
	}))
	return s.counted(own.Handler(handler))
}

// open reports which requests need no login.
func open(r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz", "/openapi.json", "/api/login":
		return true
	}
	return false
}

// counted counts answered requests.
func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noted := &noted{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(noted, r)
		s.metrics.requests.WithLabelValues(r.Pattern, strconv.Itoa(noted.code)).Inc()
	})
}

// noted notes the status of an answer.
type noted struct {
	http.ResponseWriter
	code int
}

func (n *noted) WriteHeader(code int) {
	n.code = code
	n.ResponseWriter.WriteHeader(code)
}

// limited refuses requests of addresses that ask too often, and those that are no JSON.
func (s *Server) limited(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if wait := s.limits.take(address(r), time.Now()); wait > 0 {
			seconds := int(math.Ceil(wait.Seconds()))
			w.Header().Set("Retry-After", strconv.Itoa(seconds))
			refuse(w, http.StatusTooManyRequests, fmt.Errorf("too many questions from %s: ask again in %d s", address(r),
				seconds))
			return
		}
		if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
			refuse(w, http.StatusUnsupportedMediaType, errors.New("questions are application/json"))
			return
		}
		next(w, r)
	}
}

// decide answers a position.
func (s *Server) decide(w http.ResponseWriter, r *http.Request) {
	seed := rand.Uint64()
	if text := r.URL.Query().Get("seed"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			refuse(w, http.StatusBadRequest, fmt.Errorf("seed: %q is not a whole number from 0", text))
			return
		}
	}
	position, err := body(w, r)
	if err != nil {
		fail(w, err)
		return
	}
	d, notes, err := s.ask(r.Context(), position, seed)
	if err != nil {
		fail(w, err)
		return
	}
	write(w, http.StatusOK, s.answer(d, notes))
}

func (s *Server) answer(d *decision, notes []string) Answer {
	a := Answer{
		Action: d.action, Name: d.state.ActionName(d.action), Seat: d.state.Player(),
		Legal: make([]Choice, len(d.legal)), Value: d.value, Notes: notes,
	}
	if d.value != nil {
		a.Unit = s.game.Spec().Unit
	}
	for i, action := range d.legal {
		c := Choice{Action: action, Name: d.state.ActionName(action)}
		if d.chances != nil {
			c.Probability = &d.chances[i]
		}
		if d.values != nil {
			c.Value, a.ValuesUnit = &d.values[i], s.mind.unit()
		}
		a.Legal[i] = c
	}
	return a
}

// body reads a question.
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("the question: %w", err)
	}
	return data, nil
}

// fail reports what went wrong.
func fail(w http.ResponseWriter, err error) {
	var tooLong *http.MaxBytesError
	var refused *refusal
	switch {
	case errors.As(err, &tooLong):
		refuse(w, http.StatusRequestEntityTooLarge, err)
	case errors.As(err, &refused):
		refuse(w, http.StatusUnprocessableEntity, err)
	default:
		refuse(w, http.StatusServiceUnavailable, err)
	}
}

func refuse(w http.ResponseWriter, code int, err error) {
	write(w, code, map[string]string{"error": err.Error()})
}

// write writes an answer as JSON; if the client has gone, it is not missed.
func write(w http.ResponseWriter, code int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer)
}
