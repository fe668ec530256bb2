package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// local lets programs of this machine in at a port of loopback, without TLS: what they send reaches no network, and
// they depend neither on the names in the broker's certificate nor on its authority and its end. Who they are is
// checked as everywhere else. The zero value has no port.
type local struct {
	listener net.Listener
	end      context.CancelFunc
	passing  sync.WaitGroup
}

const (
	acceptAgain = 100 * time.Millisecond // after an error, such as too many open files
	// writeTimeout is how long a client may leave what it is sent unread, as with the server itself.
	writeTimeout = 10 * time.Second
)

// listen begins to pass connections on.
func (l *local) listen(b *Broker) (err error) {
	if l.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("listen for this machine: %w", err)
	}
	var ctx context.Context
	ctx, l.end = context.WithCancel(context.Background())
	l.passing.Go(func() {
		for {
			client, err := l.listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				time.Sleep(acceptAgain)
				continue
			}
			l.passing.Go(func() { pass(ctx, client, b) })
		}
	})
	return nil
}

// close closes the port and all connections.
func (l *local) close() {
	if l.listener != nil {
		l.listener.Close()
		l.end()
		l.passing.Wait()
	}
}

// pass connects a client with the broker until one of them closes the connection, or ctx ends.
func pass(ctx context.Context, client net.Conn, b *Broker) {
	defer client.Close()
	defer context.AfterFunc(ctx, func() { client.Close() })()
	server, err := b.InProcessConn()
	if err != nil {
		return // it shuts down
	}
	var said sync.WaitGroup
	defer said.Wait()
	said.Go(func() {
		defer server.Close()
		io.Copy(server, client)
	})
	io.Copy(impatient{client}, server)
	client.Close()
}

// impatient is a connection whose writes have a limit of time.
type impatient struct{ net.Conn }

func (i impatient) Write(p []byte) (int, error) {
	if err := i.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return i.Conn.Write(p)
}
