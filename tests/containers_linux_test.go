package tests

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
)

// stack is the compose file of deploy/ in containers, and a reader of its bus.
type stack struct {
	*engine
	folder  string // a copy of deploy/, with settings and secrets
	compose []string
	bus     bus.Bus
	results *results
}

// services are those of the compose file that run the program.
var services = []string{"broker1", "broker2", "broker3", "learner", "league", "actor", "web"}

// newStack follows deploy/README.md: it builds the image, writes settings and secrets, and starts everything.
func newStack(t *testing.T) *stack {
	s := &stack{engine: startEngine(t)}
	s.image("croupier", "")
	home := t.TempDir()
	s.folder = filepath.Join(home, "deploy")
	require.NoError(t, os.CopyFS(s.folder, os.DirFS(deployDir)))
	require.NoError(t, os.CopyFS(filepath.Join(home, "dashboards"), os.DirFS("../dashboards")))
	s.compose = []string{"docker-compose"}
	if _, err := s.run("docker", "compose", "version"); err == nil {
		s.compose = []string{"docker", "compose"}
	}
	s.settle()
	s.do(append([]string{"up", "--detach"}, services...)...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.do("logs", "--no-color", "--tail", "25"))
		}
	})
	s.connectBus()
	s.results = follow(t, s.bus)
	return s
}

// image builds an image with deploy/image.sh whose program says that it is of this commit; "" means the commit that
// is checked out.
func (s *stack) image(tag, commit string) {
	s.t.Helper()
	program := ""
	if commit != "" {
		program = filepath.Join(s.t.TempDir(), "croupier")
		s.shell("env", "CGO_ENABLED=0", "go", "build", "-ldflags", "-X croupier/cluster.commit="+commit, "-o", program,
			"croupier/cmd/croupier")
	}
	s.shell(filepath.Join(deployDir, "image.sh"), tag, program)
}

// settle writes .env and the secrets.
func (s *stack) settle() {
	t := s.t.(*testing.T)
	made := newCredentials(t)
	example, err := os.ReadFile(filepath.Join(s.folder, ".env.example"))
	require.NoError(t, err)
	env := string(example)
	for name, value := range map[string]string{"CROUPIER_NKEY": made["CROUPIER_NKEY"], "GRAFANA_PASSWORD": "unused",
		"BIND": s.address(), "ACTORS": "1"} {
		line := "\n" + name + "=" + parseEnv(t, example)[name] + "\n"
		require.Contains(t, env, line)
		env = strings.Replace(env, line, "\n"+name+"="+value+"\n", 1)
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.folder, ".env"), []byte(env), 0o600))
	secrets := filepath.Join(s.folder, "secrets")
	require.NoError(t, os.Mkdir(secrets, 0o700))
	for name, value := range map[string]string{"croupier.nk": made["CROUPIER_SEED"], "cluster_password": "between-brokers"} {
		path := filepath.Join(secrets, name)
		require.NoError(t, os.WriteFile(path, []byte(value+"\n"), 0o400))
		require.NoError(t, os.Chown(path, 10001, 10001))
	}
}

// do runs docker compose in the folder and returns its output.
func (s *stack) do(args ...string) string {
	s.t.Helper()
	words := append(slices.Clone(s.compose), "--project-directory", s.folder, "--file", filepath.Join(s.folder, "compose.yaml"),
		"--env-file", filepath.Join(s.folder, ".env"))
	words = append(words, args...)
	return s.shell(words[0], words[1:]...)
}

// connectBus connects to the brokers from outside of the containers, as an actor on another machine does.
func (s *stack) connectBus() {
	s.t.Helper()
	var urls []string
	for _, port := range []string{"4222", "4223", "4224"} {
		urls = append(urls, "nats://"+s.address()+":"+port)
	}
	eventually(s.t, "the brokers can be reached from outside", func() (err error) {
		s.bus, err = bus.Connect(s.t.Context(), bus.NATSOptions{
			URL: strings.Join(urls, ","), Run: "evening", Role: "test", Credentials: filepath.Join(s.folder, "secrets/croupier.nk"),
			Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		})
		return err
	})
	s.t.Cleanup(func() { s.bus.Close() })
}

// containers returns those of a service.
func (s *stack) containers(service string) (all []container) {
	s.t.Helper()
	for _, id := range strings.Fields(s.do("ps", "--quiet", service)) {
		all = append(all, container{s.engine, id})
	}
	return all
}

