package broker

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"
	"go.yaml.in/yaml/v3"

	"croupier/internal/durable"
	"croupier/internal/input"
	"croupier/internal/strict"
	"croupier/internal/suggest"
	"croupier/messages"
)

// Roles of keys that are no roles of processes.
const (
	OperatorRole    = "operator"    // may do everything
	ContributorRole = "contributor" // plays training games, and nothing else
	LeafRole        = "leaf"        // a leaf broker: may do what actors may, under any name
)

// PublicFile is the file of a credential set that brokers read. It holds no secret.
const PublicFile = "broker.yaml"

// SeedSuffix ends the names of the files with the secret keys.
const SeedSuffix = ".seed"

// Key is a key that a broker knows. Its name is what the broker's log and metrics call it, and
// the id of the actor that uses it.
type Key struct {
	Name     string `yaml:"name"`
	Role     string `yaml:"role"`
	Public   string `yaml:"key"`
	Previous string `yaml:"previous,omitempty"` // the key before the rotation, as long as it counts
}

// Keys are the public part of a credential set: all that may talk about one run.
type Keys struct {
	Run  string `yaml:"run"`
	Keys []Key  `yaml:"keys"`
}

// ParseKeys reads the public file of a set.
func ParseKeys(doc []byte) (*Keys, error) {
	k, document := &Keys{}, strict.YAML(doc)
	if err := document.Decode(k); err != nil {
		return nil, err
	}
	return k, strict.Locate(k.validate(), document)
}

func (k *Keys) validate() error {
	if err := messages.CheckToken(k.Run); err != nil {
		return strict.Errorf("run", "%w", err)
	}
	names, publics := map[string]bool{}, map[string]bool{}
	for i, key := range k.Keys {
		path := strict.Element("keys", i)
		if err := messages.CheckToken(key.Name); err != nil {
			return strict.Errorf(path+".name", "%v", err)
		}
		if !slices.Contains(keyRoles, key.Role) {
			return strict.Errorf(path+".role", "%q is none of %s%s", key.Role, strings.Join(keyRoles, ", "),
				suggest.Hint(key.Role, keyRoles))
		}
		if names[key.Name] {
			return strict.Errorf(path+".name", "%s appears twice", key.Name)
		}
		names[key.Name] = true
		for _, of := range []struct{ field, public string }{{"key", key.Public}, {"previous", key.Previous}} {
			switch {
			case of.public == "" && of.field == "previous":
				continue
			case !isUserKey(of.public):
				return strict.Errorf(path+"."+of.field, "%.80q is not the public nkey of a user", of.public)
			case publics[of.public]:
				return strict.Errorf(path+"."+of.field, "%s appears twice", of.public)
			}
			publics[of.public] = true
		}
	}
	return nil
}

var keyRoles = []string{
	messages.LearnerRole, messages.PeerRole, messages.LeagueRole, messages.WebRole, messages.ActorRole, messages.ArenaRole,
	messages.SweepRole, messages.SweeperRole, ContributorRole, LeafRole, OperatorRole,
}

// Set is a folder with a credential set: the public file for the brokers and a file with
// the secret key for each role and actor.
type Set struct {
	Dir string
	Keys
}

// ErrNoSet reports that a folder holds no credential set.
var ErrNoSet = errors.New("no credential set")

// maxPublic is how many bytes a public file may have, enough for tens of thousands of keys.
const maxPublic = 16 << 20

// ReadPublic reads the public file of a set. A pipe or a device is an error at once.
func ReadPublic(path string) ([]byte, error) { return input.ReadText(path, maxPublic) }

// isUserKey reports whether a text is the public nkey of a user. The decoder of nkeys passes over further characters.
func isUserKey(text string) bool {
	const length = 56 // of 35 bytes in base32
	return len(text) == length && nkeys.IsValidPublicUserKey(text)
}

// OpenSet reads a set.
func OpenSet(dir string) (*Set, error) {
	doc, err := ReadPublic(filepath.Join(dir, PublicFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: croupier broker credentials create makes one", dir, ErrNoSet)
	}
	if err != nil {
		return nil, err
	}
	keys, err := ParseKeys(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, PublicFile), err)
	}
	return &Set{Dir: dir, Keys: *keys}, nil
}

