//go:build nightly || long

package tests

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testport"
)

// loopback maps the addresses of a deployment to free ones of this machine, always
// the same to the same.
type loopback struct {
	t         testing.TB
	addresses map[string]string
}

func (l *loopback) address(original string) string {
	if l.addresses[original] == "" {
		l.addresses[original] = testport.Free(l.t)
	}
	return l.addresses[original]
}

// hostPort is an address in an argument.
var hostPort = regexp.MustCompile(`([a-z0-9.]+):(\d+)`)

// deployment are the processes of a cluster that somebody else's command lines start.
type deployment struct {
	t     testing.TB
	roles map[string]*role
}

func (d *deployment) start(name string, args []string, metrics string) {
	d.t.Helper()
	d.roles[name] = &role{process: start(d.t, name, croupier(d.t), args...), metrics: metrics}
}

// works waits until the cluster plays, learns and rates.
func (d *deployment) works() {
	d.t.Helper()
	for name, r := range d.roles {
		r.await("http://" + r.metrics + "/healthz")
		if strings.HasPrefix(name, "actor") {
			d.reaches(name, "croupier_actor_published_episodes_total", 1000)
		}
	}
	d.reaches("learner", "croupier_learner_version", 3)
	d.reaches("league", "croupier_league_games_total", 100)
	d.reaches("web", "croupier_web_feed_connected", 1)
}

// reaches waits until a metric of a role is at least so large.
func (d *deployment) reaches(name, metric string, want float64) {
	d.t.Helper()
	eventually(d.t, fmt.Sprintf("%s of %s is at least %v", metric, name, want), func() error {
		for other, r := range d.roles {
			require.True(d.t, r.running(), "%s has ended", other)
		}
		if have := d.roles[name].value(metric); have < want {
			return fmt.Errorf("it is %v", have)
		}
		return nil
	})
}

// stop ends all processes at the same time, as `docker compose stop` does.
func (d *deployment) stop() {
	d.t.Helper()
	for _, r := range d.roles {
		r.terminate()
	}
	for _, r := range d.roles {
		r.ended()
	}
}
