package bus_test

import (
	"bufio"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/internal/testproc"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/bus/bustest"
)

// A test that kills the broker needs it in a process of its own: this test binary
// becomes that process when the environment says so.
const (
	brokerDir    = "CROUPIER_TEST_BROKER_DIR"
	brokerListen = "CROUPIER_TEST_BROKER_LISTEN"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(brokerDir); dir != "" {
		b, err := broker.Start(broker.Options{Dir: dir, Listen: os.Getenv(brokerListen), SyncAlways: true, Log: quiet})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(b.URL())
		select {}
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they mostly wait
		panic(err)
	}
	os.Exit(m.Run())
}

// brokerProcess is a broker that can be killed and started again.
type brokerProcess struct {
	t   *testing.T
	dir string
	url string
	cmd *exec.Cmd
}

func startProcess(t *testing.T) *brokerProcess {
	p := &brokerProcess{t: t, dir: t.TempDir(), url: "nats://127.0.0.1:0"}
	p.start()
	t.Cleanup(func() { p.kill() })
	return p
}

func (p *brokerProcess) start() {
	u, err := url.Parse(p.url)
	require.NoError(p.t, err)
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), brokerDir+"="+p.dir, brokerListen+"="+u.Host)
	out, err := p.cmd.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, testproc.Start(p.cmd))
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(p.t, err)
	p.url = strings.TrimSpace(line)
	require.True(p.t, strings.HasPrefix(p.url, "nats://"), p.url)
}

func (p *brokerProcess) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// soon repeats what may fail while the broker is coming back.
func soon(t *testing.T, what string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, time.Minute, 20*time.Millisecond, what)
}

// publishLost publishes experience, which may report that earlier messages were lost.
func publishLost(t *testing.T, b bus.Bus, data string) {
	t.Helper()
	err := b.Publish(t.Context(), bus.Experience, "actor", []byte(data))
	if err != nil {
		var lost *bus.UnacknowledgedError
		require.ErrorAs(t, err, &lost)
	}
}

// TestOwnExperienceThatWaits has two actors whose batches wait for the learner; each knows how many of them are its
// own, also when the broker has lost them all.
func TestOwnExperienceThatWaits(t *testing.T) {
	t.Parallel()
	process := startProcess(t)
	one := connect(t, bus.NATSOptions{URL: process.url, Limits: bustest.Limits()})
	other := connect(t, bus.NATSOptions{URL: process.url, Limits: bustest.Limits()})
	name, filter := messages.LearnerOf(messages.LearningAgent), messages.ExperienceFilter(messages.LearningAgent)
	learner, err := one.Consume(t.Context(), bus.Experience, name, filter)
	require.NoError(t, err)
	seen, err := other.Consume(t.Context(), bus.Experience, name, filter)
	require.NoError(t, err)
	waiting := func(c bus.Consumer, all, own uint64) {
		t.Helper()
		soon(t, fmt.Sprintf("%d wait, of them %d own", all, own), func() bool {
			gotAll, gotOwn, err := c.Pending(t.Context())
			return err == nil && gotAll == all && gotOwn == own
		})
	}
	for i := range 3 {
		require.NoError(t, one.Publish(t.Context(), bus.Experience, "actor", []byte("of one")))
		waiting(seen, 1+2*uint64(i), uint64(i))
		require.NoError(t, other.Publish(t.Context(), bus.Experience, "other", []byte("of the other")))
		waiting(learner, 2+2*uint64(i), 1+uint64(i))
	}
	fetched, err := learner.Fetch(t.Context(), 3, time.Minute)
	require.NoError(t, err)
	require.Len(t, fetched, 3)
	waiting(learner, 3, 1)
	waiting(seen, 3, 2)
	flood := 10 * bustest.Limits().ActorBatches // of which the broker keeps few
	for range flood {
		require.NoError(t, other.Publish(t.Context(), bus.Experience, "other", []byte("more")))
	}
	waiting(learner, 1+uint64(bustest.Limits().ActorBatches), 1)
	waiting(seen, 1+uint64(bustest.Limits().ActorBatches), uint64(bustest.Limits().ActorBatches))

	process.kill()
	process.start()
	waiting(learner, 0, 0)
	publishLost(t, one, "after")
	waiting(learner, 1, 1)
	waiting(seen, 1, 0)
}

