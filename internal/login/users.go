package login

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/crypto/bcrypt"

	"croupier/internal/durable"
	"croupier/internal/input"
)

const (
	maxFile = 1 << 20
	// cost is that of new hashes, about a quarter of a second each; files may have cheaper and dearer ones, within
	// what a check may take.
	cost              = 12
	minCost, maxCost  = 10, 14
	minWord, maxWord  = 8, 72 // bytes of a password; bcrypt takes no more
	lookAgain         = time.Second
	minToken, maxName = 16, 64
)

// Users are those of a file with a line NAME:HASH for each, as "croupier web passwd" writes it, the hash being
// bcrypt's. Changes of the file count within a second. They may be shared by goroutines.
type Users struct {
	path string
	log  *slog.Logger

	mutex  sync.Mutex
	hashes map[string]string // by name
	any    string            // one of the hashes
	read   stamp
	looked time.Time
	unread error // why the file, as it is now, does not count
}

// stamp distinguishes two states of a file.
type stamp struct {
	changed time.Time
	size    int64
}

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	return stamp{info.ModTime(), info.Size()}, nil
}

// ReadUsers reads the file. Later, while it cannot be read again, the users stay as they were ([Users.Unread]).
func ReadUsers(path string, log *slog.Logger) (*Users, error) {
	u := &Users{path: path, log: log}
	return u, u.load()
}

// load reads the file. The caller holds mutex, or no other goroutine knows the users yet.
func (u *Users) load() error {
	s, err := stampOf(u.path)
	if err != nil {
		return err
	}
	u.read = s
	hashes, err := parseFile(u.path)
	if err != nil {
		return err
	}
	u.hashes = hashes
	for _, hash := range hashes {
		u.any = hash
	}
	return nil
}

func parseFile(path string) (map[string]string, error) {
	data, err := input.ReadText(path, maxFile)
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := addLine(line, hashes); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, i+1, err)
		}
	}
	if len(hashes) == 0 {
		return nil, fmt.Errorf("%s: it has no user", path)
	}
	return hashes, nil
}

// addLine adds the user of a line to those that are known. The error for a line that is of no user does not tell what
// is in it: that may be a token.
func addLine(line string, known map[string]string) error {
	name, hash, found := strings.Cut(line, ":")
	if !found {
		return errors.New("it is not NAME:HASH with a hash of bcrypt, as croupier web passwd writes it")
	}
	if err := checkName(name); err != nil {
		return err
	}
	if known[name] != "" {
		return fmt.Errorf("user %s appears twice", name)
	}
	switch c, err := bcrypt.Cost([]byte(hash)); {
	case err != nil:
		return fmt.Errorf("user %s: it is not NAME:HASH with a hash of bcrypt, as croupier web passwd writes it", name)
	case c < minCost || c > maxCost:
		return fmt.Errorf("user %s: the cost of the hash is %d, not in %d..%d", name, c, minCost, maxCost)
	}
	known[name] = hash
	return nil
}

func checkName(name string) error {
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool {
		return r == ':' || r == '#' || unicode.IsSpace(r) || !unicode.IsPrint(r)
	}) {
		return fmt.Errorf("invalid name %.80q: use 1 to %d bytes without space, colon or #", name, maxName)
	}
	return nil
}

// hash returns the hash of a user's password.
func (u *Users) hash(name string) (hash string, found bool) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.refresh()
	hash, found = u.hashes[name]
	return hash, found
}

// Unread reports why the file, as it is now, does not count; nil while it does.
func (u *Users) Unread() error {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.refresh()
	if u.unread == nil {
		return nil
	}
	return fmt.Errorf("users not read; the previous ones stay valid: %w", u.unread)
}

// refresh reads the file again if it has changed, or could not be read. The caller holds mutex.
func (u *Users) refresh() {
	if time.Since(u.looked) < lookAgain {
		return
	}
	u.looked = time.Now()
	if s, err := stampOf(u.path); err == nil && s == u.read && u.unread == nil {
		return
	}
	err := u.load()
	if err != nil && (u.unread == nil || u.unread.Error() != err.Error()) {
		u.log.Error("users not read; the previous ones stay valid", "error", err)
	}
	u.unread = err
}

// check compares a password, in the same time whether there is such a user or not.
func (u *Users) check(name, password string) (hash string, right bool) {
	hash, found := u.hash(name)
	if !found {
		u.mutex.Lock()
		hash = u.any
		u.mutex.Unlock()
	}
	return hash, bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil && found
}

// SetPassword puts a user with a password into the file, which need not be there, instead of any of that name. A file
// that holds anything but users stays as it is.
func SetPassword(path, name, password string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if len(password) < minWord || len(password) > maxWord {
		return fmt.Errorf("a password has %d to %d bytes", minWord, maxWord)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), cost)
	if err != nil {
		return err
	}
	var lines []string
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		data, err := input.ReadText(path, maxFile)
		if err != nil {
			return err
		}
		if lines, err = others(data, name); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	lines = append(lines, name+":"+string(hash), "")
	return durable.WriteSecret(path, []byte(strings.Join(lines, "\n")))
}

// others returns the lines of a file of users that are not the user's, comments among them. Errors name the line.
func others(data []byte, user string) (lines []string, err error) {
	known := map[string]string{}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, user+":") {
			continue
		}
		if !strings.HasPrefix(line, "#") {
			if err := addLine(line, known); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// ReadToken returns the token in a file. Where there is none, it makes one that only this user can read.
func ReadToken(path string) (token string, made bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		token = NewToken()
		return token, true, durable.WriteSecret(path, []byte(token+"\n"))
	}
	data, err := input.ReadText(path, maxFile)
	if err != nil {
		return "", false, err
	}
	token = strings.TrimSpace(string(data))
	if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", false, fmt.Errorf("%s: a token is one line of %d or more letters, digits and signs, without spaces", path,
			minToken)
	}
	return token, false, nil
}
