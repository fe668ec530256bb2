package login

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"sync"
	"time"

	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/strict"
)

// session is one of somebody who has come in.
type session struct {
	User string `json:"user,omitempty"` // "": by the token
	// digest of the token, or of the password's hash, then: with another one the session ends
	Proof string    `json:"proof"`
	Ends  time.Time `json:"ends"`
}

// sessions are those that continue, by the SHA-256 of their names in hex, so that looking for one takes a time that
// tells nothing of the others, and a reader of the file cannot come in. The zero value has none, and keeps them
// nowhere.
type sessions struct {
	file  string
	mutex sync.Mutex
	known map[string]session
}

// maxSessionFile is more than maxSessions take.
const maxSessionFile = 4 << 20

// load reads the file, if there is one.
func (s *sessions) load() error {
	if s.file == "" {
		return nil
	}
	doc, err := regular.Read(s.file, maxSessionFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		if err = strict.Unmarshal(doc, &s.known); err != nil {
			err = fmt.Errorf("%s: %w", s.file, err)
		}
	}
	return err
}

// save writes the file. The caller holds mutex.
func (s *sessions) save() error {
	if s.file == "" {
		return nil
	}
	maps.DeleteFunc(s.known, func(_ string, known session) bool { return time.Now().After(known.Ends) })
	doc, err := json.Marshal(s.known)
	if err != nil {
		return err
	}
	return durable.WriteSecret(s.file, append(doc, '\n'))
}

func (s *sessions) of(name string) (session, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	found, ok := s.known[digest(name)]
	return found, ok && time.Now().Before(found.Ends)
}

func (s *sessions) add(name string, added session) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.known == nil {
		s.known = map[string]session{}
	}
	if len(s.known) >= maxSessions {
		s.endOldest()
	}
	s.known[digest(name)] = added
	return s.save()
}

// endOldest makes room for one more. The caller holds mutex.
func (s *sessions) endOldest() {
	var oldest string
	var first time.Time
	for name, known := range s.known {
		if first.IsZero() || known.Ends.Before(first) {
			oldest, first = name, known.Ends
		}
	}
	delete(s.known, oldest)
}

func (s *sessions) end(name string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, found := s.known[digest(name)]; !found {
		return nil
	}
	delete(s.known, digest(name))
	return s.save()
}

// Limits of attempts that fail: that many at once, then one in each interval.
const (
	attemptsAtOnce  = 5
	attemptInterval = 10 * time.Second
	maxAddresses    = 4096
)

// attempts counts what addresses try. The zero value has counted nothing.
type attempts struct {
	mutex sync.Mutex
	// free has when the attempts of an address are all free again; each that fails moves it by an interval.
	free map[string]time.Time
}

// begin counts an attempt, as a failed one until it has succeeded. wait is 0, or how long the address has to wait
// before its next one counts.
func (a *attempts) begin(address string, now time.Time) (wait time.Duration) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.free == nil {
		a.free = map[string]time.Time{}
	}
	free := a.free[address]
	if free.Before(now) {
		free = now
	}
	if wait = free.Sub(now) - (attemptsAtOnce-1)*attemptInterval; wait > 0 {
		return wait
	}
	if len(a.free) >= maxAddresses {
		a.forget(now)
	}
	a.free[address] = free.Add(attemptInterval)
	return 0
}

// forget drops addresses whose attempts are free again, or else the one that will be first. The caller holds mutex.
func (a *attempts) forget(now time.Time) {
	var first string
	for address, free := range a.free {
		if free.Before(now) {
			delete(a.free, address)
		} else if first == "" || free.Before(a.free[first]) {
			first = address
		}
	}
	if len(a.free) >= maxAddresses {
		delete(a.free, first)
	}
}

// succeeded takes back an attempt that was counted. Those of the address that failed still count.
func (a *attempts) succeeded(address string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if free, counted := a.free[address]; counted {
		a.free[address] = free.Add(-attemptInterval)
	}
}
