package learner

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/games/kuhn"
	"croupier/internal/nightly"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/roles"
	"croupier/nn"
)

// A test that kills the learner needs it in a process of its own: this test binary becomes
// that process when the environment says so.
const (
	killedDir    = "CROUPIER_TEST_LEARNER_DIR"
	killedBroker = "CROUPIER_TEST_LEARNER_BROKER"
)

// killedOptions are those of the learner that is killed, except for its bus.
func killedOptions(dir string) (Options, error) {
	c := train.DefaultConfig()
	c.PPO.Samples, c.PPO.Minibatch, c.Workers, c.PPO.MaxLag = 256, 128, 1, 1000
	c.CheckpointInterval = train.Every(30 * time.Millisecond)
	layout, err := nn.NewLayout(nn.Description{Dense: []int{16}}, kuhn.Game{}.Spec())
	return Options{
		Common: roles.Common{
			Game: kuhn.Game{}, Run: testRun, RunSeed: testSeed, Dir: dir, Registerer: prometheus.NewRegistry(),
			Log: slog.New(slog.DiscardHandler),
		},
		Layout: layout, Config: c, Agent: "main", Resume: true,
	}, err
}

func killedBus(ctx context.Context, url string, log *slog.Logger) (bus.Bus, error) {
	return bus.Connect(ctx, bus.NATSOptions{URL: url, Run: testRun, Role: messages.LearnerRole, Create: true, Log: log})
}

// serveKilled trains until SIGTERM, or until it is killed.
func serveKilled(dir, url string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	o, err := killedOptions(dir)
	if err == nil {
		o.Bus, err = killedBus(ctx, url, o.Log)
	}
	var l *Learner
	if err == nil {
		l, err = New(o)
	}
	if err == nil {
		err = l.Run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestAccountsThroughKills kills a learner with signal 9 many times while two actors play.
// Whatever it was doing, in the end every game that was played has exactly one fate, for each
// worker, and so says the checkpoint when the broker's copy of the ledgers is gone.
func TestAccountsThroughKills(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	server, err := broker.Start(broker.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: quiet})
	require.NoError(t, err)
	t.Cleanup(server.Shutdown)
	o, err := killedOptions(t.TempDir())
	require.NoError(t, err)
	o.Bus, err = killedBus(t.Context(), server.URL(), o.Log)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, o.Bus.Close()) })
	process := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killedDir+"="+o.Dir, killedBroker+"="+server.URL())
		cmd.Stderr = os.Stderr
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return cmd
	}
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	actors := []*testActor{newTestActor(t, o.Game, "actor-1"), newTestActor(t, o.Game, "other-2")}
	kills := nightly.Cases(6, 12) // whenever they come: each run has others, by the clock
	learner := process()
	for _, a := range actors {
		a.follow(t.Context(), o.Bus)
	}
	for range kills {
		end := time.Now().Add(time.Duration(200+random.IntN(600)) * time.Millisecond)
		for time.Now().Before(end) {
			a := actors[random.IntN(2)]
			x := a.batch(1 + random.IntN(150))
			if random.IntN(10) > 0 { // else it is lost on its way
				a.send(t.Context(), o.Bus, x)
			}
			time.Sleep(2 * time.Millisecond)
		}
		require.NoError(t, learner.Process.Kill())
		_ = learner.Wait()
		learner = process()
	}
	for _, a := range actors {
		a.send(t.Context(), o.Bus, a.batch(1)) // shows every gap
	}
	// The broker may have given them to the learner that was killed before it saw its connection closed; then they
	// come again after their lease, 30 seconds.
	require.Eventually(t, func() bool {
		for _, a := range actors {
			entry, err := o.Bus.State().Get(t.Context(), messages.LedgerKey(a.id, messages.LearningAgent))
			if err != nil || ledgerOf(t, entry).Episodes != a.games {
				return false
			}
		}
		return true
	}, 3*time.Minute, 20*time.Millisecond, "the last batches are booked")
	require.NoError(t, learner.Process.Signal(syscall.SIGTERM))
	require.NoError(t, learner.Wait())

	lost := uint64(0)
	for _, a := range actors {
		l := readLedger(t, o, a.id)
		requireIdentity(t, l, a.games)
		require.Positive(t, l.Checkpointed)
		lost += l.Lost
		require.NoError(t, o.Bus.State().Delete(t.Context(), messages.LedgerKey(a.id, messages.LearningAgent)))
	}
	require.Positive(t, lost)

	// The broker's State is gone, and so are the games that were left; the checkpoint has the accounts as they
	// were when it was written, and what came later is a gap before the next batch.
	require.NoError(t, o.Bus.State().Delete(t.Context(), messages.PointerKey("main")))
	require.NoError(t, os.RemoveAll(filepath.Join(o.Dir, checkpointFolder, unlearntName)))
	l, stop := start(t, o)
	require.Eventually(t, func() bool { return l.ingestion.totals()["episodes"] > 0 }, time.Minute, time.Millisecond)
	played := uint64(0)
	for _, a := range actors {
		a.send(t.Context(), o.Bus, a.batch(1))
		played += a.games
	}
	require.Eventually(t, func() bool { return l.ingestion.totals()["episodes"] == float64(played) }, time.Minute,
		time.Millisecond)
	require.NoError(t, stop())
	for _, a := range actors {
		l := readLedger(t, o, a.id)
		requireIdentity(t, l, a.games)
		require.EqualValues(t, 1, l.Consumed-l.Checkpointed, "only the last game is in flight")
	}
	require.DirExists(t, filepath.Join(o.Dir, checkpointFolder))
}

