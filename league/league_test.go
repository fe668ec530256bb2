package league

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/engine"
	"croupier/internal/rundir"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/presence"
	"croupier/messages/roles"
)

// cluster is a run on a memory bus: everything but the league is simulated.
type cluster struct {
	pace time.Duration // of a match; 0: as fast as tests like it
	t    *testing.T
	bus  bus.Bus
	dir  string
	log  logged

	league   *League
	registry *prometheus.Registry
	version  uint64
	evaluate Evaluation
	stop     []func()
}

// logged keeps what is logged, to be read while the league runs.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *logged) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *logged) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// inCluster runs a test in a bubble with its own time.
func inCluster(t *testing.T, do func(*cluster)) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{t: t, bus: memory.New(bus.Options{}), dir: t.TempDir()}
		defer func() {
			for _, stop := range c.stop {
				stop()
			}
			c.bus.Close()
		}()
		do(c)
	})
}

func (c *cluster) options() Options {
	c.registry = prometheus.NewRegistry()
	config := testConfig()
	config.FreezeUpdates = 1
	return Options{
		Common: roles.Common{
			Bus: c.bus, Game: ratingtest.Game{Is: ratingtest.Spec(3)}, Run: "run", Dir: c.dir,
			Registerer: c.registry, Log: slog.New(slog.NewTextHandler(&c.log, nil)),
		},
		Config: config, References: []string{"random", "threshold(100)"}, Zero: "threshold(100)",
		Kind: ratingtest.Kind, Evaluate: c.evaluate,
	}
}

// start runs a league until the returned function is called, which returns Run's error.
func (c *cluster) start(o Options) (stop func() error) {
	var err error
	c.league, err = New(o)
	require.NoError(c.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.league.Run(ctx) }()
	var once sync.Once
	stop = func() error {
		once.Do(func() {
			cancel()
			err = <-done
		})
		return err
	}
	c.stop = append(c.stop, func() { stop() })
	return stop
}

