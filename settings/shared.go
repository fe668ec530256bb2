package settings

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"croupier/internal/strict"
)

// The processes of a run, and those that resume it, may be of adjacent versions (docs/reference/versions.md). So what a
// program has written for other programs is read with less rigour than what people have written:
//
//   - A setting that this program does not know is kept and has no effect, unless it is of the game or the network,
//     of which all processes must think the same.
//   - Programs of version 0.1 refuse settings that they do not know. So those that are newer are written only where
//     they are not at their defaults.

// released lists the settings of version 0.1. It does not change; it goes when runs need not be shared with 0.1 any
// more. Until then the default of a setting that is not in the list stays as it is.
//
//go:embed released.txt
var released string

// commonSections are those of which all processes must think the same.
var commonSections = []string{"rules", "curriculum", "network"}

// foreign is a setting of another version.
type foreign struct {
	path  string
	value yaml.Node
}

// withdrawn lists settings of version 0.1 that are gone, with their defaults, at which the program works as they said.
// A document that has them at these loses nothing. Another one, and a run that was trained with it, is refused.
var withdrawn = map[string]string{
	"learner.optimiser":                "adam",
	"learner.muon_momentum":            "0.95",
	"learner.adam_beta1":               "0.9",
	"learner.adam_beta2":               "0.999",
	"learner.adam_epsilon":             "1e-05",
	"learner.checkpoints_kept":         "3",
	"learner.dqn.cut_returns":          "false",
	"learner.dqn.correction_start":     "0.4",
	"learner.dqn.correction_end":       "1",
	"learner.ppo.critic":               "[]",
	"learner.ppo.boundary_value":       "[]",
	"learner.ppo.choice_correction":    "false",
	"learner.ppo.normalise_advantages": "true",
	"learner.ppo.value_clip":           "0",
}

// dropWithdrawn reports whether a setting is gone. The error says so of one that is not at its default.
func dropWithdrawn(path string, value *yaml.Node) (gone bool, err error) {
	usual, gone := withdrawn[path]
	if !gone || value.Tag == "!!null" || means(value, usual) {
		return gone, nil
	}
	return true, strict.Errorf(path, "this setting of version 0.1 is gone, and with it all that it could be but %s", usual)
}

// means reports whether a node has a value, however that is written.
func means(n *yaml.Node, value string) bool {
	if n.Kind != yaml.ScalarNode {
		return value == "[]" && len(n.Content) == 0
	}
	x, wrong := strconv.ParseFloat(n.Value, 64)
	y, none := strconv.ParseFloat(value, 64)
	return n.Value == value || wrong == nil && none == nil && x == y
}

// keepForeign takes note of a setting that this program does not know. It returns false where that is a mistake.
func (c *Config) keepForeign(path string, value *yaml.Node) bool {
	section, _, _ := strings.Cut(path, ".")
	section, _, _ = strings.Cut(section, "[")
	if slices.Contains(commonSections, section) {
		return false
	}
	c.foreign = append(c.foreign, foreign{path, *value})
	return true
}

// Foreign returns the paths of the settings that were read, and that this program does not know.
func (c *Config) Foreign() []string {
	paths := make([]string, len(c.foreign))
	for i, f := range c.foreign {
		paths[i] = f.path
	}
	return paths
}

// EncodeShared returns the configuration as a document for the processes of the run, which Load reads back.
func (c *Config) EncodeShared() ([]byte, error) { return c.encodeFor(strings.Fields(released)) }

// encodeFor is EncodeShared for readers that know these settings, and refuse others.
func (c *Config) encodeFor(known []string) ([]byte, error) {
	var document, standard yaml.Node
	defaults, err := Default(c.catalog, c.Game)
	if err == nil {
		err = standard.Encode(defaults)
	}
	if err == nil {
		err = document.Encode(c)
	}
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	leaveOut(&document, &standard, "", known)
	for _, f := range c.foreign {
		graft(&document, f)
	}
	return encode(&document)
}

// encode writes settings as people read them.
func encode(settings any) ([]byte, error) {
	var buf bytes.Buffer
	enc := yaml.NewEncoder(&buf)
	enc.SetIndent(2)
	if err := enc.Encode(settings); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return buf.Bytes(), nil
}

// leaveOut removes the settings from a mapping that are not known, and that are at their defaults.
func leaveOut(document, standard *yaml.Node, path string, known []string) {
	kept := []*yaml.Node{}
	for i := 0; i+1 < len(document.Content); i += 2 {
		key, value := document.Content[i], document.Content[i+1]
		own := strings.TrimPrefix(path+"."+key.Value, ".")
		var usual *yaml.Node
		if at := indexOf(*standard, key.Value); at >= 0 {
			usual = standard.Content[at]
		}
		switch {
		case slices.Contains(known, own):
		case value.Kind == yaml.MappingNode && usual != nil && usual.Kind == yaml.MappingNode:
			if leaveOut(value, usual, own, known); len(value.Content) == 0 {
				continue
			}
		case usual != nil && same(value, usual):
			continue
		}
		kept = append(kept, key, value)
	}
	document.Content = kept
}

// same reports whether two nodes are the same settings.
func same(x, y *yaml.Node) bool {
	return x.Kind == y.Kind && x.Tag == y.Tag && x.Value == y.Value && slices.EqualFunc(x.Content, y.Content, same)
}

// graft puts a setting of another version where it was, if that is still there.
func graft(document *yaml.Node, f foreign) {
	above, key := "", f.path
	if end := strings.LastIndexByte(f.path, '.'); end >= 0 {
		above, key = f.path[:end], f.path[end+1:]
	}
	parent := find(document, above)
	if parent == nil || parent.Kind != yaml.MappingNode || indexOf(*parent, key) >= 0 {
		return
	}
	value := f.value
	parent.Content = append(parent.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, &value)
}

// find returns the value at a path like agents[1].role; nil if there is none.
func find(n *yaml.Node, path string) *yaml.Node {
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '.' || r == '[' }) {
		at := -1
		if digits, element := strings.CutSuffix(part, "]"); element {
			if i, err := strconv.Atoi(digits); err == nil && n.Kind == yaml.SequenceNode {
				at = i
			}
		} else if n.Kind == yaml.MappingNode {
			at = indexOf(*n, part)
		}
		if at < 0 || at >= len(n.Content) {
			return nil
		}
		n = n.Content[at]
	}
	return n
}
