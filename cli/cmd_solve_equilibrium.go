package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"croupier/catalog"
	"croupier/engine"
	"croupier/solver"
)

// equilibriumCommand is the command of any game that brings none along.
func equilibriumCommand(spec *engine.Spec) catalog.Command {
	game := spec.Name
	if spec.PerfectInformation {
		return optimumCommand(spec)
	}
	return catalog.Command{
		Short: "Find an equilibrium of " + spec.Title,
		Long: "Solve " + game + ` finds an equilibrium by counterfactual regret minimisation and prints its value
for seat 1 and its exploitability: what a best response gains against it, averaged over
both seats. The true value differs from the printed one by at most twice the
exploitability. Games for two are solved whose tree has at most --nodes nodes.

It stops when the exploitability is at most --target, or after --iterations. The
algorithms are cfr+, linear (linear CFR) and cfr (the original), all by full sweeps of
the game tree, and mccfr (external sampling), whose random choices --seed fixes. Their
default targets are 1e-6, 1e-4, 1e-3 and 1e-2.

--estimate says how large the tree is, and how much memory it takes, without solving it.

With --json the result is
  {"value": 0.0, "exploitability": 0.0, "iterations": 0, "seconds": 0.0}

--out writes the strategy, one row for each action at each information set: the seat,
what it has seen ("?" for what is hidden from it), the action and its name, the
probability with which it is taken, and what it is worth to the seat there.

--agent AGENT measures an agent instead, exactly: what a best response gains against it,
averaged over both seats. Agents are named as in croupier arena: main@12 is a frozen
version from --run, greedy:main@12 the same without drawing, file:PATH an exported
network. An agent with a memory is read as it plays. With --json the result is
  {"agent": "main@12", "exploitability": 0.0}

Everything is in the unit of the game, ` + spec.Unit + ` a game.`,
		Example: fmt.Sprintf(`  croupier solve %[1]s
  croupier solve %[1]s --algorithm linear --iterations 1000 --json
  croupier solve %[1]s --out %[1]s.csv
  croupier solve %[1]s --agent main@12 --run runs/evening`, game),
		Shared: catalog.SharedFlags{
			Out: "file for the strategy: JSON if it ends in .json, else CSV", Progress: true, Rules: spec.Rules != nil,
			Set:   spec.Rules != nil,
			Agent: "best responses", Solution: []string{"algorithm", "iterations", "target", "seed", "out", "estimate"},
		},
		New: newEquilibrium,
	}
}

// equilibriumFlags are the own flags of the command of a game that is solved on its whole tree.
type equilibriumFlags struct {
	algorithm  string
	iterations int
	target     float64
	seed       uint64
	treeFlags
}

// treeFlags are the flags of every command that goes through a whole game.
type treeFlags struct {
	nodes    int
	estimate bool
}

func (o *treeFlags) add(f catalog.Flags) {
	f.IntVar(&o.nodes, "nodes", solver.MaxNodes, "greatest size of the game, in nodes")
	f.BoolVar(&o.estimate, "estimate", false, "print the size of the game and stop")
}

// begin makes the game and finds out how large it is, unless it is too large for any limit. It is over where no more
// is wanted.
func (o *treeFlags) begin(
	ctx context.Context, c catalog.Call,
) (game engine.Game, size solver.Size, over bool, err error) {
	if o.nodes < 1 {
		return nil, size, true, usage("--nodes %d: it must be at least 1", o.nodes)
	}
	if game, err = c.Game(ctx, nil, nil); err != nil {
		return nil, size, true, err
	}
	if err := solver.Fits(game.Spec()); err != nil {
		return nil, size, true, err
	}
	if size, err = solver.Estimate(game, o.nodes); err != nil {
		return nil, size, true, err
	}
	if o.estimate {
		return nil, size, true, c.Print(size, func(w io.Writer) error { return size.Render(w, game.Spec().Name) })
	}
	return game, size, false, nil
}

// tooLarge adds to the error of a game with too many nodes how many it has.
func tooLarge(err error, size solver.Size) error {
	if errors.Is(err, solver.ErrNodes) {
		return fmt.Errorf("%w (--nodes), and its tree has about %s", err, size)
	}
	return err
}

