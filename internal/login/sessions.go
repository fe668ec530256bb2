package login

import (
	"crypto/sha256"
	"sync"
	"time"
)

// session is one of somebody who has come in.
type session struct {
	user string // "": by the token
	hash string // of the user's password then: with another one the session ends
	ends time.Time
}

// sessions are those that go on, by the SHA-256 of their names, so that looking for one takes a time that tells
// nothing of the others. The zero value has none.
type sessions struct {
	mutex sync.Mutex
	known map[[sha256.Size]byte]session
}

func (s *sessions) of(name string) (session, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	found, ok := s.known[sha256.Sum256([]byte(name))]
	return found, ok && time.Now().Before(found.ends)
}

func (s *sessions) add(name string, added session) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.known == nil {
		s.known = map[[sha256.Size]byte]session{}
	}
	if len(s.known) >= maxSessions {
		s.endOldest()
	}
	s.known[sha256.Sum256([]byte(name))] = added
}

// endOldest makes room for one more. The caller holds mutex.
func (s *sessions) endOldest() {
	var oldest [sha256.Size]byte
	var first time.Time
	for name, known := range s.known {
		if first.IsZero() || known.ends.Before(first) {
			oldest, first = name, known.ends
		}
	}
	delete(s.known, oldest)
}

func (s *sessions) end(name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.known, sha256.Sum256([]byte(name)))
}

// Limits of attempts that fail: so many at once, then one in each interval.
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

func (a *attempts) succeeded(address string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.free, address)
}
