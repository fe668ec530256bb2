package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"croupier/internal/durable"
	"croupier/internal/input"
	"croupier/internal/sealed"
	"croupier/internal/strict"
)

// ConfigCopy is the configuration as the program wrote it last. It shows what was changed in [ConfigFile], which people
// may edit.
const ConfigCopy = "config-copy.yaml"

// ByHand is the last line of a configuration that somebody has changed on purpose.
const ByHand = "# changed by hand"

// maxConfig bounds the bytes of a configuration.
const maxConfig = 1 << 20

// Config is the configuration of a run.
type Config struct {
	Text []byte // YAML
	// Changed are the settings that differ from what the program wrote last, as "KEY is NEW and was OLD": somebody has
	// changed them by hand, or another version has added them.
	Changed []string
}

// WriteConfig writes the configuration, with its checksum, and its copy.
func WriteConfig(dir string, text []byte) error {
	doc := sealed.Text(text)
	for _, name := range []string{ConfigFile, ConfigCopy} {
		if err := durable.WriteFile(filepath.Join(dir, name), doc); err != nil {
			return err
		}
	}
	return nil
}

// ReadConfig reads the configuration of a run directory. One that is not as the program wrote it is refused, and the
// error names the settings that differ, unless its last line is [ByHand]. Version 0.1 wrote neither checksum nor copy:
// what it wrote is read as it is; after a newer version, if it has kept all settings, to which it may add some of its
// own.
func ReadConfig(dir string) (Config, error) {
	path := filepath.Join(dir, ConfigFile)
	text, err := input.ReadText(path, maxConfig)
	if err != nil {
		return Config{}, err
	}
	copied, err := input.ReadText(filepath.Join(dir, ConfigCopy), maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		copied, err = nil, nil
	}
	c, problem := readConfig(text, copied, err)
	if problem != nil {
		return Config{}, fmt.Errorf("%s: %w", path, problem)
	}
	return c, nil
}

// readConfig reads a configuration next to its copy, nil if there is none, or the error of reading that.
func readConfig(text, copied []byte, unread error) (Config, error) {
	lines, condition := sealed.OpenText(text)
	if condition == sealed.Intact || condition == sealed.Unsealed && copied == nil && unread == nil {
		return Config{Text: lines}, nil
	}
	before, copyCondition := sealed.OpenText(copied)
	if unread == nil && copyCondition != sealed.Intact {
		unread = sealed.ErrDamaged
	}
	accepted := bytes.HasSuffix(bytes.TrimSpace(text), []byte("\n"+ByHand))
	switch {
	case unread != nil && accepted:
		return Config{Text: text, Changed: []string{fmt.Sprintf("what was changed is not known: %s: %v", ConfigCopy,
			unread)}}, nil
	case unread != nil:
		return Config{}, fmt.Errorf("it was changed after it was written, and so was %s (%v); if all settings are right, make %q its "+
			"last line", ConfigCopy, unread, ByHand)
	}
	changed, kept := changes(before, text)
	if accepted || kept && condition == sealed.Unsealed { // or version 0.1 was at work in between
		return Config{Text: text, Changed: changed}, nil
	}
	what := strings.Join(changed, ", ")
	if what == "" {
		what = "no setting differs"
	}
	return Config{}, fmt.Errorf("it was changed after it was written: %s; copy %s over it, or, if that is what you want, make %q its "+
		"last line", what, ConfigCopy, ByHand)
}

// changes reports which settings differ between two configurations, and whether all that were there are kept.
func changes(before, now []byte) (list []string, kept bool) {
	was, err := flat(before)
	if err != nil {
		return []string{fmt.Sprintf("%s cannot be read: %v", ConfigCopy, err)}, false
	}
	is, err := flat(now)
	if err != nil {
		return []string{fmt.Sprintf("it cannot be read: %v", err)}, false
	}
	kept = true
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		old, had := was[key]
		value, has := is[key]
		switch {
		case !has:
			list, kept = append(list, fmt.Sprintf("%s is missing and was %s", key, old)), false
		case !had:
			list = append(list, fmt.Sprintf("%s is %s and was missing", key, value))
		case old != value:
			list, kept = append(list, fmt.Sprintf("%s is %s and was %s", key, value, old)), false
		}
	}
	return list, kept
}

// flat returns the values of a YAML document by their paths.
func flat(text []byte) (map[string]string, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, strict.PlainYAML(err)
	}
	values := map[string]string{}
	var walk func(n *yaml.Node, path string)
	walk = func(n *yaml.Node, path string) {
		switch {
		case n.Kind == yaml.ScalarNode || len(n.Content) == 0:
			values[path] = n.Value
		case n.Kind == yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				walk(n.Content[i+1], strings.TrimPrefix(path+"."+n.Content[i].Value, "."))
			}
		default:
			for i, item := range n.Content {
				walk(item, fmt.Sprintf("%s[%d]", path, i))
			}
		}
	}
	for _, n := range root.Content {
		walk(n, "")
	}
	return values, nil
}