// startActor plays matches until the end of the test. Results depend on the match alone.
func (c *cluster) startActor() {
	ctx, cancel := context.WithCancel(context.Background())
	c.stop = append(c.stop, cancel)
	consumer, err := c.bus.Consume(ctx, bus.Matches, "actors", "")
	require.NoError(c.t, err)
	theta := map[string]float64{"random": -1}
	for i := range 100 {
		theta[fmt.Sprintf("main@%d", i)] = -1 + 0.2*float64(i)
	}
	turn := make(chan bool, 1)  // one match at a time
	played := map[string]bool{} // each once, whether it comes by name or from the queue
	play := func(data []byte) error {
		turn <- true
		defer func() { <-turn }()
		match := &messages.Match{}
		if messages.Decode(data, match) != nil {
			panic("bad match")
		}
		if played[match.Id] {
			return nil
		}
		played[match.Id] = true
		select {
		case <-time.After(max(c.pace, 10*time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
		s := &ratingtest.Simulation{Spec: ratingtest.Spec(3), Theta: theta, RNG: engine.NewRNG(match.FirstSet, 0)}
		data, err := messages.Encode(s.Play(match))
		if err == nil {
			err = c.bus.Publish(ctx, bus.Results, messages.ResultSubject(match.Id, "actor-0"), data)
		}
		if errors.Is(err, bus.ErrTaken) {
			err = nil
		}
		return err
	}
	go c.playAssigned(ctx, play)
	go func() {
		for ctx.Err() == nil {
			batch, err := consumer.Fetch(ctx, 1, time.Second)
			if err != nil {
				return
			}
			for _, m := range batch {
				if play(m.Data()) != nil || m.Ack(ctx) != nil {
					return
				}
			}
		}
	}()
}

// playAssigned plays the matches that the league gives to the actor by name.
func (c *cluster) playAssigned(ctx context.Context, play func(data []byte) error) {
	entries, err := c.bus.State().Watch(ctx, messages.AssignedKey("actor-0"))
	if err != nil {
		return
	}
	for e := range entries {
		list, _ := messages.DecodeAssigned(e.Value)
		for _, data := range list {
			if play(data) != nil {
				return
			}
		}
	}
}

// learn publishes weights.
func (c *cluster) learn() *messages.Pointer {
	data := fmt.Appendf(nil, "weights %d", c.version+1)
	p := c.store(data)
	c.point(p)
	return p
}

// store publishes weights as the next version, of which no other process knows yet.
func (c *cluster) store(data []byte) *messages.Pointer {
	c.version++
	sum := sha256.Sum256(data)
	p := &messages.Pointer{
		Schema: 1, Agent: "main", Version: c.version, Object: messages.LiveObject("main", c.version, sum), Sha256: sum[:],
		Updates: 10 * c.version, Samples: 1000 * c.version, Seconds: float64(c.version),
	}
	require.NoError(c.t, c.bus.PutObject(c.t.Context(), p.Object, data))
	return p
}

func (c *cluster) point(p *messages.Pointer) {
	value, err := messages.Encode(p)
	require.NoError(c.t, err)
	_, err = c.bus.State().Put(c.t.Context(), "agent.main", value)
	require.NoError(c.t, err)
}

func (c *cluster) ladder() *messages.Ladder {
	e, err := c.bus.State().Get(c.t.Context(), "ladder")
	require.NoError(c.t, err)
	l, err := messages.ParseLadder(e.Value)
	require.NoError(c.t, err)
	return l
}

// curves returns all points of a series, in order.
func (c *cluster) curves(series string) []*messages.Point {
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	in, err := c.bus.Read(ctx, bus.Curves, 1)
	require.NoError(c.t, err)
	var out []*messages.Point
	for m := range in {
		if m == nil {
			break
		}
		require.Equal(c.t, "league", m.Subject())
		p := &messages.Points{}
		require.NoError(c.t, messages.Decode(m.Data(), p))
		for _, x := range p.Points {
			if x.Series == series {
				out = append(out, x)
			}
		}
	}
	return out
}

func (c *cluster) value(name string, labels ...string) float64 {
	families, err := c.registry.Gather()
	require.NoError(c.t, err)
	for _, f := range families {
		for _, m := range f.Metric {
			if f.GetName() == name && (len(labels) == 0 || m.Label[0].GetValue() == labels[0]) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	require.Fail(c.t, "no metric "+name)
	return 0
}

func TestLeagueFromStartToFinish(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.evaluate = func(_ context.Context, data []byte) (map[string]float64, error) {
			return map[string]float64{"exploitability": float64(len(data))}, nil
		}
		c.startActor()
		stop := c.start(c.options())
		time.Sleep(2 * time.Second)
		require.Equal(t, "threshold(100)", c.ladder().Scale.Zero, "there is a ladder from the start")
		for range 5 {
			c.learn()
			time.Sleep(30 * time.Second)
		}
		require.GreaterOrEqual(t, len(c.curves("win_share/random")), 4)
		p := c.learn()
		c.finish()

		ladder := c.ladder()
		newest := rating.Newest(ladder)
		entry, err := c.bus.State().Get(c.t.Context(), "population.main-6")
		require.NoError(t, err)
		member := &messages.Member{}
		require.NoError(t, proto.Unmarshal(entry.Value, member))
		require.Equal(t, newest, member.Name)
		require.Equal(t, p.Sha256, member.Sha256)
		require.Equal(t, p.Seconds, member.Seconds)
		for _, x := range ladder.Payoff {
			if x.A == newest && (x.B == "random" || x.B == "threshold(100)") {
				require.GreaterOrEqual(t, x.Games, 3*testConfig().FinalSets)
			}
		}
		require.Len(t, c.curves("exploitability"), 6)
		require.NotEmpty(t, c.curves("rating/best"))
		require.Equal(t, 6.0, c.value("croupier_league_members"))
		require.Positive(t, c.value("croupier_league_results_total", "applied"))

		table := &messages.Matchmaking{}
		entry, err = c.bus.State().Get(c.t.Context(), "matchmaking")
		require.NoError(t, err)
		require.NoError(t, messages.Decode(entry.Value, table))
		require.Len(t, table.Opponents, 6)

		entry, err = c.bus.Roles().Get(c.t.Context(), "league.1")
		require.NoError(t, err)
		status := &messages.Status{}
		require.NoError(t, messages.Decode(entry.Value, status))
		require.Equal(t, 6.0, status.Values["members"])

		require.NoError(t, stop())
		data, err := os.ReadFile(filepath.Join(c.dir, "population", newest+".safetensors"))
		require.NoError(t, err)
		require.Equal(t, "weights 6", string(data))
		written, err := ReadLadder(c.dir)
		require.NoError(t, err)
		require.Equal(t, c.ladder(), written)
	})
}

// However a league ends, the next one has the same ladder: with the snapshot of a
// clean end, with an old snapshot, with none, with a broken one.
func TestLadderOutlivesTheLeague(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.evaluate = func(context.Context, []byte) (map[string]float64, error) {
			return map[string]float64{"exploitability": 1}, nil
		}
		c.startActor()
		stop := c.start(c.options())
		c.learn()
		time.Sleep(3 * time.Second)
		snapshot := filepath.Join(c.dir, snapshotName)
		old, err := os.ReadFile(snapshot)
		require.NoError(t, err)
		c.learn()
		time.Sleep(5 * time.Minute) // the arena comes to rest
		require.NoError(t, stop())
		want := c.ladder()
		results, err := c.bus.Info(c.t.Context(), bus.Results)
		require.NoError(t, err)
		points := func() int { return len(c.curves("rating/newest")) + len(c.curves("exploitability")) }
		before := points()
		require.NoError(t, c.start(c.options())(), "ended before it began")
		stop = c.start(c.options())
		time.Sleep(time.Minute)
		require.NoError(t, stop())
		require.Equal(t, before, points(), "a point of a curve is published once")

		for name, prepare := range map[string]func() error{
			"as it was":     func() error { return nil },
			"old snapshot":  func() error { return os.WriteFile(snapshot, old, 0o644) },
			"no snapshot":   func() error { return os.Remove(snapshot) },
			"half snapshot": func() error { return os.WriteFile(snapshot, old[:len(old)/2], 0o644) },
		} {
			require.NoError(t, prepare(), name)
			_, err := c.bus.State().Put(c.t.Context(), "ladder", []byte("{}"))
			require.NoError(t, err)
			stop := c.start(c.options())
			time.Sleep(time.Minute)
			require.NoError(t, stop(), name)
			require.Equal(t, want, c.ladder(), name)
			again, err := c.bus.Info(c.t.Context(), bus.Results)
			require.NoError(t, err)
			require.Equal(t, results.Last, again.Last, "%s: nothing is played again", name)
		}
		require.Contains(t, c.log.String(), "a copy of the league's state cannot be used")
	})
}

// A broker that forgets the results gets a league that does not.
func TestResultsLostByTheBroker(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.startActor()
		stop := c.start(c.options())
		time.Sleep(time.Minute)
		require.NoError(t, stop())
		before := c.ladder()
		require.NotEmpty(t, before.Payoff)

		c.bus = memory.New(bus.Options{})
		c.stop = append(c.stop, func() { c.bus.Close() })
		c.start(c.options())
		time.Sleep(time.Minute)
		require.Equal(t, before, c.ladder())
		require.Contains(t, c.log.String(), "broker has lost results")
	})
}

