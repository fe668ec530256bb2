package rundir

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"croupier/internal/check"
	"croupier/internal/input"
	"croupier/internal/sealed"
)

// IdentityFiles are those that say what a run is, when it was last at work, its configuration, and its label.
var IdentityFiles = []string{infoFile, SessionFile, ConfigFile, ConfigCopy, LabelFile}

// CheckIdentity reads these files and returns what they say, or notes what is wrong and returns false.
func CheckIdentity(c *check.Check) (info Info, config []byte, ok bool) {
	info, ok = Identity(c)
	if c.Has(SessionFile) {
		readSession(c)
	}
	checkLabel(c)
	config, read := checkConfig(c)
	return info, config, ok && read
}

func readSession(c *check.Check) (s Session, ok bool) {
	doc, ok := c.ReadFile(SessionFile, maxDocument)
	if !ok {
		return s, false
	}
	condition, err := sealed.OpenLine(doc, &s)
	return s, c.Sealed(SessionFile, condition, err)
}

// CheckSizes notes files that are gone or shorter than they were at the end of the session. It needs the files of all
// parts. Those of a folder may be gone: a run keeps a bounded number of them.
func CheckSizes(c *check.Check) {
	s, ok := readSession(c.Apart())
	if !ok {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Sizes)) {
		size, want := c.Size(name), s.Sizes[name]
		switch {
		case size < 0 && !strings.Contains(name, "/"):
			c.Fault(name, "", "there is no such file")
		case size >= 0 && size < want:
			c.Fault(name, "", fmt.Sprintf("it has %d bytes and had %d when the run ended", size, want))
		}
	}
}

func checkConfig(c *check.Check) (config []byte, ok bool) {
	text, ok := c.ReadFile(ConfigFile, maxConfig)
	if !ok {
		return nil, false
	}
	copied, unread := checkCopy(c)
	if text, err := input.Text(text); err == nil {
		saved, err := readConfig(text, copied, unread)
		_, condition := sealed.OpenText(text)
		return saved.Text, c.Sealed(ConfigFile, condition, err)
	}
	c.Fault(ConfigFile, "", sealed.ErrDamaged)
	return nil, false
}

// checkCopy reads the copy of the configuration, if there is one.
func checkCopy(c *check.Check) (copied []byte, unread error) {
	if !c.Has(ConfigCopy) {
		return nil, nil
	}
	copied, ok := c.ReadFile(ConfigCopy, maxConfig)
	if !ok {
		return nil, sealed.ErrDamaged
	}
	if _, condition := sealed.OpenText(copied); condition != sealed.Intact {
		c.Fault(ConfigCopy, "", sealed.ErrDamaged)
		return nil, sealed.ErrDamaged
	}
	return copied, nil
}

// Identity returns what a run is, and notes what is wrong with that.
func Identity(c *check.Check) (info Info, ok bool) {
	doc, ok := c.ReadFile(infoFile, maxDocument)
	if !ok {
		return info, false
	}
	condition, err := sealed.OpenDocument(doc, &info)
	return info, c.Sealed(infoFile, condition, err)
}

// Passing reports why a file of a run directory is not checked and not copied: it lasts no longer than the process that
// wrote it, or is no state of the run.
func Passing(name string) (reason string, is bool) {
	for _, p := range passing {
		if check.Matches(p.pattern, name) || strings.HasSuffix(p.pattern, "/") && strings.HasPrefix(name, p.pattern) {
			return p.reason, true
		}
	}
	return "", false
}

// BrokerFolder is the store of an embedded broker below a run directory.
const BrokerFolder = "nats"

var passing = []struct{ pattern, reason string }{
	{BrokerFolder + "/", "the broker's store, which has checksums of its own and is made again from the other files"},
	{"*.lock", "a lock, which is empty"},
	{"*/*.lock", "a lock, which is empty"},
	{reachFile, "how to reach the broker while it runs"},
	{KeyFile, "the key of the broker while it runs"},
	{".*.tmp", "what a process left half written when it was killed"},
	{"*/.*.tmp", "what a process left half written when it was killed"},
	{"*/*/*/.*.tmp", "what a process left half written when it was killed"},
	{"*" + DamagedSuffix + "*", "a damaged file that was put aside"},
	{"*/*" + DamagedSuffix + "*", "a damaged file that was put aside"},
}

// DamagedSuffix is at the end of the names of damaged files that were put aside before they were replaced, with a
// number.
const DamagedSuffix = ".damaged-"

// errOther is the error of a file that belongs to another run.
var errOther = errors.New("it is of another run")

// CheckOwner notes a file that says that it is of another run.
func CheckOwner(c *check.Check, file, run string) {
	if info, ok := Identity(c.Apart()); ok && run != info.ID {
		c.Fault(file, "", errOther)
	}
}
