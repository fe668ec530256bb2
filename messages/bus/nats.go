package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"croupier/messages"
)

// NATSOptions say which broker to use, as whom, and for which run.
type NATSOptions struct {
	// URL is one or more servers, separated by commas: nats://[USER:PASSWORD@]HOST:PORT,
	// or tls:// to insist on TLS. With InProcess only its user and password matter.
	URL string
	// InProcess is a broker in this process (package broker); then no port is needed.
	InProcess interface{ InProcessConn() (net.Conn, error) }

	Run  string // the run's ID, a token
	Role string // names the connection in the broker's lists

	// Create makes the run's streams, buckets and consumers, and changes their limits to
	// Limits. One role of a run does so, the learner; the others wait until they are there.
	Create bool
	// Agents are the run's learning agents, whose consumers are among those created; none means the main one.
	Agents []string

	Credentials string // file with a user's JWT and seed (.creds), or with an nkey seed alone
	CA          string // PEM file: who may sign the broker's certificate
	Cert, Key   string // PEM files: this client's certificate

	// Replicas is on how many brokers each stream is kept, 1 or 3. 0 leaves what
	// exists as it is and creates with 1.
	Replicas int

	// Revoked, unless nil, is called when a broker that was reached before has refused the credential
	// for ten seconds. Without it the bus keeps trying, for a key that is replaced in its file.
	Revoked func(error)

	// Farewell, unless 0, is how long after the end of Connect's context the bus ends by itself: whatever waits for the
	// broker then fails with ErrClosed. So the end of a role has one bound, however many things it still does.
	Farewell time.Duration

	// SweepEvery is the time between two looks for leftovers in what was created; default 5 min.
	SweepEvery time.Duration

	// Admission is how long credentials that the broker refuses are tried again before that is an error: brokers take
	// over a new file of keys within a second. 0: it is an error at once.
	Admission time.Duration

	Limits     Options
	Log        *slog.Logger          // default slog.Default()
	Registerer prometheus.Registerer // nil: no metrics
}

const (
	reconnectWait   = 250 * time.Millisecond
	reconnectJitter = 750 * time.Millisecond // a thousand roles must not come back at once
	dialTimeout     = 5 * time.Second
	flushTimeout    = 5 * time.Second // how long Close waits for acknowledgements
	// revokedAfter is how long a credential is refused before it counts as revoked: several brokers
	// take a new file of keys over one after the other.
	revokedAfter = 10 * time.Second
)

// natsBus is a Bus on NATS JetStream.
type natsBus struct {
	opts    NATSOptions
	log     *slog.Logger
	toldKey time.Time // when a missing key was complained of last, and toldTLS a wrong certificate; NATS's alone
	toldTLS time.Time
	conn    *nats.Conn
	js      jetstream.JetStream
	metrics *metrics
	sender  *sender
	state   *natsKV
	roles   *natsKV
	objects jetstream.ObjectStore

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	mu      sync.Mutex // guards starting goroutines against Close
	running sync.WaitGroup

	restoring sync.Mutex
	lost      chan struct{} // holds a token when what is in memory may have to be made again
	epochs    epochs
	link      epochs // one for each connection: a request that it takes away gets no answer
	forbidden forbidden
	refused   time.Time // since when the credential is; belongs to the callbacks of NATS
}

// ErrRevoked reports that the broker no longer knows a credential.
var ErrRevoked = errors.New("the broker does not know this key any more: it was revoked, its actor is quarantined, " +
	"or another one is in its place")

var _ Bus = (*natsBus)(nil)

// Connect returns the run's bus on a NATS broker, whose streams and buckets it creates
// or waits for. While the broker cannot be reached it tries again, with a warning in the
// log, until ctx ends. Refused credentials are an error after Admission, wrong options at once.
func Connect(ctx context.Context, o NATSOptions) (Bus, error) { return connect(ctx, o, true) }

// ConnectMessenger is Connect for a process that tells and listens alone. It needs no streams, and waits for none.
func ConnectMessenger(ctx context.Context, o NATSOptions) (Messenger, error) {
	return connect(ctx, o, false)
}

