package cluster

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/family"
	"croupier/engine/wasm"
	"croupier/engine/wasm/inpage"
	"croupier/internal/durable"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/nn"
	"croupier/nn/agentfile"
	"croupier/nn/onnx"
	"croupier/policy"
	"croupier/web/offline"
)

// Format is how a network is written to a file.
type Format string

// The formats of exported networks.
const (
	Safetensors Format = "safetensors" // what this program reads
	ONNX        Format = "onnx"        // what other programs run
	HTML        Format = "html"        // a page in which people play with it
	Wasm        Format = "wasm"        // a WebAssembly module with game and network, for programs
)

// Formats lists them, the default first.
var Formats = []Format{Safetensors, ONNX, HTML, Wasm}

// Exported describes a network written to a file of its own.
type Exported struct {
	Agent   string
	Run     string // directory; "" for an agent that no run was asked for
	Best    string // why it is the run's best version, one sentence; "" if the version was named
	Plays   string // the agent of the file that plays as networks of the game play best; "" for other programs' formats
	Weights int    // in the network
	Bytes   int    // in the file
}

// Export writes a frozen version of the run in dir to the file path, with everything needed
// to play with it. Version 0 means the one that last passed the gate.
func Export(
	ctx context.Context, games *catalog.Catalog, dir string, version uint64, format Format, path string,
) (*Exported, error) {
	info, err := rundir.ReadInfo(dir)
	if err != nil {
		return nil, err
	}
	ladder, err := ReadLadder(games, dir)
	if err != nil {
		return nil, err
	}
	done := &Exported{Agent: messages.MemberName(messages.LearningAgent, version), Run: dir}
	if version == 0 {
		best, found := ladder.Best()
		if !found {
			return nil, fmt.Errorf("run %s has no best version yet: name one with --version", dir)
		}
		if _, done.Agent, err = policy.CutTemperature(best.Name); err != nil {
			return nil, fmt.Errorf("run %s: its ladder names %w", dir, err)
		}
		done.Best = evidence(ladder, best.Name)
	}
	data, err := agents.FromRun(dir)(ctx, done.Agent)
	if err != nil {
		return nil, err
	}
	if err := checkRated(data, done.Agent, ladder); err != nil {
		return nil, err
	}
	file, game, err := nn.Decode(data, games.New)
	if err != nil {
		return nil, fmt.Errorf("version %s: %w", done.Agent, err)
	}
	metadata := describe(file.Metadata, info.ID, done.Agent, ladder, game.Spec())
	if done.Best != "" {
		metadata["best"] = done.Best
	}
	return done, done.write(ctx, games, file.Network, game, metadata, format, path)
}

// ExportAgent writes the network of any agent, such as the one that comes with the program, to the file path.
func ExportAgent(
	ctx context.Context, games *catalog.Catalog, a *agents.Agents, name string, format Format, path string,
) (*Exported, error) {
	player, err := a.Player(ctx, name)
	if err != nil {
		return nil, err
	}
	if player.Network == nil {
		return nil, fmt.Errorf("agent %s is not a network, and only networks are exported", name)
	}
	done := &Exported{Agent: name}
	game := player.Network.Game(a.Game())
	return done, done.write(ctx, games, player.Network, game, map[string]string{"agent": name}, format, path)
}

// write writes the file and notes what is in it.
func (e *Exported) write(ctx context.Context, games *catalog.Catalog, n *nn.Network, game engine.Game,
	metadata map[string]string, format Format, path string) error {
	metadata["temperature"] = strconv.FormatFloat(game.Spec().Temperature, 'g', -1, 64)
	file, err := nn.NewFile(n, game, metadata)
	if err != nil {
		return err
	}
	encode := file.Encode
	if format != Safetensors {
		delete(file.Metadata, nn.FormatKey) // of that format, as is its checksum
		delete(file.Metadata, nn.ChecksumKey)
	}
	switch format {
	case ONNX:
		encode = func() ([]byte, error) { return onnx.Encode(n, file.Metadata) }
	case Wasm:
		encode = func() ([]byte, error) { return oneFile(ctx, games, n, game, e.Agent, file.Metadata) }
	case HTML:
		encode = func() ([]byte, error) { return page(ctx, games, n, game, e.Agent) }
	default:
		e.Plays = agents.DefaultPlay(game.Spec(), "file:"+path)
	}
	data, err := encode()
	if err != nil {
		return err
	}
	e.Weights, e.Bytes = len(n.Weights), len(data)
	return durable.WriteFile(path, data)
}