// newEquilibrium declares the flags, and returns what a call does.
func newEquilibrium(f catalog.Flags) func(context.Context, catalog.Call) error {
	var o equilibriumFlags
	f.StringVar(&o.algorithm, "algorithm", solver.Plus.Name(), "cfr+, linear, cfr or mccfr")
	f.IntVar(&o.iterations, "iterations", 0, "maximum number of iterations (default 1000000, for mccfr 20000000)")
	f.Float64Var(&o.target, "target", 0,
		"exploitability at which to stop (default: that of the algorithm; 0 with --iterations alone)")
	f.Uint64Var(&o.seed, "seed", 1, "seed for mccfr")
	o.treeFlags.add(f)
	return func(ctx context.Context, c catalog.Call) error {
		a, err := o.check(c)
		if err != nil {
			return err
		}
		return solveEquilibrium(ctx, c, &o, a)
	}
}

// check returns the algorithm with the user's limits.
func (o *equilibriumFlags) check(c catalog.Call) (a solver.Algorithm, err error) {
	var names []string
	for _, known := range solver.Algorithms {
		names = append(names, known.Name)
		if known.Name == o.algorithm {
			a = known
		}
	}
	iterations, target := c.Given("iterations"), c.Given("target")
	switch {
	case a.Start == nil:
		return a, usage("--algorithm %s: it must be one of %s", o.algorithm, strings.Join(names, ", "))
	case iterations && o.iterations < 1:
		return a, usage("--iterations %d: it must be at least 1", o.iterations)
	case target && !(o.target >= 0):
		return a, usage("--target %g: it must not be negative", o.target)
	}
	if iterations {
		a.Iterations, a.Target = o.iterations, 0
	}
	if target {
		a.Target = o.target
	}
	if a.Name != "mccfr" {
		err = catalog.Idle(c, "--algorithm mccfr", "seed")
	}
	return a, err
}

func solveEquilibrium(ctx context.Context, c catalog.Call, o *equilibriumFlags, a solver.Algorithm) error {
	begin := time.Now()
	game, size, over, err := o.begin(ctx, c)
	if over {
		return err
	}
	if c.Agent() != "" {
		return o.exploit(ctx, c, game, size)
	}
	name := game.Spec().Name
	say, end := c.Progress()
	defer end()
	say(-1, "%s: about %s in its tree", name, size)
	tree, err := solver.NewTree(game, o.nodes)
	if err != nil {
		return tooLarge(err, size)
	}
	iteration, err := a.Start(game, tree, o.seed)
	if err != nil {
		return err
	}
	var first float64
	s, reached, err := iteration.Approach(ctx, a.Target, a.Iterations, func(p solver.Progress) {
		if first == 0 {
			first = p.Exploitability
		}
		share := max(solver.Converged(first, p.Exploitability, a.Target), float64(p.Iterations)/float64(a.Iterations))
		say(share, "%s: %d iterations, exploitability %.6f of %.6f", name, p.Iterations, p.Exploitability, a.Target)
	})
	end()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped after %d iterations at an exploitability of %.6f",
			reached.Iterations, reached.Exploitability)
	}
	if err != nil {
		return err
	}
	answer := solver.EquilibriumAnswer{Value: s.Values()[0], Exploitability: reached.Exploitability,
		Iterations: reached.Iterations, Seconds: time.Since(begin).Seconds()}
	if err := catalog.WriteList(c, solver.EntryColumns, s.Entries); err != nil {
		return err
	}
	return c.Print(answer, func(w io.Writer) error { return answer.Render(w, name, a.Name, game.Spec().Unit) })
}

// exploit reports how far best responses exploit the agent of a call.
func (o *treeFlags) exploit(ctx context.Context, c catalog.Call, game engine.Game, size solver.Size) error {
	policies, err := c.Policies(ctx, game)
	if err != nil {
		return err
	}
	measure := func(memory bool) (float64, error) {
		exploitability, err := solver.NewMeasure(game, o.nodes, memory)
		if err != nil {
			return 0, tooLarge(err, size)
		}
		return exploitability(policies)
	}
	value, err := measure(false)
	if errors.Is(err, solver.ErrTwoAnswers) && game.Spec().PerfectInformation {
		value, err = measure(true)
	}
	if err != nil {
		return fmt.Errorf("agent %s: %w", c.Agent(), err)
	}
	answer := solver.Exploited{Agent: c.Agent(), Exploitability: value}
	return c.Print(answer, func(w io.Writer) error { return answer.Render(w, game.Spec().Name, game.Spec().Unit) })
}