func TestBrokerKilledAndStartedAgain(t *testing.T) {
	process := startProcess(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ctx := t.Context()
	limits := bustest.Limits()
	limits.RoleTTL = time.Hour // what goes, goes with the broker
	b := connect(t, bus.NATSOptions{URL: process.url, Limits: limits})

	for i := range 20 {
		require.NoError(t, b.Publish(ctx, bus.Results, fmt.Sprintf("m%d.a", i), []byte(fmt.Sprint(i))))
		require.NoError(t, b.Publish(ctx, bus.Curves, "learner", []byte(fmt.Sprint(i))))
	}
	require.NoError(t, b.Publish(ctx, bus.Matches, "match", []byte("x")))
	revision, err := b.State().Put(ctx, "agent.main", []byte("1"))
	require.NoError(t, err)
	_, err = b.Roles().Put(ctx, "actor.a", []byte("alive"))
	require.NoError(t, err)
	require.NoError(t, b.PutObject(ctx, "live/main/1", []byte("weights")))

	consumer, err := b.Consume(ctx, bus.Experience, "learner", "")
	require.NoError(t, err)
	publishLost(t, b, "before")
	soon(t, "experience flows", func() bool {
		got, err := consumer.Fetch(ctx, 1, time.Second)
		require.NoError(t, err)
		return len(got) == 1 && got[0].Ack(ctx) == nil
	})
	league, err := b.Consume(ctx, bus.Results, "league", "")
	require.NoError(t, err)
	applied, err := league.Fetch(ctx, 5, time.Minute)
	require.NoError(t, err)
	require.Len(t, applied, 5)
	for _, m := range applied {
		require.NoError(t, m.Ack(ctx))
	}
	curves, err := b.Read(ctx, bus.Curves, 1)
	require.NoError(t, err)
	for i := range 20 {
		require.Equal(t, fmt.Sprint(i), string((<-curves).Data()))
	}
	require.Nil(t, <-curves)
	experience, err := b.Read(ctx, bus.Experience, 1)
	require.NoError(t, err)
	require.Equal(t, "before", string((<-experience).Data()))
	require.Nil(t, <-experience)
	state, err := b.State().Watch(ctx, "")
	require.NoError(t, err)
	require.Equal(t, "agent.main", (<-state).Key)
	require.Empty(t, (<-state).Key)
	roles, err := b.Roles().Watch(ctx, "")
	require.NoError(t, err)
	require.Equal(t, "actor.a", (<-roles).Key)
	require.Empty(t, (<-roles).Key)

	process.kill()
	soon(t, "the loss is noticed", func() bool { return !b.Connected() })
	process.start()

	// What was acknowledged is there.
	entry, err := b.State().Get(ctx, "agent.main")
	require.NoError(t, err)
	require.Equal(t, bus.Entry{Key: "agent.main", Value: []byte("1"), Revision: revision}, entry)
	require.True(t, b.Connected())
	info, err := b.Info(ctx, bus.Results)
	require.NoError(t, err)
	require.EqualValues(t, 20, info.Messages)
	require.ErrorIs(t, b.Publish(ctx, bus.Results, "m3.a", []byte("again")), bus.ErrTaken)
	left := map[string]bool{} // those acknowledged just before the end may come again
	soon(t, "results that were not acknowledged come", func() bool {
		got, err := league.Fetch(ctx, 20, time.Second)
		require.NoError(t, err)
		for _, m := range got {
			left[m.Subject()] = true
			require.NoError(t, m.Ack(ctx))
		}
		for i := 5; i < 20; i++ {
			if !left[fmt.Sprintf("m%d.a", i)] {
				return false
			}
		}
		return true
	})
	weights, err := b.GetObject(ctx, "live/main/1")
	require.NoError(t, err)
	require.Equal(t, "weights", string(weights))
	matches, err := b.Consume(ctx, bus.Matches, "arena", "")
	require.NoError(t, err)
	waiting, err := matches.Fetch(ctx, 1, time.Minute)
	require.NoError(t, err)
	require.Len(t, waiting, 1)

	// What was in memory is gone, has been made again, and flows again.
	require.Equal(t, bus.Entry{Key: "actor.a"}, <-roles)
	_, err = b.Roles().Put(ctx, "actor.a", []byte("back"))
	require.NoError(t, err)
	require.Equal(t, "back", string((<-roles).Value))
	publishLost(t, b, "after")
	soon(t, "experience flows again", func() bool {
		got, err := consumer.Fetch(ctx, 1, time.Second)
		require.NoError(t, err)
		return len(got) == 1 && string(got[0].Data()) == "after"
	})
	require.Equal(t, "after", string((<-experience).Data()))
	require.NoError(t, b.Publish(ctx, bus.Curves, "learner", []byte("more")))
	require.Equal(t, "more", string((<-curves).Data()))
	_, err = b.State().Update(ctx, "agent.main", []byte("2"), revision)
	require.NoError(t, err)
	require.Equal(t, "2", string((<-state).Value))
	require.NoError(t, b.Close())
}

// TestResultsOnceThroughRestarts kills the broker at any point of a stream of
// publications: what Publish acknowledged is there, once, and nothing is refused.
func TestResultsOnceThroughRestarts(t *testing.T) {
	t.Parallel()
	process := startProcess(t)
	b := connect(t, bus.NATSOptions{URL: process.url})
	done := make(chan error, 1)
	const count = 400
	go func() {
		for i := range count {
			if err := b.Publish(t.Context(), bus.Results, fmt.Sprintf("m%d.a", i), []byte(fmt.Sprint(i))); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 3 {
		time.Sleep(50 * time.Millisecond)
		process.kill()
		process.start()
	}
	require.NoError(t, <-done)
	in, err := b.Read(t.Context(), bus.Results, 1)
	require.NoError(t, err)
	for i := range count {
		m := <-in
		require.NotNil(t, m)
		require.Equal(t, fmt.Sprintf("m%d.a", i), m.Subject())
		require.Equal(t, fmt.Sprint(i), string(m.Data()))
	}
	require.Nil(t, <-in)
}

// stateOf is the file of what a consumer has delivered, next to its description.
func stateOf(t *testing.T, description string) string {
	file := filepath.Join(filepath.Dir(description), "o.dat")
	require.FileExists(t, file)
	return file
}

// TestDamagedConsumersAreMadeAgain starts the broker on a store in which the description of a consumer is damaged: its
// stream continues, with all that was not acknowledged.
func TestDamagedConsumersAreMadeAgain(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, file string){
		"unknown setting": func(t *testing.T, file string) { replaceIn(t, file, `"metadata"`, `"mepadata"`) },
		"another name":    func(t *testing.T, file string) { replaceIn(t, file, `"arena"`, `"arenb"`) },
		"no JSON":         func(t *testing.T, file string) { replaceIn(t, file, `"Created":"`, `"Created":`) },
		"torn state":      func(t *testing.T, file string) { require.NoError(t, os.Truncate(stateOf(t, file), 3)) },
		"no state": func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(stateOf(t, file), []byte{22, 255, 1, 1}, 0o600))
		},
		"zeros": func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(stateOf(t, file), make([]byte, 12), 0o600))
		},
		"beyond delivery": func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(stateOf(t, file), []byte{22, 2, 99, 99, 2, 2, 0, 0}, 0o600))
		},
		"no checksum": func(t *testing.T, file string) {
			require.NoError(t, os.Remove(strings.TrimSuffix(file, "inf")+"sum"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			process := startProcess(t)
			b := connect(t, bus.NATSOptions{URL: process.url})
			consumer, err := b.Consume(t.Context(), bus.Matches, "arena", "")
			require.NoError(t, err)
			for _, match := range []string{"played", "taken", "waiting"} {
				require.NoError(t, b.Publish(t.Context(), bus.Matches, match, nil))
			}
			fetched, err := consumer.Fetch(t.Context(), 2, time.Minute)
			require.NoError(t, err)
			require.Len(t, fetched, 2)
			require.NoError(t, fetched[0].Ack(t.Context()))

			process.kill()
			files, err := fs.Glob(os.DirFS(process.dir), "jetstream/$G/streams/*_MATCHES/obs/arena/meta.inf")
			require.NoError(t, err)
			require.Len(t, files, 1)
			file := filepath.Join(process.dir, files[0])
			before, err := os.ReadFile(file)
			require.NoError(t, err)
			process.start()
			process.kill()
			after, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(before), string(after), "what is whole stays")
			damage(t, file)
			process.start()

			left := map[string]bool{"played": true}
			soon(t, "matches come", func() bool {
				got, err := consumer.Fetch(t.Context(), 3, time.Second)
				require.NoError(t, err)
				for _, m := range got {
					left[m.Subject()] = true
				}
				return len(left) == 3
			})
			require.Equal(t, map[string]bool{"played": true, "taken": true, "waiting": true}, left)
		})
	}
}

// replaceIn changes a file in which old stands.
func replaceIn(t *testing.T, file, old, by string) {
	t.Helper()
	doc, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(doc), old)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(doc), old, by, 1)), 0o600))
}