// connect returns the bus; streams reports whether it has any.
func connect(ctx context.Context, o NATSOptions, streams bool) (Bus, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	o.Limits = o.Limits.WithDefaults()
	if len(o.Agents) == 0 {
		o.Agents = []string{messages.LearningAgent}
	}
	b := &natsBus{opts: o, log: o.Log, metrics: newMetrics(o.Registerer), lost: make(chan struct{}, 1)}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.epochs.begin(b.ctx)
	b.link.begin(b.ctx)
	b.sender = newSender(b)
	b.state, b.roles = &natsKV{bus: b, bucket: b.bucket("STATE")}, &natsKV{bus: b, bucket: b.bucket("ROLES")}
	if err := b.open(ctx, streams); err != nil {
		b.cancel()
		if b.conn != nil {
			b.conn.Close()
		}
		return nil, fmt.Errorf("connect to NATS at %s: %w", o.address(), o.explained(err))
	}
	if o.Farewell > 0 {
		context.AfterFunc(ctx, func() { time.AfterFunc(o.Farewell, b.cancel) })
	}
	if streams {
		b.running.Go(b.keep)
	}
	if o.Create {
		b.running.Go(func() { b.sweep(cmp.Or(o.SweepEvery, sweepEvery)) })
	}
	return b, nil
}

// schemes are those of the URLs of brokers: plain, with TLS, and both in a WebSocket.
var schemes = []string{"nats", "tls", "ws", "wss"}

func (o *NATSOptions) validate() error {
	if err := messages.CheckToken(o.Run); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if o.Replicas < 0 || o.Replicas > 5 || o.Replicas == 2 || o.Replicas == 4 {
		return fmt.Errorf("%d replicas: it must be 1, 3 or 5", o.Replicas)
	}
	if (o.Cert == "") != (o.Key == "") {
		return errors.New("a client certificate needs its key, and a key its certificate")
	}
	if o.URL == "" && o.InProcess == nil {
		return errors.New("no URL")
	}
	for _, server := range o.servers() {
		if u, err := url.Parse(server); err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
			return fmt.Errorf("%q is not like nats://HOST:PORT", redact(server))
		}
	}
	return o.Limits.Validate()
}

// servers returns the URLs one by one.
func (o *NATSOptions) servers() []string {
	if o.URL == "" {
		return nil
	}
	return strings.Split(o.URL, ",")
}

// address is where the broker is, without passwords.
func (o *NATSOptions) address() string {
	if o.InProcess != nil {
		return "this process"
	}
	var out []string
	for _, server := range o.servers() {
		out = append(out, redact(server))
	}
	return strings.Join(out, ",")
}

// redact is a URL as it may be shown. Of one that is none, whatever is before an @ may be a secret.
func redact(server string) string {
	u, err := url.Parse(strings.TrimSpace(server))
	if err == nil && u.Host != "" {
		return u.Redacted()
	}
	if at := strings.LastIndex(server, "@"); at >= 0 {
		return "…" + server[at:]
	}
	return server
}

// open connects and, if there are to be streams and buckets, makes sure of them or waits for them.
func (b *natsBus) open(ctx context.Context, streams bool) error {
	opts, err := b.connectOptions()
	if err != nil {
		return err
	}
	admission := b.opts.Admission
	if b.opts.Credentials == "" {
		admission = 0 // no broker comes to know who says nothing
	}
	var refused time.Time // since when, unless zero
	var warned time.Time  // of a broker that cannot be reached
	for attempt := 0; b.conn == nil; attempt++ {
		b.conn, err = nats.Connect(b.opts.URL, opts...)
		if err == nil {
			break
		}
		pause := backoff(attempt)
		switch {
		case errors.Is(err, nats.ErrAuthorization) && admission > 0 && refused.IsZero():
			refused = time.Now()
			b.log.Warn("the broker does not know this key, or not yet; trying again", "url", b.opts.address(),
				"credentials", b.opts.Credentials, "for", admission)
		case errors.Is(err, nats.ErrAuthorization) && admission > 0 && time.Since(refused) < admission:
		case unreachable(err):
			if time.Since(warned) >= warnEvery {
				warned = time.Now()
				b.log.Warn("NATS cannot be reached; trying again", "url", b.opts.address(), "error", b.opts.explained(err))
			}
		default:
			return err
		}
		b.pause(ctx, pause)
		if ctx.Err() != nil {
			return fmt.Errorf("%w (before that: %w)", ctx.Err(), err)
		}
	}
	limits := &b.opts.Limits
	limits.MaxMessage = min(limits.MaxMessage, int(b.conn.MaxPayload())-headerBytes)
	b.js, err = jetstream.New(b.conn, b.sender.options()...)
	if err != nil || !streams {
		return err
	}
	what := "wait for the run's learner to create its streams"
	if b.opts.Create {
		what = "create streams"
	}
	return b.send(ctx, what, "", func(ctx context.Context) error {
		if err := b.restore(ctx, false); err != nil {
			return err
		}
		return b.bind(ctx)
	})
}

// bind gets handles of the buckets. They stay valid when a bucket is made again.
func (b *natsBus) bind(ctx context.Context) (err error) {
	if b.state.handle, err = b.js.KeyValue(ctx, b.state.bucket); err != nil {
		return err
	}
	if b.roles.handle, err = b.js.KeyValue(ctx, b.roles.bucket); err != nil {
		return err
	}
	b.objects, err = b.js.ObjectStore(ctx, b.bucket("OBJECTS"))
	return err
}

