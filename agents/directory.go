package agents

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"croupier/archive"
	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/durable"
	"croupier/internal/platform"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/internal/sealed"
	"croupier/internal/seed"
	"croupier/league"
	"croupier/league/tournament"
	"croupier/messages"
	"croupier/player"
)

// Files of a tournament's directory.
const (
	headFile    = "tournament.json"
	resultsFile = "results.log"
)

// Bounds of those files in bytes: many times what thousands of agents and a million matches take.
const (
	maxHead    = 16 << 20
	maxResults = 1 << 30
)

// Directory is where a tournament is kept: what it is, every result, the ladder and the games. The
// pages show it as they show a run. The same tournament in a directory that has a part of it continues
// from there.
type Directory struct {
	Path         string
	Config       []byte // the configuration with game and rules, as of a run
	Version      string // of the program
	ArchiveBytes int64  // that the games may take; the oldest go first
}

// tournamentDir is a tournament's directory at work.
type tournamentDir struct {
	dir   string
	claim *rundir.Claim
	file  *os.File
	known map[string]*messages.Result // by match

	mu     sync.Mutex
	games  *archive.Writer
	source *archive.Source
}

// head is what identifies a tournament.
type head struct {
	Game   string      `json:"game"`
	Rules  string      `json:"rules_hash"`
	Seed   seed.Number `json:"seed"`
	Games  uint64      `json:"games"`
	Format string      `json:"format"`
	Agents []entrant   `json:"agents"`
}

// entrant is an agent of a tournament.
type entrant struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256,omitempty"` // of its weights, hex
}

// difference says in which respect another tournament is not this one.
func (h head) difference(o head) string {
	names := func(list []entrant) (names []string) {
		for _, p := range list {
			names = append(names, p.Name)
		}
		return names
	}
	for _, d := range []struct {
		what      string
		mine, its any
	}{
		{"game", h.Game, o.Game}, {"hash of the rules", h.Rules, o.Rules}, {"seed", h.Seed, o.Seed},
		{"number of games", h.Games, o.Games},
		{"format", h.Format, o.Format},
	} {
		if d.mine != d.its {
			return fmt.Sprintf("its %s is %v, not %v", d.what, d.its, d.mine)
		}
	}
	if mine, its := names(h.Agents), names(o.Agents); !slices.Equal(mine, its) {
		return fmt.Sprintf("its agents are %q, not %q", its, mine)
	}
	for i, p := range h.Agents {
		if p != o.Agents[i] {
			return fmt.Sprintf("its agent %s has other weights: the SHA-256 is %.8s…, not %.8s…", p.Name, o.Agents[i].SHA256,
				p.SHA256)
		}
	}
	return ""
}

// result is a line of the results.
type result struct {
	Result []byte `json:"result"` // a messages.Result without its evidence
}

// head describes the tournament between these players.
func (t Tournament) head(names []string, players map[string]*player.Player) head {
	rules := engine.RulesHash(t.Game)
	h := head{
		Game: t.Game.Spec().Name, Rules: hex.EncodeToString(rules[:]), Seed: seed.Number(t.Seed), Games: t.Games,
		Format: tournament.RoundRobin{}.String(),
	}
	if t.Format != nil {
		h.Format = t.Format.String()
	}
	for _, name := range names {
		h.Agents = append(h.Agents, entrant{name, hex.EncodeToString(players[name].SHA256)})
	}
	return h
}

// open takes the directory of a tournament, or makes it. The role is a learner's, so that the pages take the directory
// for one at work.
func (d *Directory) open(game engine.Game, h head) (*tournamentDir, error) {
	id, err := rundir.ID(d.Path)
	if err != nil {
		return nil, err
	}
	claim, err := rundir.Take(d.Path, messages.LearnerRole)
	if err != nil {
		return nil, err
	}
	if err := d.prepare(claim, id, h, catalog.FileOf(game)); err != nil {
		claim.Abandon()
		return nil, err
	}
	r := &tournamentDir{dir: d.Path, claim: claim, known: map[string]*messages.Result{}}
	if err := r.open(game, d.ArchiveBytes); err != nil {
		return nil, errors.Join(err, r.close(false))
	}
	return r, nil
}

