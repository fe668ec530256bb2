package settings

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// overlay returns the rules of above and, for keys it lacks, those of below, placed after
// them and without line numbers of their own. If both have a mapping under a key, the same
// applies to the keys in it.
func overlay(above, below yaml.Node) yaml.Node {
	if above.IsZero() || above.ShortTag() == "!!null" {
		return below
	}
	if above.Kind != yaml.MappingNode || below.Kind != yaml.MappingNode {
		return above
	}
	out := above
	out.Content = slices.Clone(above.Content)
	for i := 0; i+1 < len(below.Content); i += 2 {
		key, value := *below.Content[i], below.Content[i+1]
		if at := indexOf(above, key.Value); at >= 0 {
			both := overlay(*out.Content[at], *value)
			out.Content[at] = &both
			continue
		}
		key.Line = 0
		out.Content = append(out.Content, &key, value)
	}
	return out
}

// common returns the rules in ours whose keys are also in theirs.
func common(ours, theirs yaml.Node) yaml.Node {
	if ours.Kind != yaml.MappingNode {
		return ours
	}
	out := ours
	out.Content = nil
	for i := 0; i+1 < len(ours.Content); i += 2 {
		if at := indexOf(theirs, ours.Content[i].Value); at >= 0 {
			value := common(*ours.Content[i+1], *theirs.Content[at])
			out.Content = append(out.Content, ours.Content[i], &value)
		}
	}
	return out
}

// indexOf returns the index of a key's value in a mapping's content, or -1.
func indexOf(mapping yaml.Node, key string) int {
	if mapping.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return i + 1
		}
	}
	return -1
}
