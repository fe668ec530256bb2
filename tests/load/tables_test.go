package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"croupier/agents"
	"croupier/cluster"
	"croupier/games/standard"
	"croupier/play"
)

const (
	// tablesGame is what people play.
	tablesGame = "bank"
	// seatsAtTable are people at a table of BANK!, with a bot that answers at once.
	seatsAtTable = 4
)

// page is the page of all runs, with people at tables: each of them follows the table over a stream of its own, as
// browsers do, and sends a move over HTTP when it is their turn.
type page struct {
	bot    string // in one seat
	server string
	client *http.Client
	think  time.Duration // mean time that a person takes for a move

	mutex     sync.Mutex
	latencies []time.Duration // from sending a move to having read the position after it
	games     int
	errors    []error
}

// newPage serves the page until the end of the test.
func newPage(t testing.TB, think time.Duration) *page {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	game, err := standard.Games.New(tablesGame, nil)
	require.NoError(t, err)
	hub := cluster.RunsServer{
		Catalog: standard.Games, Dir: filepath.Join(t.TempDir(), "runs"), Page: cluster.Page{Listener: listener},
		Log: slog.New(slog.DiscardHandler),
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- hub.Serve(ctx) }()
	p := &page{
		bot:    agents.New(game, agents.Sources{Catalog: standard.Games}).StrongestBot(),
		server: "http://" + listener.Addr().String(), think: think,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 400}},
	}
	t.Cleanup(func() {
		stop()
		p.client.CloseIdleConnections()
		require.NoError(t, <-served)
	})
	return p
}

// game plays a game at a table of its own.
func (p *page) game(ctx context.Context) {
	err := p.table(ctx)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err == nil {
		p.games++
	} else if ctx.Err() == nil {
		p.errors = append(p.errors, err)
	}
}

// failed returns what went wrong at tables.
func (p *page) failed() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return errors.Join(p.errors...)
}

func (p *page) table(ctx context.Context) error {
	q := play.Request{Game: tablesGame}
	for i := range seatsAtTable {
		q.Seats = append(q.Seats, play.SeatRequest{Person: fmt.Sprintf("Person %d", i+1)})
	}
	q.Seats = append(q.Seats, play.SeatRequest{Agent: p.bot})
	var made play.Made
	if err := p.post(ctx, "/api/tables", q, &made); err != nil {
		return err
	}
	group, playing := errgroup.WithContext(ctx)
	for seat, key := range made.Keys[:seatsAtTable] {
		group.Go(func() error {
			return p.person(playing, made.Table, key, rand.New(rand.NewPCG(uint64(seat), 1)))
		})
	}
	return group.Wait()
}

// person follows a table and plays to the end of the game.
func (p *page) person(ctx context.Context, table, key string, rng *rand.Rand) error {
	request, err := http.NewRequestWithContext(ctx, "GET", p.server+"/api/tables/"+table+"/events?key="+key, nil)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
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
		if err := p.move(ctx, table, key, &show, rng); err != nil {
			return err
		}
	}
}

// move makes a move if it is the person's turn, after some thought. One in ten banks.
func (p *page) move(ctx context.Context, table, key string, show *play.Show, rng *rand.Rand) error {
	if len(show.Actions) == 0 {
		return nil
	}
	select {
	case <-time.After(time.Duration(rng.ExpFloat64() * float64(p.think))):
	case <-ctx.Done():
		return ctx.Err()
	}
	action := show.Actions[0].Action
	if rng.IntN(10) == 0 {
		action = show.Actions[len(show.Actions)-1].Action
	}
	began := time.Now()
	err := p.post(ctx, "/api/tables/"+table+"/act?key="+key, map[string]int{"step": show.Step, "action": action}, nil)
	if err == nil {
		p.mutex.Lock()
		p.latencies = append(p.latencies, time.Since(began))
		p.mutex.Unlock()
	}
	return err
}

// post sends a request and reads its whole answer, into answer unless that is nil.
func (p *page) post(ctx context.Context, path string, body, answer any) error {
	document, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, "POST", p.server+path, bytes.NewReader(document))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := p.client.Do(request)
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

// BenchmarkPeople is a move of 200 people at 50 tables, who think for a third of a second on average.
func BenchmarkPeople(b *testing.B) {
	const tables = 50
	p := newPage(b, 300*time.Millisecond)
	ctx, stop := context.WithCancel(b.Context())
	var playing sync.WaitGroup
	b.ResetTimer()
	for range tables {
		playing.Go(func() {
			for ctx.Err() == nil && p.failed() == nil {
				p.game(ctx)
			}
		})
	}
	moves := func() int {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		return len(p.latencies)
	}
	for moves() < b.N && p.failed() == nil {
		time.Sleep(time.Millisecond)
	}
	b.StopTimer()
	stop()
	playing.Wait()
	require.NoError(b, p.failed())
	slices.Sort(p.latencies)
	at := func(q float64) float64 {
		return float64(p.latencies[int(q*float64(len(p.latencies)-1))].Microseconds()) / 1e3
	}
	b.ReportMetric(float64(len(p.latencies))/b.Elapsed().Seconds(), "moves/s")
	b.ReportMetric(at(0.5), "ms-median")
	b.ReportMetric(at(0.99), "ms-99%")
}
