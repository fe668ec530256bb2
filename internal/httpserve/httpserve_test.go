package httpserve

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pipes is a listener whose connections are within this process, so that tests run in a bubble of false time.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
	close   func()
}

func newPipes() *pipes {
	p := &pipes{waiting: make(chan net.Conn, 100), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.waiting:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.close(); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// connect returns the client's end of a new connection.
func (p *pipes) connect(t *testing.T) net.Conn {
	near, far := net.Pipe()
	p.waiting <- far
	t.Cleanup(func() { near.Close(); far.Close() })
	return near
}

// serving starts Serve on a listener of its own; stop ends it and requires that it returns nil.
func serving(t *testing.T, connections int, handler http.HandlerFunc) (at *pipes, stop func()) {
	t.Helper()
	at = newPipes()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, at, connections, nil, handler, slog.New(slog.DiscardHandler)) }()
	return at, func() {
		t.Helper()
		cancel()
		require.NoError(t, <-done)
	}
}

func hello(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(20*time.Second)))
	return c
}

// ask sends a request on the connection and returns the status of the answer, 0 when
// there is none.
func ask(t *testing.T, c net.Conn) int {
	t.Helper()
	_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if !assert.NoError(t, err) {
		return 0
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if !assert.NoError(t, err) {
		return 0
	}
	_, err = io.Copy(io.Discard, response.Body)
	assert.NoError(t, err)
	return response.StatusCode
}

// A client that has a request is served although idle connections fill the port: those
// without a request for longest are closed for it.
func TestIdleConnectionsKeepNobodyOut(t *testing.T) { synctest.Test(t, idleConnections) }

func idleConnections(t *testing.T) {
	at, stop := serving(t, 3, hello)
	var idle []net.Conn
	for range 10 {
		idle = append(idle, at.connect(t))
	}
	began := time.Now()
	require.Equal(t, http.StatusOK, ask(t, at.connect(t)))
	require.Less(t, time.Since(began), readHeaderTimeout)
	_, err := idle[0].Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	stop()
}

// Requests that come slowly, in their header or their body, fill the port as little as idle connections do: a client
// that asks meanwhile is answered soon. A handler that has read its request is not interrupted.
func TestSlowRequestsKeepNobodyOut(t *testing.T) { synctest.Test(t, slowRequests) }

func slowRequests(t *testing.T) {
	const most = 8
	working, finish := make(chan struct{}), make(chan struct{})
	at, stop := serving(t, most, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/work" {
			close(working)
			<-finish
		}
		if err == nil {
			io.WriteString(w, "done")
		}
	})
	worker, answered := at.connect(t), make(chan int, 1)
	go func() {
		_, err := io.WriteString(worker, "POST /work HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
		assert.NoError(t, err)
		response, err := http.ReadResponse(bufio.NewReader(worker), nil)
		if assert.NoError(t, err) {
			answered <- response.StatusCode
		}
	}()
	<-working
	var slowly sync.WaitGroup
	var slows []net.Conn
	for i := range 5 * most {
		slow := at.connect(t)
		slows = append(slows, slow)
		begin := "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
		if i%2 == 0 {
			begin = "GET / HT"
		}
		slowly.Go(func() {
			for _, err := io.WriteString(slow, begin); err == nil; _, err = io.WriteString(slow, "x") {
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
	for range 3 {
		began := time.Now()
		assert.Equal(t, http.StatusOK, ask(t, at.connect(t)))
		assert.Less(t, time.Since(began), readHeaderTimeout/2)
	}
	close(finish)
	assert.Equal(t, http.StatusOK, <-answered)
	for _, slow := range slows {
		slow.Close()
	}
	slowly.Wait()
	stop()
}

// A connection is kept between requests, until it is the idlest of too many.
func TestConnectionsArePreservedWhileThereIsRoom(t *testing.T) {
	synctest.Test(t, connectionsArePreserved)
}

func connectionsArePreserved(t *testing.T) {
	at, stop := serving(t, 2, hello)
	first, second := at.connect(t), at.connect(t)
	for range 3 {
		require.Equal(t, http.StatusOK, ask(t, first))
		time.Sleep(time.Millisecond) // the server notes the end after the answer
		require.Equal(t, http.StatusOK, ask(t, second))
	}
	require.Equal(t, http.StatusOK, ask(t, at.connect(t)))
	_, err := first.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, http.StatusOK, ask(t, second))
	stop()
}

// No request is broken off for a new connection, which waits until there is room.
func TestRequestsAreNotBrokenOff(t *testing.T) { synctest.Test(t, requestsAreNotBrokenOff) }

func requestsAreNotBrokenOff(t *testing.T) {
	entered, answer := make(chan struct{}), make(chan struct{})
	at, stop := serving(t, 2, func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-answer
		hello(w, r)
	})
	status := make(chan int, 3)
	for range 3 {
		c := at.connect(t)
		go func() { status <- ask(t, c) }()
	}
	<-entered
	<-entered
	time.Sleep(2 * grace)
	synctest.Wait()
	select {
	case <-entered:
		t.Fatal("a third connection was let in")
	default:
	}
	answer <- struct{}{}
	<-entered
	answer <- struct{}{}
	answer <- struct{}{}
	for range 3 {
		require.Equal(t, http.StatusOK, <-status)
	}
	stop()
}

// Serve does not wait for idle connections at the end, and lets requests finish.
func TestServeEnds(t *testing.T) { synctest.Test(t, serveEnds) }

func serveEnds(t *testing.T) {
	entered, answer := make(chan struct{}), make(chan struct{})
	at, stop := serving(t, 2, func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
		<-answer
		hello(w, r)
	})
	idle, busy := at.connect(t), at.connect(t)
	status := make(chan int, 1)
	go func() { status <- ask(t, busy) }()
	<-entered
	waiting := at.connect(t) // takes the idle one's place, or waits for one
	began := time.Now()
	time.AfterFunc(10*time.Millisecond, func() { close(answer) })
	stop()
	require.Less(t, time.Since(began), shutdownTimeout/2)
	require.Equal(t, http.StatusOK, <-status)
	for _, c := range []net.Conn{idle, waiting} {
		_, err := c.Read(make([]byte, 1))
		require.Error(t, err)
	}
}

// A request that continues, whatever its context says, does not make the end of the program an error.
func TestServeCutsOffWhatDoesNotEnd(t *testing.T) { synctest.Test(t, cutsOffWhatDoesNotEnd) }

func cutsOffWhatDoesNotEnd(t *testing.T) {
	entered, answer := make(chan struct{}), make(chan struct{})
	at, stop := serving(t, 2, func(http.ResponseWriter, *http.Request) {
		close(entered)
		<-answer
	})
	defer close(answer)
	c := at.connect(t)
	_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	<-entered
	stop()
	_, err = c.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}

func TestServeSaysWhyItCannot(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	err = Serve(context.Background(), listener, 1, nil, http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "serve on 127.0.0.1:")
}

// A client that sends a request byte by byte is cut, be it in the header or in the body, however busy it looks.
func TestTricklingClientsAreCut(t *testing.T) { synctest.Test(t, tricklingClients) }

func tricklingClients(t *testing.T) {
	at, stop := serving(t, 4, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		assert.Error(t, err)
	})
	defer stop()
	var clients sync.WaitGroup
	for begin, most := range map[string]time.Duration{
		"GET / HTTP/1.1\r\nX-Slow: ": readHeaderTimeout,
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n": readTimeout,
	} {
		c := at.connect(t)
		go io.Copy(io.Discard, c) // a pipe holds nothing of the answer
		began := time.Now()
		_, err := io.WriteString(c, begin)
		require.NoError(t, err)
		clients.Go(func() {
			for err == nil && time.Since(began) < 2*readTimeout {
				time.Sleep(100 * time.Millisecond)
				_, err = c.Write([]byte("x"))
			}
			assert.Error(t, err)
			assert.Less(t, time.Since(began), most+3*time.Second)
		})
	}
	clients.Wait()
}
