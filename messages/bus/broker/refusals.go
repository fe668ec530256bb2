package broker

import (
	"log/slog"
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Kinds of what the broker refuses, as its metric calls them.
const (
	refusedPublish   = "publish"
	refusedSubscribe = "subscribe"
	refusedLogin     = "login"
	refusedTLS       = "tls"
	refusedLimit     = "limit"
)

// refusals counts what the broker refused to whom. The server tells only its log.
type refusals struct {
	log *slog.Logger

	mu     sync.Mutex
	names  map[string]string // of public keys
	counts map[refusal]uint64
	said   map[refusal]time.Time // when it was last logged
}

// refusal is what is counted: the name of a key, "" for a client that has none, and a kind.
type refusal struct{ key, kind string }

// sayEvery is the time between two lines in the log about the same refusal, so that an attack
// does not fill it.
const sayEvery = 10 * time.Second

func newRefusals(log *slog.Logger) *refusals {
	r := &refusals{log: log, counts: map[refusal]uint64{}, said: map[refusal]time.Time{}}
	for _, kind := range []string{refusedPublish, refusedSubscribe, refusedLogin, refusedTLS, refusedLimit} {
		r.counts[refusal{kind: kind}] = 0
	}
	return r
}

// know sets the names of keys. A key that is no longer known keeps its name.
func (r *refusals) know(k *Keys) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = maps.Clone(r.names)
	if r.names == nil {
		r.names = map[string]string{}
	}
	for _, key := range k.Keys {
		r.names[key.Public] = key.Name
		if key.Previous != "" {
			r.names[key.Previous] = key.Name
		}
	}
}

var (
	violationLine = regexp.MustCompile(`(Publish|Subscription) Violation - (?:Subject|Reply) ?"?([^",]*)`)
	loginLine     = regexp.MustCompile(`authentication error`)
	limitLine     = regexp.MustCompile(`maximum (?:account active connections|subscriptions|connections) exceeded`)
	handshakeLine = regexp.MustCompile(` - TLS (?:route |leafnode )?handshake error: (.*)`)
	publicKey     = regexp.MustCompile(`\bU[A-Z2-7]{55}\b`)
)

// take counts a line of the server's log that tells of a refusal, and reports whether it is one.
func (r *refusals) take(line string) bool {
	kind, subject, reason := "", "", ""
	if m := violationLine.FindStringSubmatch(line); m != nil {
		kind, subject = refusedPublish, m[2]
		if m[1] == "Subscription" {
			kind = refusedSubscribe
		}
	} else if loginLine.MatchString(line) {
		kind = refusedLogin
	} else if m := limitLine.FindString(line); m != "" {
		kind, reason = refusedLimit, m
	} else if m := handshakeLine.FindStringSubmatch(line); m != nil {
		kind, reason = refusedTLS, m[1]
	}
	if kind == "" {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	public := publicKey.FindString(line)
	of := refusal{key: r.names[public], kind: kind}
	r.counts[of]++
	if time.Since(r.said[of]) < sayEvery {
		return true
	}
	r.said[of] = time.Now()
	client, _, _ := strings.Cut(line, " - ")
	r.log.Warn("refused", "what", kind, "key", of.key, "public", public, "subject", subject, "reason", reason,
		"client", client, "times", r.counts[of])
	return true
}

// each calls see for every count.
func (r *refusals) each(see func(of refusal, count uint64)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for of, count := range r.counts {
		see(of, count)
	}
}
