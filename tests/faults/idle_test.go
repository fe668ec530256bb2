//go:build linux

package faults

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"time"
)

// idle opens hundreds of connections that say nothing, to one port of a role.
func idle(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	address := x.metrics
	if strings.HasPrefix(x.name, "broker") && rng.IntN(2) == 0 {
		address = x.host.address() + ":4222"
	}
	var open []net.Conn
	for range 300 {
		if c, err := net.DialTimeout("tcp", address, 200*time.Millisecond); err == nil {
			open = append(open, c)
		}
	}
	time.Sleep(time.Second)
	return fmt.Sprintf("%s: %d", address[strings.LastIndex(address, ".")+1:], len(open)), func() error {
		for _, c := range open {
			c.Close()
		}
		return nil
	}, nil
}