func ledgerOf(t *testing.T, e bus.Entry) *messages.Ledger {
	l := &messages.Ledger{}
	require.NoError(t, messages.Decode(e.Value, l))
	return l
}

// requireIdentity checks produced = checkpointed + in flight + stale + refused + lost.
func requireIdentity(t *testing.T, l *messages.Ledger, produced uint64) {
	t.Helper()
	require.GreaterOrEqual(t, l.Consumed, l.Trained)
	require.GreaterOrEqual(t, l.Trained, l.Checkpointed)
	require.Equal(t, produced, l.Checkpointed+(l.Consumed-l.Checkpointed)+l.Stale+l.Refused+l.Lost, "%v", l)
	require.Equal(t, produced, l.Episodes, "%v", l)
}

// TestResumedLedgers has what State and the checkpoint may say of a worker.
func TestResumedLedgers(t *testing.T) {
	ledger := func(sequence, consumed, checkpointed, lost uint64) *messages.Ledger {
		return &messages.Ledger{
			Sequence: sequence, Episodes: consumed + lost, Consumed: consumed, Checkpointed: checkpointed, Lost: lost,
		}
	}
	for name, c := range map[string]struct {
		stored, saved      *messages.Ledger
		checkpointed, lost uint64
	}{
		"killed after the checkpoint":       {ledger(9, 90, 50, 1), ledger(7, 70, 60, 1), 60, 31},
		"killed before it was booked":       {ledger(7, 70, 50, 1), ledger(7, 70, 60, 1), 60, 11},
		"new since the checkpoint":          {ledger(9, 90, 0, 1), nil, 0, 91},
		"State lost":                        {nil, ledger(7, 70, 60, 1), 60, 11},
		"State older than the checkpoint":   {ledger(6, 60, 50, 1), ledger(7, 70, 60, 1), 60, 11},
		"newer checkpoint broken":           {ledger(9, 90, 80, 1), ledger(3, 30, 30, 1), 30, 61},
		"resumed before, and nothing since": {ledger(9, 60, 60, 31), ledger(7, 70, 60, 1), 60, 31},
	} {
		l := resumedLedger(c.stored, c.saved)
		require.Equal(t, c.checkpointed, l.Checkpointed, name)
		require.Equal(t, c.checkpointed, l.Consumed, name)
		require.Equal(t, c.lost, l.Lost, name)
		require.Equal(t, l.Episodes, l.Consumed+l.Lost, name)
	}
}

// resumedLedger returns what becomes of one worker's ledger.
func resumedLedger(stored, saved *messages.Ledger) *messages.Ledger {
	state, checkpoint := books{open: map[string]*messages.Ledger{}}, &messages.Ledgers{}
	if stored != nil {
		state.open[""] = stored
	}
	if saved != nil {
		checkpoint.Ledgers = append(checkpoint.Ledgers, saved)
	}
	now, _ := resume(state, checkpoint, nil)
	return now.open[""]
}
