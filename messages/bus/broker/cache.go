package broker

import (
	"container/list"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// directGet begins the subjects of requests for a message of a stream by its sequence number.
	directGet = "$JS.API.DIRECT.GET."

	// hubAnswers is how long a leaf waits for a piece; the key's process tries again later.
	hubAnswers = 10 * time.Second
	// mostQuestions bounds how many pieces a leaf asks for at a time; beyond, it only passes requests on.
	mostQuestions = 256
	// mostRequest is the longest request for a piece, in bytes.
	mostRequest = 512
	// pieceOverhead is what a piece takes in memory besides its data, in bytes.
	pieceOverhead = 1 << 10
)

// cache keeps, at a leaf, pieces of objects, the least recently used of which go first. A piece never changes:
// the name of what it belongs to is used once. Whether an object is there at all, the hub answers each time.
type cache struct {
	conn   *nats.Conn
	stream string // with the objects
	limit  int64  // bytes

	hits, misses atomic.Uint64

	mu     sync.Mutex
	pieces map[pieceKey]*piece
	recent list.List // of the pieces that are here, the most recently used first
	bytes  int64
	asked  int // pieces that are on their way
	ctx    context.Context
	cancel context.CancelFunc
	asking sync.WaitGroup
}

// pieceKey is a request: the first message of a subject from a sequence number on.
type pieceKey struct {
	Sequence uint64 `json:"seq"`
	Subject  string `json:"next_by_subj"`
}

// piece is a piece of an object, or what waits for it.
type piece struct {
	key     pieceKey
	message *nats.Msg // nil while it is on its way
	waiting []string  // where to send it
	place   *list.Element
}

// start connects to the leaf and answers in the hub's place.
func (c *cache) start(b *Broker, run string) (err error) {
	c.stream, c.limit, c.pieces = names{run}.objectStream(), b.opts.Leaf.CacheBytes, map[pieceKey]*piece{}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if c.conn, err = b.dialItself("cache"); err != nil {
		return err
	}
	if _, err = c.conn.Subscribe(cachePrefix+c.stream, c.serve); err == nil {
		err = c.conn.Flush()
	}
	return err
}

// close ends answering. It can be repeated, and called before start.
func (c *cache) close() {
	if c.conn == nil {
		return
	}
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	c.asking.Wait()
	c.conn.Close()
}

func (c *cache) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// serve answers a request, or sees to it that it is answered.
func (c *cache) serve(request *nats.Msg) {
	key, ok := c.parse(request.Data)
	c.mu.Lock()
	p := c.pieces[key]
	switch {
	case p != nil && p.message != nil:
		c.recent.MoveToFront(p.place)
		c.mu.Unlock()
		c.hits.Add(1)
		c.send(p.message, request.Reply)
		return
	case p != nil:
		p.waiting = append(p.waiting, request.Reply)
		c.mu.Unlock()
		c.hits.Add(1)
		return
	case ok && c.asked < mostQuestions && c.ctx.Err() == nil:
		p = &piece{key: key, waiting: []string{request.Reply}}
		c.pieces[key] = p
		c.asked++
		c.asking.Go(func() { c.ask(p) })
		c.mu.Unlock()
		c.misses.Add(1)
		return
	}
	c.mu.Unlock()
	_ = c.conn.PublishRequest(c.hub(), request.Reply, request.Data) // the hub answers by itself
}

// hub is the subject on which the hub takes requests.
func (c *cache) hub() string { return throughLink(directGet + c.stream) }

// parse reports whether a request is one for a single piece of one object, which are all that is kept.
func (c *cache) parse(data []byte) (key pieceKey, ok bool) {
	if len(data) > mostRequest {
		return key, false
	}
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(data, &fields) != nil || len(fields) != 2 || json.Unmarshal(data, &key) != nil {
		return pieceKey{}, false
	}
	name, ok := strings.CutPrefix(key.Subject, "$O."+strings.TrimPrefix(c.stream, "OBJ_")+".C.")
	if !ok || key.Sequence == 0 || strings.ContainsAny(name, "*>") {
		return pieceKey{}, false
	}
	return key, true
}

// ask gets a piece from the hub for all who wait for it.
func (c *cache) ask(p *piece) {
	ctx, cancel := context.WithTimeout(c.ctx, hubAnswers)
	defer cancel()
	request, err := json.Marshal(p.key)
	var answer *nats.Msg
	if err == nil {
		answer, err = c.conn.RequestWithContext(ctx, c.hub(), request)
	}
	if err != nil { // as the broker says that no process is there to answer
		answer = &nats.Msg{Header: nats.Header{"Status": {"503"}}}
	}
	for _, to := range c.take(p, answer) {
		c.send(answer, to)
	}
}

// take keeps what came, if it is a piece, and returns who waited for it.
func (c *cache) take(p *piece, answer *nats.Msg) (waiting []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked--
	waiting, p.waiting = p.waiting, nil
	if answer.Header.Get("Status") != "" {
		delete(c.pieces, p.key)
		return waiting
	}
	p.message, p.place = answer, c.recent.PushFront(p)
	for c.bytes += p.size(); c.bytes > c.limit; {
		oldest := c.recent.Remove(c.recent.Back()).(*piece)
		delete(c.pieces, oldest.key)
		c.bytes -= oldest.size()
	}
	return waiting
}

func (p *piece) size() int64 { return int64(len(p.message.Data)) + pieceOverhead }

// send passes an answer on. A client that does not get it asks again.
func (c *cache) send(answer *nats.Msg, to string) {
	_ = c.conn.PublishMsg(&nats.Msg{Subject: to, Header: answer.Header, Data: answer.Data})
}
