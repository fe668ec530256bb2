//go:build long

package tests

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// Containers train through kills of every role, an actor's lost network and an upgrade of each, watched by the
// Prometheus of the compose file, and everything is accounted for in the end.
func TestContainersThroughFaults(t *testing.T) {
	s := newStack(t)
	s.startPrometheus()
	s.goesOn("the start")
	s.healthy()
	s.targets(len(services))
	for _, service := range services {
		s.container(service).kill()
		s.goesOn("kill -9 of " + service)
	}
	s.cut(s.container("actor-2"), 20*time.Second)
	s.goesOn("20 s in which an actor had no network")
	s.cut(s.container("broker3"), 20*time.Second)
	s.goesOn("20 s in which a broker had no network")
	s.upgrade("croupier:second", "second")
	s.healthy()
	s.targets(len(services))
	s.ends()
}

// startPrometheus starts the service of the compose file with the Prometheus of this machine: its image cannot be
// fetched without a network, so the program gets one of its own under that name.
func (s *stack) startPrometheus() {
	t := s.t.(*testing.T)
	program, context := needs(t, "prometheus"), t.TempDir()
	libraries, err := testproc.Output(exec.Command("ldd", program))
	require.NoError(t, err)
	for _, word := range append(strings.Fields(string(libraries)), program) {
		if !strings.HasPrefix(word, "/") {
			continue
		}
		content, err := os.ReadFile(word)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(context, filepath.Dir(word)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(context, word), content, 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(context, "Dockerfile"),
		[]byte("FROM scratch\nCOPY . /\nENTRYPOINT [\""+program+"\"]\n"), 0o644))
	s.shell("docker", "build", "--quiet", "--tag", readCompose(t).Services["prometheus"].Image, context)
	s.do("up", "--detach", "prometheus")
}

// targets waits until that many roles are collected from, and requires that every rule of alerting can be evaluated.
func (s *stack) targets(want int) {
	t := s.t.(*testing.T)
	t.Helper()
	r, err := s.container("prometheus").role()
	require.NoError(t, err)
	p := &prometheusServer{process: s.process, url: "http://" + strings.Replace(r.metrics, ":9400", ":9090", 1)}
	p.checkTargets(t, want)
	var data struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	eventually(t, "every rule is evaluated", func() error {
		if err := p.get("/api/v1/rules", &data); err != nil {
			return err
		}
		if len(data.Groups) == 0 {
			return errors.New("there are none")
		}
		for _, group := range data.Groups {
			for _, rule := range group.Rules {
				if rule.Health != "ok" {
					return fmt.Errorf("%s: %s %s", rule.Name, rule.Health, rule.LastError)
				}
			}
		}
		return nil
	})
}

// upgrade replaces one service after the other by another build.
func (s *stack) upgrade(image, commit string) {
	t := s.t
	t.Helper()
	s.image(image, commit)
	path := filepath.Join(s.folder, ".env")
	env, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(env), "IMAGE=croupier\n", "IMAGE="+image+"\n", 1)),
		0o600))
	for _, service := range services {
		s.do("up", "--detach", "--no-deps", service)
		require.Contains(t, s.shell("docker", "exec", s.container(service).id, "croupier", "--version"),
			"(commit "+commit+", ", service)
		s.goesOn("the upgrade of " + service)
	}
}

// cut takes a container off the network for a time.
func (s *stack) cut(c container, during time.Duration) {
	s.t.Helper()
	network := c.inspect("{{range $name, $_ := .NetworkSettings.Networks}}{{$name}}{{end}}")
	names := c.inspect("{{range .NetworkSettings.Networks}}{{range .Aliases}} --alias {{.}}{{end}}{{end}}")
	s.shell("docker", "network", "disconnect", network, c.id)
	time.Sleep(during)
	s.shell("docker", append(append([]string{"network", "connect"}, strings.Fields(names)...), network, c.id)...)
}