// CreateSet makes a set for a run with a key for each role, and for actors of these names. Where it fails, it leaves
// nothing behind.
func CreateSet(dir, run string, actors ...string) (*Set, error) {
	if _, err := os.Stat(filepath.Join(dir, PublicFile)); err == nil {
		return nil, fmt.Errorf("%s holds a credential set already", dir)
	}
	s := &Set{Dir: dir, Keys: Keys{Run: run}}
	if err := s.validate(); err != nil {
		return nil, err
	}
	var draft durable.Draft
	if err := s.fill(&draft, actors); err != nil {
		draft.Undo()
		return nil, err
	}
	return s, nil
}

// fill makes the first keys of a set, and notes their files.
func (s *Set) fill(draft *durable.Draft, actors []string) error {
	if err := draft.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	draft.Note(filepath.Join(s.Dir, PublicFile))
	add := func(name, role string) error {
		draft.Note(s.Seed(name))
		return s.Add(name, role)
	}
	for _, role := range []string{OperatorRole, messages.LearnerRole, messages.LeagueRole, messages.WebRole} {
		if err := add(role, role); err != nil {
			return err
		}
	}
	for _, name := range actors {
		if err := add(name, messages.ActorRole); err != nil {
			return err
		}
	}
	return nil
}

// Add makes a key.
func (s *Set) Add(name, role string) error {
	if s.find(name) != nil {
		return fmt.Errorf("the set has a key %s already", name)
	}
	return s.make(&Key{Name: name, Role: role}, func(k Key) { s.Keys.Keys = append(s.Keys.Keys, k) })
}

// Rotate makes a new key in the place of one, which counts until Retire.
func (s *Set) Rotate(name string) error {
	k := s.find(name)
	if k == nil {
		return s.unknown(name)
	}
	next := *k
	if next.Previous == "" {
		next.Previous = next.Public
	}
	return s.make(&next, func(made Key) { *k = made })
}

// Retire ends the validity of the key before the rotation.
func (s *Set) Retire(name string) error {
	k := s.find(name)
	if k == nil {
		return s.unknown(name)
	}
	k.Previous = ""
	return s.save()
}

// Revoke takes a key away for ever, and deletes the file with its secret.
func (s *Set) Revoke(name string) error {
	if s.find(name) == nil {
		return s.unknown(name)
	}
	s.Keys.Keys = slices.DeleteFunc(s.Keys.Keys, func(k Key) bool { return k.Name == name })
	if err := s.save(); err != nil {
		return err
	}
	if err := os.Remove(s.Seed(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Seed is the file with the secret of a key.
func (s *Set) Seed(name string) string { return filepath.Join(s.Dir, name+SeedSuffix) }

func (s *Set) unknown(name string) error {
	return fmt.Errorf("the set in %s has no key %s", s.Dir, name)
}

func (s *Set) find(name string) *Key {
	i := slices.IndexFunc(s.Keys.Keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Keys.Keys[i]
}

// make gives k a new pair of keys. The brokers' file comes first: a seed that no broker knows
// would lock its role out. Where the seed cannot be written, the brokers' file is again as it was.
func (s *Set) make(k *Key, keep func(Key)) error {
	public, seed, err := NewUser()
	if err != nil {
		return err
	}
	defer clear(seed)
	k.Public = public
	before := slices.Clone(s.Keys.Keys)
	keep(*k)
	if err := s.validate(); err != nil {
		s.Keys.Keys = before
		return err
	}
	if err := s.save(); err != nil {
		return err
	}
	secret := fmt.Appendf(nil, "# Croupier credential: the holder of this file is %s of run %s.\n# run: %s\n# role: %s\n# name: %s\n%s\n",
		k.Name, s.Run, s.Run, k.Role, k.Name, seed)
	defer clear(secret)
	if err := durable.WriteSecret(s.Seed(k.Name), secret); err != nil {
		s.Keys.Keys = before
		return errors.Join(err, s.save())
	}
	return nil
}

func (s *Set) save() error {
	var doc bytes.Buffer
	doc.WriteString("# Public keys of a run, for croupier broker --credentials. There is no secret in this file.\n")
	out := yaml.NewEncoder(&doc)
	out.SetIndent(2)
	if err := out.Encode(s.Keys); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(s.Dir, PublicFile), doc.Bytes())
}