// prepare makes the tournament in the directory, or sees that it holds this tournament.
func (d *Directory) prepare(claim *rundir.Claim, id string, h head, game []byte) error {
	path := filepath.Join(d.Path, headFile)
	text, err := regular.Read(path, maxHead)
	if errors.Is(err, fs.ErrNotExist) {
		return d.create(claim, id, h, game)
	}
	if err != nil {
		return err
	}
	var there head
	if _, err := sealed.OpenDocument(text, &there); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if what := h.difference(there); what != "" {
		return fmt.Errorf("directory %s holds another tournament: %s", d.Path, what)
	}
	return nil
}

// open reads what is there.
func (r *tournamentDir) open(game engine.Game, archiveBytes int64) (err error) {
	if err := r.read(); err != nil {
		return err
	}
	if r.source, err = archive.NewSource(game); err != nil {
		return err
	}
	if r.games, _, err = archive.Open(r.dir, archiveBytes); err != nil {
		return err
	}
	return rundir.Begin(r.dir)
}

// create makes the tournament.
func (d *Directory) create(claim *rundir.Claim, id string, h head, game []byte) error {
	text, err := sealed.Document(h)
	if err != nil {
		return err
	}
	err = claim.Create(rundir.Info{
		ID: id, Game: h.Game, Seed: h.Seed, Created: time.Now().UTC(), Version: d.Version, Kind: rundir.Tournament,
	}, d.Config, game)
	if err == nil { // last: with it the directory is whole
		err = durable.WriteFile(filepath.Join(d.Path, headFile), text)
	}
	return err
}

// read reads the results of earlier. What is not intact is played again.
func (r *tournamentDir) read() (err error) {
	path := filepath.Join(r.dir, resultsFile)
	if r.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666); err != nil {
		return err
	}
	text, err := regular.Read(path, maxResults)
	if err != nil && !errors.Is(err, regular.ErrEmpty) {
		return err
	}
	size := int64(0)
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // of a process that was killed
		}
		size += int64(len(line))
		var l result
		m := &messages.Result{}
		if !sealed.Open(line, &l) || messages.Decode(l.Result, m) != nil {
			continue
		}
		r.known[m.GetMatch().GetId()] = m
	}
	return errors.Join(r.file.Truncate(size), platform.SyncDir(r.dir))
}

// find returns the result of a match that was played earlier.
func (r *tournamentDir) find(m *messages.Match) *messages.Result { return r.known[m.Id] }

// keep adds a result. Once it returns the match is never played again.
func (r *tournamentDir) keep(m *messages.Result) error {
	m.Returns, m.Digests = nil, nil // the games themselves are in the archive
	data, err := messages.Encode(m)
	if err != nil {
		return err
	}
	line, err := sealed.Line(result{data})
	if err != nil {
		return err
	}
	if _, err = r.file.Write(line); err == nil {
		err = r.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("tournament %s: %w", r.dir, err)
	}
	return nil
}

// show writes the ladder.
func (r *tournamentDir) show(l *messages.Ladder) error { return league.WriteLadder(r.dir, l) }

// store adds games to the archive. Many goroutines may.
func (r *tournamentDir) store(list []*messages.Kept) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, batch := range list {
		for i := range batch.Games {
			if err := r.games.Add(archive.Arena, r.source.Game(batch, i)); err != nil {
				return err
			}
		}
	}
	return r.games.Flush()
}

// close ends the work on the directory; over says that the tournament is.
func (r *tournamentDir) close(over bool) error {
	var errs []error
	if r.games != nil {
		errs = append(errs, r.games.Close())
		if over {
			errs = append(errs, rundir.End(r.dir, "", slices.Concat(TournamentPart.Grows, archive.Part.Grows)...))
		}
	}
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	r.claim.Release()
	return errors.Join(errs...)
}