// unreachable reports whether an error of nats.Connect can go away by itself.
func unreachable(err error) bool {
	var network *net.OpError // also wraps what TLS says of the other side's certificate
	return errors.As(err, &network) && network.Op != "remote error" ||
		errors.Is(err, nats.ErrMaxAccountConnectionsExceeded) ||
		errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, io.EOF) ||
		strings.Contains(err.Error(), nats.MAX_CONNECTIONS_ERR) // of an error without a name
}

func (b *natsBus) connectOptions() ([]nats.Option, error) {
	o := &b.opts
	opts := []nats.Option{
		nats.Name("croupier " + o.Run + " " + o.Role),
		nats.Timeout(dialTimeout),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(b.reconnectDelay),
		nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(5 * time.Second),
		nats.MaxPingsOutstanding(2),
		// What cannot be sent fails and is sent again by the caller that waits for it, rather
		// than being kept in a hidden buffer.
		nats.ReconnectBufSize(-1),
		// The answers to a direct get, the only ones that are waited for in turn. By default there is room for 65,536
		// each time, half a megabyte.
		nats.SyncQueueLen(2 * readAhead),
		nats.DisconnectErrHandler(b.disconnected),
		nats.ReconnectHandler(b.reconnected),
		nats.ErrorHandler(b.reported),
	}
	if o.InProcess != nil {
		opts = append(opts, nats.InProcessServer(o.InProcess))
	}
	if o.Credentials != "" {
		own, err := b.credentials(o.Credentials)
		if err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		opts = append(opts, own...)
	}
	return append(opts, o.secure), nil
}

// reported takes errors that belong to no call. What the broker refuses because of the key
// is remembered, for the call that waits for its answer.
func (b *natsBus) reported(_ *nats.Conn, _ *nats.Subscription, err error) {
	switch {
	case errors.Is(err, nats.ErrPermissionViolation):
		b.metrics.refused.Inc()
		if what := misnamed(err, b.opts.Run, b.conn.Opts.InboxPrefix); what != "" {
			err = fmt.Errorf("%w (%s)", err, what)
		}
		b.forbidden.add(err)
		b.log.Error("the broker refuses what this key does not allow", "error", err)
	case errors.Is(err, nats.ErrAuthorization):
		b.keyRefused()
	default:
		b.log.Warn("NATS reports an error", "error", err)
	}
}

// keyRefused tells once of a credential that the broker no longer knows.
func (b *natsBus) keyRefused() {
	switch {
	case b.refused.IsZero():
		b.refused = time.Now()
		b.log.Error(ErrRevoked.Error(), "credentials", b.opts.Credentials)
	case b.opts.Revoked != nil && time.Since(b.refused) > revokedAfter:
		b.opts.Revoked(fmt.Errorf("%s: %w", b.opts.Credentials, ErrRevoked))
	}
}

func (b *natsBus) disconnected(_ *nats.Conn, err error) {
	b.link.begin(b.ctx)
	if b.ctx.Err() == nil {
		b.log.Warn("connection to NATS lost; reconnecting", "url", b.opts.address(), "error", err)
	}
}

func (b *natsBus) reconnected(c *nats.Conn) {
	b.log.Info("connected to NATS again", "url", c.ConnectedUrlRedacted())
	b.metrics.reconnects.Inc()
	b.refused = time.Time{}
	b.forbidden.forget()
	b.suspectLoss()
}

// start runs a goroutine that Close waits for.
func (b *natsBus) start(ctx context.Context, run func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b.running.Go(run)
	return nil
}

// State implements Bus.
func (b *natsBus) State() KV { return b.state }

// Roles implements Bus.
func (b *natsBus) Roles() KV { return b.roles }

// Connected implements Bus.
func (b *natsBus) Connected() bool { return b.conn.IsConnected() }

// Close implements Bus. It waits for acknowledgements of experience (5 s at most)
// and for all channels to be closed.
func (b *natsBus) Close() error {
	err := b.sender.flush(flushTimeout)
	b.mu.Lock()
	b.cancel()
	b.mu.Unlock()
	b.running.Wait()
	b.conn.Close()
	return err
}

// backoff is how long to wait after a failed attempt: doubling up to 2 s, jittered.
func backoff(attempt int) time.Duration {
	ceiling := min(50*time.Millisecond<<min(attempt, 10), 2*time.Second)
	return ceiling/2 + jitter(ceiling/2)
}

// jitter is a random time below d.
func jitter(d time.Duration) time.Duration { return rand.N(d) }
