package serve

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// maxAddresses is how many addresses are distinguished; beyond it, new ones share a bucket.
const maxAddresses = 4096

// limiter holds a bucket for each address: a question takes a token, and rate tokens a second come back, up to as many.
type limiter struct {
	rate float64 // 0: no limit

	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	tokens float64
	at     time.Time // when there were that many
}

func newLimiter(rate float64) *limiter {
	return &limiter{rate: rate, buckets: make(map[string]*bucket)}
}

// take takes a token of the address, or says how long there will be none.
func (l *limiter) take(address string, now time.Time) (wait time.Duration) {
	if l.rate == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(address, now)
	b.tokens = l.at(b, now)
	b.at = now
	if b.tokens < 1 {
		return time.Duration((1 - b.tokens) / l.rate * float64(time.Second))
	}
	b.tokens--
	return 0
}

// at returns the tokens in a bucket.
func (l *limiter) at(b *bucket, now time.Time) float64 {
	return min(b.tokens+l.rate*now.Sub(b.at).Seconds(), l.full())
}

// full is what a bucket holds: one token at least, or no client could ever ask.
func (l *limiter) full() float64 { return max(l.rate, 1) }

// bucket returns the bucket of an address. Full ones are forgotten when there are too many.
func (l *limiter) bucket(address string, now time.Time) *bucket {
	if b, found := l.buckets[address]; found {
		return b
	}
	if len(l.buckets) >= maxAddresses {
		for other, b := range l.buckets {
			if l.at(b, now) >= l.full() {
				delete(l.buckets, other)
			}
		}
	}
	if len(l.buckets) >= maxAddresses {
		address = ""
		if b, found := l.buckets[address]; found {
			return b
		}
	}
	b := &bucket{tokens: l.full(), at: now}
	l.buckets[address] = b
	return b
}

// address is the client's, without its port.
func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
