// Package backup checks everything that a run keeps, and makes and takes verified copies of it while the run is at
// work.
//
// A backup is a tar archive with one folder, which is called as the run. Its last file, SHA256SUMS, lists the others in
// the form that sha256sum -c reads.
package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"croupier/actor"
	"croupier/agents"
	"croupier/archive"
	"croupier/catalog"
	"croupier/internal/check"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/learner"
	"croupier/messages/curves"
	"croupier/settings"
)

// Result is what a check of a run or of a backup has found.
type Result struct {
	Run    string        `json:"run"`
	Game   string        `json:"game"`
	Files  int           `json:"files"` // that were read
	Bytes  int64         `json:"bytes"` // of these files
	Games  int64         `json:"games"` // in the archive
	Faults []check.Fault `json:"faults"`
	// Unsealed are files of version 0.1, which wrote no checksums. They were read.
	Unsealed []string `json:"unsealed"`
	// Partly are files that were read, of which not everything can be checked here, and why.
	Partly []check.Fault `json:"partly"`
	// Unchecked are files that were not read.
	Unchecked []Unchecked `json:"unchecked"`

	read map[string]bool
}

func newResult(info rundir.Info) *Result {
	return &Result{
		Run: info.ID, Game: info.Game, Faults: []check.Fault{}, Unsealed: []string{}, Partly: []check.Fault{},
		Unchecked: []Unchecked{}, read: map[string]bool{},
	}
}

// Unchecked is a file that is not checked, and not in a backup.
type Unchecked struct {
	File   string `json:"file"`
	Reason string `json:"reason,omitempty"` // "": it belongs to no run
}

// identityPart is what identifies a run and its game, whose files must agree.
func identityPart(games *catalog.Catalog) check.Part {
	return check.Part{Patterns: append(slices.Clip(rundir.IdentityFiles), rundir.GameFile), Check: func(c *check.Check) {
		if !identified(c.Names) {
			return
		}
		info, config, ok := rundir.CheckIdentity(c)
		if !ok {
			return
		}
		if !openGame(games, c, config) {
			return
		}
		s, err := settings.Load(games, config, rundir.ConfigFile)
		if err == nil {
			err = s.CheckRun(info)
		}
		var unknown *settings.UnknownGameError
		switch {
		case errors.As(err, &unknown) && !slices.Contains(c.Unsealed, rundir.ConfigFile): // else the name may be damaged
			c.Partly = append(c.Partly, check.Fault{File: rundir.ConfigFile,
				What: fmt.Sprintf("its checksum is right, its values are not checked: %v", unknown.Unwrap())})
		case err != nil:
			c.Fault(rundir.ConfigFile, "", err)
		}
	}}
}

// openGame opens the file of the run's game for the catalog, if it comes from one, or notes what is wrong with it.
func openGame(games *catalog.Catalog, c *check.Check, config []byte) bool {
	wanted := settings.FileNamed(config)
	if wanted == "" && !c.Has(rundir.GameFile) {
		return true
	}
	file, ok := c.ReadFile(rundir.GameFile, rundir.MaxGame)
	if !ok {
		return false
	}
	if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != wanted {
		c.Fault(rundir.GameFile, "", fmt.Sprintf("its SHA-256 is %x, and that of the run's game is %q", sum, wanted))
		return false
	}
	if _, err := games.Open(file); err != nil {
		c.Fault(rundir.GameFile, "", err)
		return false
	}
	return true
}

// within says in which directory an error was found.
func within(path string, err error) error {
	if errors.Is(err, rundir.ErrNoRun) {
		return rundir.NoRun("directory", path)
	}
	return err
}

// identified reports whether the files must say of which run they are. Where each role has a directory of its own, that
// of the learner does so alone.
func identified(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.Contains(rundir.IdentityFiles, name) || learner.Part.Has(name)
	})
}

// partsOf returns the parts of a run, of what a role of it keeps, or of a tournament, in the order in which they are
// copied. What the league has counted comes before the versions that it was counted of. Files of none are no run.
func partsOf(games *catalog.Catalog, c *check.Check) (parts []check.Part, err error) {
	if agents.HoldsTournament(c) {
		return []check.Part{identityPart(games), agents.TournamentPart, league.LadderPart, archive.Part}, nil
	}
	parts = []check.Part{
		identityPart(games), learner.Part, league.StatePart, league.PromotionsPart, league.PopulationPart, league.LadderPart,
		curves.Part,
		actor.Part, archive.Part,
	}
	if !slices.ContainsFunc(c.Names, func(name string) bool { return has(parts, name) }) {
		return nil, rundir.ErrNoRun
	}
	return parts, nil
}

func has(parts []check.Part, name string) bool {
	return slices.ContainsFunc(parts, func(p check.Part) bool { return p.Has(name) })
}

// Verify reads and checks everything that the run in a directory, or a backup, holds, of a game of the catalog. The
// error is that of finding neither; faults are in the result.
func Verify(ctx context.Context, games *catalog.Catalog, path string) (*Result, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		r, err := verify(ctx, games, directory(path))
		return r, within(path, err)
	}
	b, err := open(path)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return b.verify(ctx, games)
}

// source is where files are checked.
type source interface {
	check.Files
	// live reports whether somebody may change the files meanwhile.
	live() bool
}

// tries is how often a part is read in which something is wrong while a role is at work at it, and pause the time
// between. A checkpoint that the role removes between its manifest and itself is no fault.
const (
	tries = 8
	pause = 250 * time.Millisecond
)

func verify(ctx context.Context, games *catalog.Catalog, files source) (*Result, error) {
	c, err := check.New(files)
	if err != nil {
		return nil, err
	}
	parts, err := partsOf(games, c)
	if err != nil {
		return nil, err
	}
	info, _ := rundir.Identity(c)
	r := newResult(info)
	for _, p := range append(parts, check.Part{Check: rundir.CheckSizes}) {
		found, err := retry(ctx, files, func() (check.Found, error) { return p.Of(files) })
		if err != nil {
			return nil, err
		}
		r.add(found)
	}
	for _, name := range c.Names {
		if !has(parts, name) {
			reason, _ := rundir.Passing(name)
			r.Unchecked = append(r.Unchecked, Unchecked{name, reason})
		}
	}
	return r, nil
}

func (r *Result) add(found check.Found) {
	for name, size := range found.Read {
		if !r.read[name] {
			r.read[name] = true
			r.Files++
			r.Bytes += size
		}
	}
	r.Games += found.Games
	r.Faults = append(r.Faults, found.Faults...)
	r.Unsealed = append(r.Unsealed, found.Unsealed...)
	r.Partly = append(r.Partly, found.Partly...)
}

// retry repeats what finds something wrong for as long as that may be due to somebody who is at work.
func retry(ctx context.Context, files source, do func() (check.Found, error)) (found check.Found, err error) {
	for try := 1; ; try++ {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		if found, err = do(); err != nil || len(found.Faults) == 0 || try == tries || !files.live() {
			return found, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}
