package httpserve

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// grace is how long a connection may be without a request before it makes room for
// another: the first request arrives right behind its connection, the next one soon
// after an answer.
const grace = 250 * time.Millisecond

// limiter is a listener that keeps at most so many connections open.
type limiter struct {
	net.Listener
	most int

	mu      sync.Mutex
	changed *sync.Cond // a connection is closed or without a request, or the end has come
	ended   bool
	// open has since when a connection has been without a request, the zero time while it
	// has one.
	open map[net.Conn]time.Time
}

func newLimiter(l net.Listener, most int) *limiter {
	limited := &limiter{Listener: l, most: most, open: map[net.Conn]time.Time{}}
	limited.changed = sync.NewCond(&limited.mu)
	return limited
}

// Accept returns the next connection when there is room for it.
func (l *limiter) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) >= l.most && !l.ended {
		idlest, since := l.idlest()
		switch wait := grace - time.Since(since); {
		case idlest == nil:
			l.changed.Wait()
		case wait > 0:
			time.AfterFunc(wait, l.changed.Broadcast)
			l.changed.Wait()
		default:
			l.shed(idlest)
		}
	}
	if l.ended {
		c.Close()
		return nil, net.ErrClosed
	}
	l.open[c] = time.Now()
	return c, nil
}

// idlest returns the connection that has been without a request for longest, nil if all
// have one. The caller holds mu.
func (l *limiter) idlest() (idlest net.Conn, since time.Time) {
	for c, at := range l.open {
		if !at.IsZero() && (idlest == nil || at.Before(since)) {
			idlest, since = c, at
		}
	}
	return idlest, since
}

// shed closes a connection. The caller holds mu.
func (l *limiter) shed(c net.Conn) {
	delete(l.open, c)
	c.Close()
}

// note is told by the server how a connection does.
func (l *limiter) note(c net.Conn, state http.ConnState) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, open := l.open[c]
	switch {
	case !open: // it was shed
	case state == http.StateActive:
		l.open[c] = time.Time{}
	case state == http.StateIdle:
		l.open[c] = time.Now()
		l.changed.Broadcast()
	case state == http.StateClosed || state == http.StateHijacked:
		delete(l.open, c)
		l.changed.Broadcast()
	}
}

// end closes the connections that have no request, for which a server that shuts down
// would wait, and lets no more in.
func (l *limiter) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for c, since := range l.open {
		if !since.IsZero() {
			l.shed(c)
		}
	}
	l.changed.Broadcast()
}
