package league

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"croupier/internal/check"
	"croupier/internal/rundir"
	"croupier/internal/sealed"
	"croupier/internal/strict"
	"croupier/messages"
	"croupier/nn"
)

// StatePart is what the league of a run has counted. The journal comes first in a copy: a snapshot that is newer has
// all of it, while an older one would lack what the journal of its time had.
var StatePart = check.Part{
	Patterns: []string{journalName, snapshotName, snapshotCopy},
	Check: func(c *check.Check) {
		checkJournal(c)
		for _, name := range []string{snapshotName, snapshotCopy} {
			checkSnapshot(c, name)
		}
	},
}

// PromotionsPart is who became best, and why.
var PromotionsPart = check.Part{Patterns: []string{promotionsName}, Check: checkPromotions}

// LadderPart is the ladder of a run or tournament.
var LadderPart = check.Part{Patterns: []string{LadderFile}, Check: checkLadder}

// PopulationPart is the frozen versions of a run.
var PopulationPart = check.Part{
	Patterns: []string{rundir.MembersFile, versionPattern},
	Check:    checkPopulation,
}

const versionPattern = rundir.VersionFolder + "/*.safetensors"

func checkJournal(c *check.Check) {
	if !c.Has(journalName) {
		return
	}
	number, size := 0, int64(0)
	c.Lines(journalName, maxSnapshot, func(line []byte) (sealed.Condition, error) {
		number++
		size += int64(len(line))
		var e entry
		if !sealed.Open(line, &e) {
			return sealed.Damaged, sealed.ErrDamaged
		}
		if e.Bytes != "" && number > 1 {
			return sealed.Intact, errors.New("it is the first line of a journal")
		}
		if want, err := strconv.ParseInt(e.Bytes, 10, 64); err == nil && want > c.Read[journalName] {
			return sealed.Intact, fmt.Errorf("the journal has %d bytes and has lost %d", c.Read[journalName],
				want-c.Read[journalName])
		}
		if e.Result == nil {
			return sealed.Intact, nil
		}
		return sealed.Intact, messages.Decode(e.Result, &messages.Result{})
	})
	if size == 0 {
		c.Fault(journalName, "", "it is empty")
	}
}

func checkSnapshot(c *check.Check, name string) {
	if !c.Has(name) {
		return
	}
	document, ok := c.ReadFile(name, maxSnapshot)
	if !ok {
		return
	}
	s, err := openSnapshot(document)
	if err != nil {
		c.Fault(name, "", err)
		return
	}
	rundir.CheckOwner(c, name, s.Run)
}

// openSnapshot reads a snapshot of any run.
func openSnapshot(document []byte) (s snapshot, err error) {
	var outer sealedState
	if err := strict.Unmarshal(document, &outer); err != nil {
		return s, err
	}
	sum := sha256.Sum256(outer.State)
	again, err := json.Marshal(sealedState{SHA256: hex.EncodeToString(sum[:]), State: outer.State})
	if err != nil {
		return s, err
	}
	if !bytes.Equal(document, again) {
		return s, sealed.ErrDamaged
	}
	return s, strict.Unmarshal(outer.State, &s)
}

func checkPromotions(c *check.Check) {
	if !c.Has(promotionsName) {
		return
	}
	last := uint64(0)
	c.List(promotionsName, maxList, func(line []byte) (sealed.Condition, error) {
		p, condition, err := messages.OpenPromotion(line)
		if err == nil && p.Number <= last {
			err = fmt.Errorf("promotion %d is out of place", p.Number)
		}
		if err == nil {
			last = p.Number
		}
		return condition, err
	})
}

func checkLadder(c *check.Check) {
	if !c.Has(LadderFile) {
		return
	}
	if doc, ok := c.ReadFile(LadderFile, maxLadder); ok {
		l, condition, err := openLadder(doc)
		c.Sealed(LadderFile, condition, err)
		// Of a run that ended in order, the session says which files there were.
		if err == nil && len(l.Promotions) > 0 && !c.Has(promotionsName) && !c.Has(rundir.SessionFile) {
			c.Fault(promotionsName, "", "there is no such file, and the ladder has promotions")
		}
	}
}

func checkPopulation(c *check.Check) {
	files := c.Matching(versionPattern)
	if len(files) == 0 && !c.Has(rundir.MembersFile) {
		return
	}
	var list messages.MemberList
	c.List(rundir.MembersFile, maxList, func(line []byte) (sealed.Condition, error) {
		one, damaged := messages.ParseMembers(line)
		if damaged > 0 {
			return sealed.Damaged, sealed.ErrDamaged
		}
		list.Kept = append(list.Kept, one.Kept...)
		for _, m := range one.Kept {
			if err := checkMember(m); err != nil {
				return sealed.Intact, err
			}
		}
		return sealed.Intact, nil
	})
	for _, m := range list.Kept {
		file := strings.ReplaceAll(rundir.VersionFile(m.Name), `\`, "/")
		files = slices.DeleteFunc(files, func(other string) bool { return other == file })
		checkVersion(c, file, m.Sha256)
	}
	for _, file := range files {
		checkVersion(c, file, nil)
	}
}

// checkVersion reads the weights of a version, and compares them with their SHA-256, if it is known.
func checkVersion(c *check.Check, file string, sum []byte) {
	data, ok := c.ReadFile(file, nn.MaxFileBytes)
	if !ok {
		return
	}
	if got := sha256.Sum256(data); sum != nil && !bytes.Equal(got[:], sum) {
		c.Fault(file, "", fmt.Sprintf("its SHA-256 is not that of %s", rundir.MembersFile))
		return
	}
	if _, _, err := nn.DecodeTensors(data); err != nil {
		c.Fault(file, "", err)
	}
}
