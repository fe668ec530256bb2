// Package httpserve serves HTTP to clients that may be slow, idle or many, on purpose or
// not: each connection has limits of time, and a port a limit of connections.
//
// A port that is full closes the connection that has waited for its client for longest
// in favour of a new one, so that neither idle connections nor slow requests keep anybody out. Connections whose
// request is there are never closed for others: while all have one, new ones wait. A handler whose
// answers have no end (an event stream) must therefore bound their number, to less than
// the connections.
package httpserve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of a connection.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second
	writeTimeout      = 30 * time.Second // of a whole answer; event streams set their own
	idleTimeout       = time.Minute
	shutdownTimeout   = 5 * time.Second
	maxHeaderBytes    = 16 << 10
)

// onlySecurely has browsers that were here once come back by HTTPS alone, for a year (RFC 6797).
func onlySecurely(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		next.ServeHTTP(w, r)
	})
}

// Serve answers requests on the listener, over that many connections at most, until ctx
// ends; the contexts of requests end with it. Then it lets requests in progress finish,
// for some seconds, cuts off those that do not, and returns nil. It owns the listener.
// With secure, which may be nil, it speaks TLS only.
func Serve(
	ctx context.Context, listener net.Listener, connections int, secure *tls.Config, handler http.Handler,
	log *slog.Logger,
) error {
	limited := newLimiter(listener, connections)
	if secure != nil {
		handler = onlySecurely(handler)
	}
	srv := &http.Server{
		Handler:           limited.watch(handler),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ConnState:         limited.note,
		ConnContext:       remember,
		TLSConfig:         secure,
		// The limits are those of connections with one request at a time, so HTTP/2 stays off.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
		// Event streams last until their request's context ends.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	failed := make(chan error, 1)
	go func() {
		if secure == nil {
			failed <- srv.Serve(limited)
			return
		}
		failed <- srv.ServeTLS(limited, "", "")
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("serve on %s: %w", listener.Addr(), errors.Join(err, srv.Close()))
	case <-ctx.Done():
	}
	limited.end()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := srv.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("Cut off requests that were not over at the end", "address", listener.Addr(), "waited", shutdownTimeout)
		err = srv.Close()
	}
	if err != nil {
		err = fmt.Errorf("stop serving on %s: %w", listener.Addr(), err)
	}
	<-failed
	return err
}