// deafBus is a bus whose broker cannot be reached for a while.
type deafBus struct {
	bus.Bus
	deaf *atomic.Bool
}

var errDeaf = errors.New("nobody listens")

func (b deafBus) Publish(ctx context.Context, s bus.Stream, subject string, data []byte) error {
	if b.deaf.Load() {
		return errDeaf
	}
	return b.Bus.Publish(ctx, s, subject, data)
}

func (b deafBus) GetObject(ctx context.Context, name string) ([]byte, error) {
	if b.deaf.Load() {
		return nil, errDeaf
	}
	return b.Bus.GetObject(ctx, name)
}

func TestBrokerAwayForAWhile(t *testing.T) {
	inCluster(t, func(c *cluster) {
		var deaf atomic.Bool
		deaf.Store(true)
		o := c.options()
		o.Bus = deafBus{c.bus, &deaf}
		c.startActor()
		stop := c.start(o)
		c.learn()
		time.Sleep(20 * time.Second)
		require.Positive(t, c.value("croupier_league_unsent_messages"))
		require.NoError(t, stop())
		require.NoFileExists(t, filepath.Join(c.dir, snapshotName), "it would say that matches are published")

		o.Registerer = prometheus.NewRegistry()
		c.registry = o.Registerer.(*prometheus.Registry)
		c.start(o)
		time.Sleep(20 * time.Second)
		deaf.Store(false)
		time.Sleep(time.Minute)
		require.Zero(t, c.value("croupier_league_unsent_messages"))
		require.Zero(t, c.value("croupier_league_matches_total", "again"))
		require.Len(t, c.ladder().Agents, 3)
		require.Len(t, c.curves("win_share/random"), 1)
		require.Contains(t, c.log.String(), "broker accepts messages again")
	})
}

