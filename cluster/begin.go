package cluster

import (
	"fmt"

	"croupier/agents"
	"croupier/internal/regular"
	"croupier/nn"
)

// networkFile reads a network file, or the one that comes with the program.
func (p *Plan) networkFile(path string) ([]byte, error) {
	if path != agents.Trained {
		return regular.Read(path, nn.MaxFileBytes)
	}
	if file := p.Settings.Catalog().Of(p.Game).Network; file != nil {
		return file, nil
	}
	return nil, fmt.Errorf("no network for %s comes with the program", p.Settings.Game)
}

// fromFile has a new run begin with the weights of a network file, as [nn.Layout.Carry] takes them over.
func (p *Plan) fromFile(path string) error {
	if p.resume {
		return invalid("--from: a run that is resumed continues with its own weights: leave out --from")
	}
	data, err := p.networkFile(path)
	if err != nil {
		return invalid("--from: %w", err)
	}
	file, game, err := nn.Decode(data, p.Settings.Catalog().New)
	if err != nil {
		return invalid("--from %s: %w", path, err)
	}
	training, _, err := p.Settings.Games()
	if err != nil {
		return &Invalid{err}
	}
	if name := game.Spec().Name; name != p.Settings.Game {
		return invalid("--from %s: it is for %s, and the run is of %s", path, name, p.Settings.Game)
	}
	layout, err := nn.NewLayout(p.Settings.Network, training.Spec())
	if err != nil {
		return fmt.Errorf("network: %w", err)
	}
	if p.weights, err = layout.Carry(file.Network); err != nil {
		return invalid("--from %s: the network of the run is another one: %w", path, err)
	}
	return nil
}
