//go:build long

package tests

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"croupier/internal/testport"
)

// The same for every port of roles apart: that of the broker for clients, the page,
// and /metrics and /healthz of all. A client waits in a queue with hundreds: this takes minutes.
func TestIdleConnectionsToRoles(t *testing.T) {
	c := newCluster(t, "crowded")
	var roles []*role
	startFew := func(name string, args ...string) *role {
		r := &role{metrics: testport.Free(t)}
		args = append([]string{"-c", fewFiles, croupier(t), name, "--metrics", r.metrics}, args...)
		r.process = start(t, name, "sh", args...)
		r.await("http://" + r.metrics + "/healthz")
		roles = append(roles, r)
		return r
	}
	page := testport.Free(t)
	startFew("broker", "--dir", filepath.Join(filepath.Dir(c.run), "broker"), "--listen",
		strings.TrimPrefix(c.nats, "nats://"))
	startFew("learner", append([]string{"kuhn", "--nats", c.nats, "--run", c.run}, quick[2:]...)...)
	startFew("league", "--nats", c.nats, "--run", c.run)
	startFew("actor", "--nats", c.nats, "--run", c.run)
	startFew("web", "--nats", c.nats, "--run", c.run, "--listen", page)
	beyond(t, c.run, 0)
	for _, r := range roles {
		refusesOtherHosts(t, r.metrics, "/metrics", "/healthz")
	}
	for _, port := range []string{strings.TrimPrefix(c.nats, "nats://"), page} {
		occupy(t, port)
	}
	for _, r := range roles {
		occupy(t, r.metrics)
	}
	goesOnFrom(t, c.run)
	answers(t, "http://"+page+"/")
	for _, r := range roles {
		answers(t, "http://"+r.metrics+"/metrics")
	}
	for _, r := range slices.Backward(roles) {
		r.stop()
	}
}