func TestBadMessagesAreRefused(t *testing.T) {
	inCluster(t, func(c *cluster) {
		publish := func(subject string, data []byte) {
			require.NoError(t, c.bus.Publish(c.t.Context(), bus.Results, subject, data))
		}
		publish("noise.actor-0", []byte{0xff, 0xff})
		forged, err := messages.Encode(&messages.Result{Schema: 1, Run: "run", Match: &messages.Match{Id: "forged"}})
		require.NoError(t, err)
		publish("forged.actor-0", forged)
		for key, value := range map[string][]byte{
			"population.main-1": []byte("noise"), "population.x": nil, "agent.main": []byte{1},
		} {
			_, err := c.bus.State().Put(c.t.Context(), key, value)
			require.NoError(t, err)
		}
		traversal, err := messages.Encode(&messages.Member{Schema: 1, Name: "../../etc@1", Order: 1, Object: "population/x",
			Sha256: make([]byte, 32)})
		require.NoError(t, err)
		_, err = c.bus.State().Put(c.t.Context(), "population.main-2", traversal)
		require.NoError(t, err)
		stop := c.start(c.options())
		time.Sleep(5 * time.Second)
		require.Equal(t, 2.0, c.value("croupier_league_results_total", "refused"))
		require.Zero(t, c.value("croupier_league_members"))

		// Weights that are not what the pointer says are never frozen.
		p := c.learn()
		p.Sha256 = make([]byte, 32)
		c.point(p)
		time.Sleep(5 * time.Second)
		require.NoError(t, stop())
		require.NotContains(t, c.log.String(), "agent=main@2")
	})
}

// TestAverageIsFrozen: where there is an average of the weights, it and not the weights becomes the member, once.
func TestAverageIsFrozen(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.startActor()
		stop := c.start(c.options())
		p := c.store([]byte("weights"))
		data := []byte("their average")
		sum := sha256.Sum256(data)
		p.AverageObject, p.AverageSha256 = messages.LiveObject("main", p.Version, sum), sum[:]
		require.NoError(t, c.bus.PutObject(c.t.Context(), p.AverageObject, data))
		c.point(p)
		time.Sleep(30 * time.Second)
		c.finish()
		require.NoError(t, stop())
		require.Equal(t, 1.0, c.value("croupier_league_members"))
		entry, err := c.bus.State().Get(c.t.Context(), "population.main-1")
		require.NoError(t, err)
		member, err := decodeMember("population.main-1", entry.Value)
		require.NoError(t, err)
		require.Equal(t, sum[:], member.Sha256)
		frozen, err := c.bus.GetObject(c.t.Context(), member.Object)
		require.NoError(t, err)
		require.Equal(t, data, frozen)
	})
}

// finish waits for the last matches.
func (c *cluster) finish() {
	c.t.Helper()
	left, err := c.league.Finish(c.t.Context(), 0)
	require.NoError(c.t, err)
	require.Zero(c.t, left)
}

// The first rating, and the last where all matches are played, do not wait for the next second.
func TestDecisionsDoNotWaitForTheClock(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.startActor()
		began := time.Now()
		stop := c.start(c.options())
		c.learn()
		c.finish()
		require.Less(t, time.Since(began), period)
		require.Positive(t, len(c.ladder().Payoff))
		require.NoError(t, stop())
	})
}

// The last rating ends when its time is up, with what there is.
func TestFinishWithinATime(t *testing.T) {
	inCluster(t, func(c *cluster) { // without actors
		stop := c.start(c.options())
		c.learn()
		began := time.Now()
		left, err := c.league.Finish(c.t.Context(), 20*time.Second)
		require.NoError(t, err)
		require.Positive(t, left)
		require.InDelta(t, 20, time.Since(began).Seconds(), 3)
		require.Equal(t, 1.0, c.value("croupier_league_members"), "the newest weights are frozen")
		require.NoError(t, stop())
	})
}

func TestFinishThatCannotEnd(t *testing.T) {
	inCluster(t, func(c *cluster) { // without actors
		stop := c.start(c.options())
		c.learn()
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
		defer cancel()
		_, err := c.league.Finish(ctx, 0)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		failed := make(chan error, 1)
		go func() {
			_, err := c.league.Finish(context.Background(), 0)
			failed <- err
		}()
		time.Sleep(time.Second)
		require.NoError(t, stop())
		require.ErrorContains(t, <-failed, "stopped")
		_, err = c.league.Finish(c.t.Context(), 0)
		require.ErrorContains(t, err, "no longer running")
	})
}

func TestFailedEvaluationIsSaid(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.evaluate = func(context.Context, []byte) (map[string]float64, error) { return nil, errors.New("too large a tree") }
		c.startActor()
		c.start(c.options())
		c.learn()
		c.finish()
		require.Contains(t, c.log.String(), "too large a tree")
		require.Empty(t, c.curves("exploitability"))
	})
}

