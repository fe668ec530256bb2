package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/agents"
	"croupier/cluster"
	"croupier/play"
)

// TablesOptions say how people at tables are measured.
type TablesOptions struct {
	Tables int
	Length time.Duration
	Think  time.Duration // mean time that a person takes for a move
}

// seatsAtTable are people at a table of BANK!; a bot that answers at once sits beside them.
const seatsAtTable = 4

// People measures a page with people at tables, all in this process: each of them follows the
// table over a stream of its own, as browsers do, and sends a move over HTTP when it is their turn.
func (o *Options) People(ctx context.Context) ([]Tables, error) {
	o.Progress(fmt.Sprintf("tables: %v", o.Tables.Length))
	dir, err := os.MkdirTemp("", "croupier-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	game, err := o.Catalog.New(o.Game, nil)
	if err != nil {
		return nil, err
	}
	hub := cluster.Hub{
		Catalog: o.Catalog, Dir: filepath.Join(dir, "runs"), Page: cluster.Page{Listener: listener}, Log: slog.New(slog.DiscardHandler),
	}
	served := make(chan error, 1)
	go func() { served <- hub.Serve(ctx) }()
	bot := agents.New(game, agents.Sources{Catalog: o.Catalog}).StrongestBot()
	c := &crowd{game: o.Game, bot: bot, server: "http://" + listener.Addr().String(), think: o.Tables.Think}
	c.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * seatsAtTable * o.Tables.Tables}}
	result, err := c.measure(ctx, o.Tables)
	stop()
	c.client.CloseIdleConnections()
	if failed := <-served; err == nil {
		err = failed
	}
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	return []Tables{result}, nil
}

// crowd are people at tables.
type crowd struct {
	game   string
	bot    string // in one seat
	server string
	client *http.Client
	think  time.Duration

	mutex     sync.Mutex
	latencies []time.Duration // of moves
	games     int
}

// measure lets people play for a time.
func (c *crowd) measure(ctx context.Context, o TablesOptions) (Tables, error) {
	result := Tables{Game: c.game, Tables: o.Tables, People: seatsAtTable * o.Tables}
	ctx, stop := context.WithTimeout(ctx, o.Length)
	defer stop()
	watch := StartWatch()
	group, playing := errgroup.WithContext(ctx)
	for range o.Tables {
		group.Go(func() error { return c.table(playing) })
	}
	if err := group.Wait(); err != nil && ctx.Err() == nil {
		return result, err
	}
	seconds, share := watch.Stop(threadCounts()[len(threadCounts())-1])
	if len(c.latencies) == 0 {
		return result, fmt.Errorf("nobody made a move in %v", o.Length)
	}
	slices.Sort(c.latencies)
	at := func(q float64) float64 {
		return c.latencies[int(q*float64(len(c.latencies)-1))].Seconds() * 1e3
	}
	result.Seconds, result.Moves, result.Games = seconds, len(c.latencies), c.games
	result.Spread = NewSpread([]float64{float64(len(c.latencies)) / seconds}, []float64{share})
	result.MovesPerSecond = result.Median
	result.P50, result.P99, result.Most = at(0.5), at(0.99), at(1)
	return result, nil
}

// table plays one game after the other at a table until ctx ends.
func (c *crowd) table(ctx context.Context) error {
	for ctx.Err() == nil {
		var q play.Request
		q.Game = c.game
		for i := range seatsAtTable {
			q.Seats = append(q.Seats, play.SeatRequest{Person: fmt.Sprintf("Person %d", i+1)})
		}
		q.Seats = append(q.Seats, play.SeatRequest{Agent: c.bot})
		var made play.Made
		if err := c.post(ctx, "/api/tables", q, &made); err != nil {
			return err
		}
		group, playing := errgroup.WithContext(ctx)
		for seat, key := range made.Keys[:seatsAtTable] {
			group.Go(func() error {
				return c.person(playing, made.Table, key, rand.New(rand.NewPCG(uint64(seat), 1)))
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		c.mutex.Lock()
		c.games++
		c.mutex.Unlock()
	}
	return nil
}

// person follows a table and plays to the end of the game.
func (c *crowd) person(ctx context.Context, table, key string, rng *rand.Rand) error {
	request, err := http.NewRequestWithContext(ctx, "GET", c.server+"/api/tables/"+table+"/events?key="+key, nil)
	if err != nil {
		return err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the stream of a table: %s", response.Status)
	}
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var show play.Show
		if err := json.Unmarshal([]byte(data), &show); err != nil {
			return err
		}
		if show.Over != nil {
			return nil
		}
		if err := c.move(ctx, table, key, &show, rng); err != nil {
			return err
		}
	}
}

// move makes a move if it is the person's turn, after some thought. One in ten banks.
func (c *crowd) move(ctx context.Context, table, key string, show *play.Show, rng *rand.Rand) error {
	if len(show.Actions) == 0 {
		return nil
	}
	select {
	case <-time.After(time.Duration(rng.ExpFloat64() * float64(c.think))):
	case <-ctx.Done():
		return ctx.Err()
	}
	action := show.Actions[0].Action
	if rng.IntN(10) == 0 {
		action = show.Actions[len(show.Actions)-1].Action
	}
	began := time.Now()
	err := c.post(ctx, "/api/tables/"+table+"/act?key="+key, map[string]int{"step": show.Step, "action": action}, nil)
	if err == nil {
		c.mutex.Lock()
		c.latencies = append(c.latencies, time.Since(began))
		c.mutex.Unlock()
	}
	return err
}

// post sends a request and reads its whole answer, into answer unless that is nil.
func (c *crowd) post(ctx context.Context, path string, body, answer any) error {
	document, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, "POST", c.server+path, bytes.NewReader(document))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode == http.StatusConflict: // the stream was slower than the clock
		return nil
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s: %s", path, response.Status, text)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(text, answer)
}