// page returns a page in which people play with a network.
func page(
	ctx context.Context, games *catalog.Catalog, n *nn.Network, game engine.Game, agent string,
) ([]byte, error) {
	if _, many := game.(*family.Game); many {
		return nil, fmt.Errorf("%s plays a family of tables, and a page is one table", agent)
	}
	entry := games.Of(game)
	if entry.Module == nil {
		return offline.Page(n, game, agent, nil)
	}
	module, err := entry.Module(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", game.Spec().Name, err)
	}
	return offline.Page(n, game, agent, &offline.InGo{Module: module, Boards: games.Boards()})
}

// oneFile returns a WebAssembly module that holds game and network.
func oneFile(ctx context.Context, games *catalog.Catalog, n *nn.Network, game engine.Game, agent string,
	metadata map[string]string) ([]byte, error) {
	spec := game.Spec()
	if _, many := game.(*family.Game); many {
		return nil, fmt.Errorf("%s plays a family of tables, and the file holds one table", agent)
	}
	if own, ok := game.(interface {
		File() *wasm.File
		Numbers() []int32
	}); ok {
		return agentfile.Encode(own.File().Bytes(), own.Numbers(), n, metadata)
	}
	entry := games.Of(game)
	if entry.Module == nil {
		return nil, fmt.Errorf("the file holds the WebAssembly of its game, and %s has none: its network can be written as onnx",
			spec.Name)
	}
	packed, err := entry.Module(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Name, err)
	}
	module, err := unpacked(packed)
	if err != nil {
		return nil, fmt.Errorf("the WebAssembly of the games: %w", err)
	}
	rules, err := json.Marshal(game.Rules())
	if err != nil {
		return nil, err
	}
	numbers, err := inpage.Choice{Game: spec.Name, Rules: rules}.Numbers()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Name, err)
	}
	return agentfile.Encode(module, numbers, n, metadata)
}

// unpacked undoes the compression by gzip.
func unpacked(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// evidence says in a sentence why an agent of the ladder is the best.
func evidence(l *messages.Ladder, best string) string {
	for _, p := range slices.Backward(l.Promotions) {
		switch {
		case p.Agent != best:
			continue
		case p.Over == "":
			return best + " is best because it was the first version, and no later one has passed the gate."
		}
		text := fmt.Sprintf("%s is best because it passed the gate against %s after %d sets", best, p.Over, p.GateSets)
		if its, before := p.Exploitability, p.ExploitabilityBefore; its != nil && before != nil {
			text += fmt.Sprintf(" and an opponent that knows it wins %.3g a game (of %s %.3g)", *its, p.Over, *before)
		}
		switch g := p.Gain; {
		case g == nil:
			return text + "; no other games of the two have been played."
		case g.Unbounded():
			return fmt.Sprintf("%s; it also won all of %d other games between them, which is more than %s %s.",
				text, g.Games, l.Scale.Write(g.Low), l.Scale.Unit)
		default:
			return fmt.Sprintf("%s; in %d other games it has %s %s over it, 95 %% interval %s to %s.", text, g.Games,
				l.Scale.Write(g.Value), l.Scale.Unit, l.Scale.Write(g.Low), l.Scale.Write(g.High))
		}
	}
	return best + " is best, but the ladder no longer says which version it beat."
}

// checkRated reports when the ladder's rating under a version's name is that of other weights.
func checkRated(data []byte, name string, ladder *messages.Ladder) error {
	sum := sha256.Sum256(data)
	for _, a := range ladder.Agents {
		_, version, err := policy.CutTemperature(a.Name)
		if err == nil && version == name && a.SHA256 != "" && a.SHA256 != hex.EncodeToString(sum[:]) {
			return fmt.Errorf("version %s: its file has the SHA-256 %x…, the ladder rates %.8s…: "+
				"the league puts it right when the run is resumed", name, sum[:4], a.SHA256)
		}
	}
	return nil
}

// describe returns a version's metadata, with its origin and the rating of its best play added.
func describe(
	metadata map[string]string, run, name string, ladder *messages.Ladder, spec *engine.Spec,
) map[string]string {
	metadata = maps.Clone(metadata)
	metadata["agent"], metadata["run"] = name, run
	for _, rated := range []string{name, agents.DefaultPlay(spec, name)} {
		if i := slices.IndexFunc(ladder.Agents, func(a messages.LadderAgent) bool { return a.Name == rated }); i >= 0 {
			a := ladder.Agents[i]
			metadata["rated"] = rated
			metadata["rating"] = fmt.Sprintf("%.3f", a.Rating)
			metadata["rating_low"] = fmt.Sprintf("%.3f", a.Low)
			metadata["rating_high"] = fmt.Sprintf("%.3f", a.High)
			metadata["rating_unit"], metadata["rating_zero"] = ladder.Scale.Unit, ladder.Scale.Zero
			metadata["rating_games"] = strconv.FormatUint(a.Games, 10)
		}
	}
	return metadata
}
