package learner

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"slices"
	"strconv"
	"strings"

	"croupier/internal/strict"
	"croupier/learner/train"
	"croupier/nn"
)

// Keys of a checkpoint's metadata. The keys of game and network are those of a network
// file.
const (
	progressKey   = "progress" // counters as JSON
	adamStepsKey  = "adam_steps"
	rngKey        = "rng"      // state of the random stream, hexadecimal
	cautionKey    = "caution"  // train.Caution as JSON; missing in those of version 0.1
	configHashKey = "config"   // SHA-256 of the learner's configuration
	runKey        = "run"      // of which run and agent it is; missing in those of version 0.1
	averagedKey   = "averaged" // iterations in the average of the weights; missing without one
	// the last tensor: messages.Ledgers, compressed; in older programs here, in base64, or missing
	ledgersKey = "ledgers"
)

// Prefixes of the tensor names of Adam's moments and of the average, before the parameter's name. The
// prefix of the second list of weights is Algorithm.Second and a slash.
const (
	averagePrefix      = "average/"
	firstMomentPrefix  = "adam.m/"
	secondMomentPrefix = "adam.v/"
)

// mismatchError reports that a checkpoint is for something else.
type mismatchError struct{ what, there, here string }

func (e *mismatchError) Error() string {
	return fmt.Sprintf("it is for another %s: %s there, %s here", e.what, e.there, e.here)
}

// encode returns a snapshot as one safetensors file: for every parameter of the layout its
// value, its value in the second list of weights if there is one, Adam's two moments, and its average if one is kept.
func (c *checkpoints) encode(s *snapshot) ([]byte, error) {
	metadata, err := c.identity()
	if err != nil {
		return nil, err
	}
	progress, err := json.Marshal(s.counters)
	if err != nil {
		return nil, err
	}
	caution, err := json.Marshal(s.Caution)
	if err != nil {
		return nil, err
	}
	metadata[nn.FormatKey] = checkpointFormat
	metadata[cautionKey] = string(caution)
	metadata[progressKey] = string(progress)
	metadata[adamStepsKey] = strconv.FormatUint(s.Steps, 10)
	metadata[rngKey] = hex.EncodeToString(s.RNG)
	metadata[configHashKey] = s.ConfigHash
	metadata[runKey] = c.run
	if s.Average != nil {
		metadata[averagedKey] = strconv.FormatUint(s.Averaged, 10)
	}
	var tensors []nn.Tensor
	for _, part := range c.parts(s, s.Average != nil) {
		for i, p := range c.layout.Parameters {
			tensors = append(tensors, nn.Tensor{Name: part.prefix + p.Name, Shape: p.Shape, Data: c.layout.Slice(*part.flat, i)})
		}
	}
	if s.Ledgers != nil {
		ledgers, err := encodeLedgers(s.Ledgers)
		if err != nil {
			return nil, err
		}
		tensors = append(tensors, ledgers)
	}
	return nn.EncodeTensors(metadata, tensors)
}

// decode reads a file written by encode. A file for another game, other rules or another
// network gives a *mismatchError.
func (c *checkpoints) decode(data []byte) (*snapshot, error) {
	metadata, tensors, err := nn.DecodeTensors(data)
	if err != nil {
		return nil, err
	}
	if f := metadata[nn.FormatKey]; f != checkpointFormat {
		return nil, &mismatchError{"format", f, checkpointFormat}
	}
	identity, err := c.identity()
	if err != nil {
		return nil, err
	}
	for _, k := range []struct{ key, what string }{
		{nn.GameKey, "game"}, {nn.RulesKey, "rules"}, {nn.DescriptionKey, "network"},
	} {
		if metadata[k.key] != identity[k.key] {
			return nil, &mismatchError{k.what, metadata[k.key], identity[k.key]}
		}
	}
	s := &snapshot{ConfigHash: metadata[configHashKey]}
	count, averaged := metadata[averagedKey]
	if averaged {
		if s.Averaged, err = strconv.ParseUint(count, 10, 64); err != nil {
			return nil, fmt.Errorf("metadata: %s: %w", averagedKey, err)
		}
	}
	if s.Ledgers, tensors, err = readLedgers(metadata, tensors); err != nil {
		return nil, err
	}
	if err := c.decodeTensors(s, averaged, tensors); err != nil {
		return nil, err
	}
	if err := strict.Unmarshal([]byte(metadata[progressKey]), &s.counters); err != nil {
		return nil, fmt.Errorf("metadata: %s: %w", progressKey, err)
	}
	if s.Steps, err = strconv.ParseUint(metadata[adamStepsKey], 10, 64); err != nil {
		return nil, fmt.Errorf("metadata: %s: %w", adamStepsKey, err)
	}
	if s.RNG, err = hex.DecodeString(metadata[rngKey]); err != nil {
		return nil, fmt.Errorf("metadata: %s: %w", rngKey, err)
	}
	if caution := metadata[cautionKey]; caution != "" {
		if err := strict.Unmarshal([]byte(caution), &s.Caution); err != nil {
			return nil, fmt.Errorf("metadata: %s: %w", cautionKey, err)
		}
	}
	return s, nil
}

// decodeTensors copies the tensors, which must be those of encode in the same order, into
// the flat lists.
func (c *checkpoints) decodeTensors(s *snapshot, averaged bool, tensors []nn.Tensor) error {
	for _, part := range c.parts(s, averaged) {
		*part.flat = make([]float32, c.layout.Size)
		for i, p := range c.layout.Parameters {
			if len(tensors) == 0 || tensors[0].Name != part.prefix+p.Name || !slices.Equal(tensors[0].Shape, p.Shape) ||
				tensors[0].Bytes != nil {
				return fmt.Errorf("tensor %s%s of shape %v is not in its place", part.prefix, p.Name, p.Shape)
			}
			copy(c.layout.Slice(*part.flat, i), tensors[0].Data)
			tensors = tensors[1:]
		}
		if !train.Finite(*part.flat) {
			return errors.New("a value is not finite")
		}
	}
	if len(tensors) > 0 {
		name := tensors[0].Name
		if prefix, _, _ := strings.Cut(name, "/"); prefix == "critic" || prefix == "boundary" {
			return &mismatchError{"way of training", "learner.ppo." + prefix + " of version 0.1", "none like it"}
		}
		return fmt.Errorf("tensor %s is not expected", name)
	}
	return nil
}

// identity returns the metadata that identify a checkpoint's game and network.
func (c *checkpoints) identity() (map[string]string, error) {
	rules, err := json.Marshal(c.game.Rules())
	if err != nil {
		return nil, err
	}
	description, err := json.Marshal(c.layout.Description)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		nn.GameKey:        c.game.Spec().Name,
		nn.RulesKey:       string(rules),
		nn.DescriptionKey: string(description),
	}, nil
}

// part is one of a snapshot's flat lists and the prefix of its tensors' names.
type part struct {
	prefix string
	flat   *[]float32
}

func (c *checkpoints) parts(s *snapshot, averaged bool) []part {
	parts := []part{{"", &s.Weights}}
	if c.second != "" {
		parts = append(parts, part{c.second + "/", &s.Second})
	}
	parts = append(parts, part{firstMomentPrefix, &s.M}, part{secondMomentPrefix, &s.V})
	if averaged {
		parts = append(parts, part{averagePrefix, &s.Average})
	}
	return parts
}
