//go:build nightly || long

package tests

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
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

// services are those of the compose file that run the program, with the exploiter's learner.
var services = []string{"broker1", "broker2", "broker3", "learner", "hunter", "league", "actor-1", "actor-2", "web"}

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

// recipe are the commands of deploy/README.md that start the containers.
var recipe = regexp.MustCompile("(?s)<!-- containers -->\n```sh docker\n(.*?)```\n<!-- end -->")

// settle runs the commands between building the image and starting it, and fills .env in.
func (s *stack) settle() {
	t := s.t.(*testing.T)
	page, err := os.ReadFile(filepath.Join(deployDir, "README.md"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(recipe.FindStringSubmatch(string(page))[1]), "\n")
	require.Equal(t, []string{"deploy/image.sh", "cd deploy"}, lines[:2])
	last := len(lines) - 1
	require.Equal(t, "docker compose up -d", lines[last])
	// This is root, and there may be no sudo.
	s.shell("sh", "-euc", "umask 022\nsudo() { \"$@\"; }\ncd "+s.folder+"\n"+strings.Join(lines[2:last], "\n"))

	path := filepath.Join(s.folder, ".env")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	env := string(content)
	for name, value := range map[string]string{
		"GRAFANA_PASSWORD": "unused", "BIND": s.address(), "ACTORS": "2",
		"LEAGUE": "/etc/croupier/league.yaml", "COMPOSE_PROFILES": "exploiter",
	} {
		line := "\n" + name + "=" + parseEnv(t, content)[name] + "\n"
		require.Contains(t, env, line)
		env = strings.Replace(env, line, "\n"+name+"="+value+"\n", 1)
	}
	require.NoError(t, os.WriteFile(path, []byte(env), 0o600))
}

// do runs docker compose in the folder and returns its output.
func (s *stack) do(args ...string) string {
	s.t.Helper()
	words := append(slices.Clone(s.compose), "--project-directory", s.folder,
		"--file", filepath.Join(s.folder, "compose.yaml"), "--env-file", filepath.Join(s.folder, ".env"))
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
			URL: strings.Join(urls, ","), Run: "evening", Role: "test",
			Credentials: filepath.Join(s.folder, "credentials/evening/operator.seed"),
			Log:         slog.New(slog.NewTextHandler(io.Discard, nil)),
		})
		return err
	})
	s.t.Cleanup(func() { s.bus.Close() })
}

// container returns that of a service, whether it runs or not.
func (s *stack) container(service string) container {
	s.t.Helper()
	filter := "label=com.docker.compose.service=" + service
	return container{s.engine, s.shell("docker", "ps", "--all", "--quiet", "--filter", filter)}
}

func (s *stack) progress() (reached, error) {
	p, err := readProgress(s.t.Context(), s.bus)
	if err != nil {
		return p, err
	}
	for _, service := range []string{"actor-1", "actor-2"} {
		r, err := s.container(service).role()
		if err != nil {
			return p, err
		}
		metrics, err := r.tryScrape()
		if err != nil {
			return p, err
		}
		p.decisions[service] = metrics.value("croupier_actor_decisions_total")
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
	eventually(s.t, "the run continues after "+after, func() error {
		now, err := s.progress()
		if err == nil {
			err = now.since(before)
		}
		if err != nil {
			return err
		}
		page, err := s.container("web").role()
		if err != nil {
			return err
		}
		// As a browser on the same machine asks for it.
		return pageAnswers(strings.Replace(page.metrics, ":9400", ":8080", 1), "127.0.0.1:8080")
	})
	s.t.Logf("after %s: continues within %.1f s", after, time.Since(began).Seconds())
}

// healthy waits until the engine has found every container healthy: `croupier status --process`, as the image says.
func (s *stack) healthy() {
	s.t.Helper()
	for _, service := range services {
		c := s.container(service)
		eventually(s.t, service+" is healthy", func() error {
			if health := c.inspect("{{.State.Health.Status}}"); health != "healthy" {
				return fmt.Errorf("it is %s: %s", health, c.inspect("{{json .State.Health.Log}}"))
			}
			return nil
		})
	}
}

// ends stops everything in good order and checks the accounts: of every episode that was produced, and of every result.
func (s *stack) ends() {
	t := s.t.(*testing.T)
	t.Helper()
	s.do("stop", "actor-1", "actor-2")
	// The folders of all roles are one volume, but for those of the actors, whose journals are in theirs.
	copied := filepath.Join(t.TempDir(), "runs")
	s.shell("docker", "cp", s.container("learner").id+":/runs", copied)
	journals := filepath.Join(copied, "evening", "actors")
	require.NoDirExists(t, journals, "an actor writes what other roles read")
	require.NoError(t, os.Mkdir(journals, 0o755))
	for _, actor := range []string{"actor-1", "actor-2"} {
		s.shell("docker", "cp", s.container(actor).id+":/runs/evening/actors/.", journals)
	}
	checkAccounts(t, s.bus, filepath.Join(copied, "evening"))
	s.results.check(t, s.bus)
	s.do("stop")
	for _, service := range services {
		require.Equal(t, "exited 0", s.container(service).inspect("{{.State.Status}} {{.State.ExitCode}}"), service)
	}
	s.do("down", "--volumes")
}

// Containers train, also when an actor and a broker are killed, and everything is accounted for in the end.
// The other faults take minutes (TestContainersThroughFaults).
func TestContainers(t *testing.T) {
	s := newStack(t)
	s.goesOn("the start")
	eventually(t, "the exploiter learns", func() error {
		e, err := s.bus.State().Get(t.Context(), messages.PointerKey("hunter"))
		if err != nil {
			return err
		}
		p := &messages.Pointer{}
		if err := messages.Decode(e.Value, p); err != nil {
			return err
		}
		if p.Version < 3 {
			return fmt.Errorf("its version is %d", p.Version)
		}
		return nil
	})
	s.healthy()
	s.checkImage()
	// The broker last: see inFlight.
	for _, service := range []string{"actor-1", "broker2"} {
		s.container(service).kill()
		s.goesOn("kill -9 of " + service)
	}
	s.ends()
}

// checkImage looks at what the containers may do: nothing but run the program, as nobody.
func (s *stack) checkImage() {
	t := s.t
	t.Helper()
	for _, service := range services {
		c := s.container(service)
		require.Equal(t, "10001:10001 true [ALL]",
			c.inspect("{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}"), service)
	}
	_, err := s.run("docker", "run", "--rm", "--entrypoint", "sh", "croupier")
	require.ErrorContains(t, err, "executable file not found")
	said := s.shell("docker", "run", "--rm", "--read-only", "--network", "none", "croupier", "--version")
	require.Contains(t, said, "linux/")
}
