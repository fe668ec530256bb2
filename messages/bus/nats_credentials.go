package bus

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"croupier/internal/input"
)

// maxCredential is how many bytes a file with a key may have. They hold a few hundred.
const maxCredential = 64 << 10

// Credential is what a file of a credential set says besides its secret (broker.Set).
type Credential struct {
	Run, Role, Name string
}

// ErrNoKey is wrapped by the error for a file that is there but is no key.
var ErrNoKey = errors.New("it is not a key: it has no line with the seed of a user, which begins with SU, and is not a .creds file of NATS")

// ReadCredential reads who a seed file belongs to. Keys of other kinds (a seed alone, a .creds
// file) give the zero Credential.
func ReadCredential(path string) (c Credential, err error) {
	data, err := input.ReadText(path, maxCredential)
	if err != nil {
		return c, err
	}
	defer clear(data)
	if !isCreds(data) {
		if _, err := publicKey(data); err != nil {
			return c, fmt.Errorf("%s: %w", path, err)
		}
	}
	for line := range bytes.Lines(data) {
		key, value, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(line)), "# "), ": ")
		switch {
		case !found || !bytes.HasPrefix(line, []byte("#")):
		case key == "run":
			c.Run = value
		case key == "role":
			c.Role = value
		case key == "name":
			c.Name = value
		}
	}
	return c, nil
}

// isCreds reports whether a file is one of NATS, with a JWT.
func isCreds(data []byte) bool { return bytes.Contains(data, []byte("NATS USER JWT")) }

// credentials returns the options for a file with a user's JWT and seed, or with an nkey seed.
func (b *natsBus) credentials(path string) ([]nats.Option, error) {
	data, err := input.ReadText(path, maxCredential)
	if err != nil {
		return nil, err
	}
	defer clear(data)
	input.WarnOfReaders(b.log, path)
	if isCreds(data) {
		return []nats.Option{nats.UserCredentials(path)}, nil
	}
	who, err := ReadCredential(path)
	if err != nil {
		return nil, err
	}
	if who.Run != "" && who.Run != b.opts.Run {
		return nil, fmt.Errorf("%s is for the run %s, not for %s", path, who.Run, b.opts.Run)
	}
	public, err := publicKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	opts := []nats.Option{nats.Nkey(public, func(nonce []byte) ([]byte, error) { return sign(path, nonce) })}
	if who.Name != "" { // no other key can listen where the answers go
		opts = append(opts, nats.CustomInboxPrefix(inboxPrefix+who.Name))
	}
	return opts, nil
}

// inboxPrefix is before the name of a key in the subjects of its answers.
const inboxPrefix = "_INBOX_"

// misnamed says of a refusal that no key of the run can get under its own name what is wrong with the broker's file,
// "" of any other.
func misnamed(err error, run, inbox string) string {
	name, named := strings.CutPrefix(inbox, inboxPrefix)
	wrong := ""
	switch text := err.Error(); {
	case named && strings.Contains(text, `Subscription to "`+inbox+"."):
		wrong = "a name other than " + name
	case strings.Contains(text, `Publish to "$JS.API.STREAM.INFO.CROUPIER_`+run+"_"):
		wrong = "a run other than " + run + " or the role of a sweep"
	default:
		return ""
	}
	return "the broker's file of the keys gives this key " + wrong +
		": it must be as croupier broker credentials wrote it for this key"
}

// renewKey looks whether the key was replaced by another one: after a rotation of a key its role need not be started
// again. It is for where NATS reconnects; nowhere else are the options of the connection read. Without a key the role
// continues trying, and says what is missing: the file may come back.
func (b *natsBus) renewKey() {
	public, err := readPublicKey(b.opts.Credentials)
	if err == nil {
		b.conn.Opts.Nkey = public
	} else if time.Since(b.toldKey) >= tellAgain {
		b.toldKey = time.Now()
		b.log.Error("no key to reconnect with: put the file of --creds back; trying again", "error", err)
	}
}

func readPublicKey(path string) (string, error) {
	data, err := input.ReadText(path, maxCredential)
	if err != nil {
		return "", err
	}
	defer clear(data)
	public, err := publicKey(data)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return public, nil
}

// publicKey returns the public key of a seed file.
func publicKey(data []byte) (string, error) {
	pair, err := nkeys.ParseDecoratedUserNKey(data)
	if err != nil {
		return "", ErrNoKey
	}
	defer pair.Wipe()
	return pair.PublicKey()
}

// sign answers the broker's challenge.
func sign(path string, nonce []byte) ([]byte, error) {
	data, err := input.ReadText(path, maxCredential)
	if err != nil {
		return nil, err
	}
	defer clear(data)
	pair, err := nkeys.ParseDecoratedUserNKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, ErrNoKey)
	}
	defer pair.Wipe()
	return pair.Sign(nonce)
}
