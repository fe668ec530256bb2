package serve

import (
	"context"
	"runtime"

	"croupier/engine"
	"croupier/player"
	"croupier/policy"
)

// policies decides with whatever is no network: bots, solutions, searches, programs of other people.
type policies struct {
	idle  chan policy.Policy // as many as work at the same time
	scale policy.Scale       // of values, if the agent knows any
}

func newPolicies(player *player.Player) *policies {
	n := runtime.GOMAXPROCS(0)
	p := &policies{idle: make(chan policy.Policy, n)}
	for range n {
		one := player.Policy()
		if v, ok := one.(policy.Valuer); ok {
			p.scale = v.Scale()
		}
		p.idle <- one
	}
	return p
}

func (p *policies) unit() string { return p.scale.Unit }

func (p *policies) decide(ctx context.Context, d *decision) error {
	var one policy.Policy
	select {
	case one = <-p.idle:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { p.idle <- one }()
	one.Reset()
	rng := engine.NewRNG(d.seed, 1)
	if v, ok := one.(policy.Valuer); ok {
		values := make([]policy.Value, len(d.legal))
		v.Values(d.state, d.legal, values)
		for _, value := range values {
			d.values = append(d.values, value.Mean)
		}
	}
	if s, ok := one.(policy.Stochastic); ok {
		d.chances = make([]float64, len(d.legal))
		s.Distribution(d.state, d.legal, d.chances)
		d.action = d.legal[policy.Sample(d.chances, rng)]
		return nil
	}
	d.action = one.Choose(d.state, d.legal, rng)
	return nil
}
