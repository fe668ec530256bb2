package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"croupier/agents"
	"croupier/engine"
	"croupier/engine/games"
	"croupier/internal/durable"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/messages"
	"croupier/nn"
	"croupier/policy"
)

// Exported describes a frozen version written to a file of its own.
type Exported struct {
	Agent   string
	Plays   string // the agent of the file that plays as networks of the game play best
	Weights int    // in the network
	Bytes   int    // in the file
}

// Export writes a frozen version of the run in dir to the file path, with everything needed
// to play with it. Version 0 means the one that last passed the gate.
func Export(ctx context.Context, dir string, version uint64, path string) (*Exported, error) {
	info, err := rundir.ReadInfo(dir)
	if err != nil {
		return nil, err
	}
	ladder, err := league.ReadLadder(dir)
	if err != nil {
		return nil, err
	}
	name := messages.MemberName(messages.LearningAgent, version)
	if version == 0 {
		best, found := ladder.Best()
		if !found {
			return nil, fmt.Errorf("run %s has no best version yet: name one with --version", dir)
		}
		if _, name, err = policy.CutTemperature(best.Name); err != nil {
			return nil, fmt.Errorf("run %s: its ladder names %w", dir, err)
		}
	}
	data, err := agents.FromRun(dir)(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := checkRated(data, name, ladder); err != nil {
		return nil, err
	}
	file, game, err := nn.Decode(data, games.New)
	if err != nil {
		return nil, fmt.Errorf("version %s: %w", name, err)
	}
	exported, err := nn.NewFile(file.Network, game, describe(file.Metadata, info.ID, name, ladder, game.Spec()))
	if err != nil {
		return nil, err
	}
	encoded, err := exported.Encode()
	if err != nil {
		return nil, err
	}
	if err := durable.WriteFile(path, encoded); err != nil {
		return nil, err
	}
	return &Exported{
		Agent: name, Plays: agents.DefaultPlay(game.Spec(), "file:"+path),
		Weights: len(file.Network.Weights), Bytes: len(encoded),
	}, nil
}

// checkRated says when the ladder's rating under a version's name is that of other weights.
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