func TestNewRefusesBadOptions(t *testing.T) {
	inCluster(t, func(c *cluster) {
		for name, spoil := range map[string]func(*Options){
			"pool":    func(o *Options) { o.Config.Pool = 0 },
			"run":     func(o *Options) { o.Run = "a/b" },
			"main@1":  func(o *Options) { o.References = []string{"main@1"} },
			"\"bot\"": func(o *Options) { o.References = []string{"bot", "bot"} },
		} {
			o := c.options()
			spoil(&o)
			_, err := New(o)
			require.ErrorContains(t, err, name)
		}
	})
}

// A directory in the place of one of the league's files is refused at once.
func TestDirectoriesInPlaceOfFiles(t *testing.T) {
	inCluster(t, func(c *cluster) {
		for _, name := range []string{snapshotName, snapshotCopy, journalName, LadderFile, promotionsName,
			rundir.MembersFile} {
			path := filepath.Join(c.dir, name)
			require.NoError(t, os.MkdirAll(path, 0o755))
			_, err := New(c.options())
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, err, "is a directory")
			require.NoError(t, os.Remove(path))
		}
	})
}

// heartbeat is the newest of the league.
func (c *cluster) heartbeat() presence.Heartbeat {
	key := messages.RoleKey(messages.LeagueRole, "1")
	e, err := c.bus.Roles().Get(c.t.Context(), key)
	require.NoError(c.t, err)
	beat, err := presence.Read(key, e.Value)
	require.NoError(c.t, err)
	return beat
}

// What cannot be written while the league works is reported once, and once more when it can be written again.
func TestWhatCannotBeWrittenIsToldOnce(t *testing.T) {
	inCluster(t, func(c *cluster) {
		o := c.options()
		o.Config.JournalBytes = 1 // a snapshot with each result
		stop := c.start(o)
		time.Sleep(2500 * time.Millisecond) // between two ticks nothing is written
		files := []string{snapshotName, LadderFile}
		for _, name := range files {
			path := filepath.Join(c.dir, name)
			require.NoError(t, os.RemoveAll(path))
			require.NoError(t, os.Mkdir(path, 0o755))
		}
		population := filepath.Join(c.dir, rundir.VersionFolder)
		require.NoError(t, os.RemoveAll(population))
		require.NoError(t, os.WriteFile(population, nil, 0o600))
		c.startActor()
		for range 10 {
			c.learn()
			time.Sleep(10 * time.Second)
		}
		for _, fails := range []string{"snapshot not written", "ladder not written", "weights of versions not copied"} {
			require.Equal(t, 1, strings.Count(c.log.String(), fails), "%s", &c.log)
		}
		beat := c.heartbeat()
		require.EqualValues(t, 3, beat.Values[messages.Troubles], "%v", beat)
		require.Contains(t, beat.State, "league: ladder not written; snapshot not written; weights of versions not copied: ")
		for _, name := range files {
			require.NoError(t, os.Remove(filepath.Join(c.dir, name)))
		}
		require.NoError(t, os.Remove(population))
		require.NoError(t, os.Mkdir(population, 0o700))
		c.learn()
		time.Sleep(10 * time.Second)
		require.NoError(t, stop())
		for _, works := range []string{"snapshot written again", "ladder written again", "weights of versions copied again"} {
			require.Equal(t, 1, strings.Count(c.log.String(), works), "%s", &c.log)
		}
		for _, name := range files {
			require.FileExists(t, filepath.Join(c.dir, name))
		}
	})
}

func TestMetricsAreWellNamed(t *testing.T) {
	reg := prometheus.NewRegistry()
	newMetrics(reg)
	problems, err := testutil.GatherAndLint(reg)
	require.NoError(t, err)
	require.Empty(t, problems)
}

// Results are audited next to the league's own work: those that are refused do not count and are played again, those
// that cannot be audited do.
func TestAuditsOfACluster(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.startActor()
		o := c.options()
		var audits, refused atomic.Int32
		o.Audit = func(ctx context.Context, r *messages.Result) error {
			switch audits.Add(1) % 3 {
			case 0:
				refused.Add(1)
				return messages.Refuse(messages.ReasonReturns, "other games")
			case 1:
				return errors.New("no weights to play with")
			}
			return nil
		}
		stop := c.start(o)
		c.play(3)
		require.NoError(t, stop())
		require.Positive(t, refused.Load())
		require.Contains(t, c.log.String(), "result counts without an audit")
		require.Equal(t, float64(refused.Load()), c.value("croupier_league_results_total", outcomeRefused))
		for _, p := range c.ladder().Payoff {
			require.Positive(t, p.Games, "%s and %s: refused sets are asked for again", p.A, p.B)
		}
	})
}