// reached is how far a run is: its version, its results, and the decisions of each actor.
type reached struct {
	version, results uint64
	decisions        map[string]float64
}

func (s *stack) progress() (p reached, err error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Second)
	defer cancel()
	entry, err := s.bus.State().Get(ctx, messages.PointerKey("main"))
	if err != nil {
		return p, err
	}
	var pointer messages.Pointer
	if err := messages.Decode(entry.Value, &pointer); err != nil {
		return p, err
	}
	info, err := s.bus.Info(ctx, bus.Results)
	if err != nil {
		return p, err
	}
	p = reached{pointer.Version, info.Last, map[string]float64{}}
	for _, c := range s.containers("actor") {
		r, err := c.role()
		if err != nil {
			return p, err
		}
		metrics, err := r.tryScrape()
		if err != nil {
			return p, err
		}
		p.decisions[c.id] = metrics.value("croupier_actor_decisions_total")
	}
	return p, nil
}

// goesOn waits until new versions and results have come, all actors have played, all containers are healthy and the
// page answers.
func (s *stack) goesOn(after string) {
	s.t.Helper()
	began := time.Now()
	var before reached
	eventually(s.t, "the state after "+after, func() (err error) {
		before, err = s.progress()
		return err
	})
	eventually(s.t, "the run goes on after "+after, func() error {
		now, err := s.progress()
		if err != nil {
			return err
		}
		if now.version < before.version+2 || now.results < before.results+3 {
			return fmt.Errorf("version %d and %d results, from %d and %d", now.version, now.results, before.version, before.results)
		}
		for actor, decisions := range now.decisions {
			if decisions <= before.decisions[actor] {
				return fmt.Errorf("an actor does not play: %v decisions", decisions)
			}
		}
		return s.page()
	})
	s.t.Logf("after %s: goes on within %.1f s", after, time.Since(began).Seconds())
}

// page asks for the page as a browser on the same machine does.
func (s *stack) page() error {
	r, err := s.containers("web")[0].role()
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodGet, "http://"+strings.Replace(r.metrics, ":9400", ":8080/", 1), nil)
	if err != nil {
		return err
	}
	request.Host = "127.0.0.1:8080"
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the page answers %s", answer.Status)
	}
	return nil
}

// healthy waits until the engine has found every container healthy: `croupier health`, as the image says.
func (s *stack) healthy() {
	s.t.Helper()
	for _, service := range services {
		for _, c := range s.containers(service) {
			eventually(s.t, service+" is healthy", func() error {
				if health := c.inspect("{{.State.Health.Status}}"); health != "healthy" {
					return fmt.Errorf("it is %s: %s", health, c.inspect("{{json .State.Health.Log}}"))
				}
				return nil
			})
		}
	}
}

// ends stops everything in good order and checks the accounts: of every episode that was produced, and of every result.
func (s *stack) ends() {
	t := s.t.(*testing.T)
	t.Helper()
	s.do("stop", "actor")
	// The folders of all roles are one volume.
	copied := filepath.Join(t.TempDir(), "runs")
	s.shell("docker", "cp", s.containers("learner")[0].id+":/runs", copied)
	checkAccounts(t, s.bus, filepath.Join(copied, "evening"))
	s.results.check(t, s.bus)
	s.do("stop")
	for _, service := range services {
		for _, c := range s.containers(service) {
			require.Equal(t, "exited 0", c.inspect("{{.State.Status}} {{.State.ExitCode}}"), service)
		}
	}
	s.do("down", "--volumes")
}

// Containers train, also when a broker and an actor are killed, and everything is accounted for in the end.
// The other faults take minutes (TestContainersThroughFaults).
func TestContainers(t *testing.T) {
	s := newStack(t)
	s.goesOn("the start")
	s.healthy()
	s.checkImage()
	for _, service := range []string{"broker2", "actor"} {
		s.containers(service)[0].kill()
		s.goesOn("kill -9 of " + service)
	}
	s.ends()
}

// checkImage looks at what the containers may do: nothing but run the program, as nobody.
func (s *stack) checkImage() {
	t := s.t
	t.Helper()
	for _, service := range services {
		c := s.containers(service)[0]
		require.Equal(t, "10001:10001 true [ALL]", c.inspect("{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}"), service)
	}
	_, err := s.run("docker", "run", "--rm", "--entrypoint", "sh", "croupier")
	require.ErrorContains(t, err, "executable file not found")
	require.Contains(t, s.shell("docker", "run", "--rm", "--read-only", "--network", "none", "croupier", "--version"), "linux/")
}
