package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/internal/check"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/messages"
	"croupier/settings"
)

// small makes a run in which nothing was trained.
func small(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "evening")
	config, err := settings.Default(standard.Games, "pig")
	require.NoError(t, err)
	config.Run = "evening"
	doc, err := config.Encode()
	require.NoError(t, err)
	claim, err := rundir.Take(dir)
	require.NoError(t, err)
	require.NoError(t, claim.Create(rundir.Info{ID: "evening", Game: "pig", Seed: 1, Version: "v"}, doc, nil))
	require.NoError(t, rundir.Begin(dir))
	return dir
}

func made(t *testing.T, dir string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "kept.tar")
	r, err := Make(t.Context(), standard.Games, dir, file)
	require.NoError(t, err)
	require.Equal(t, 4, r.Files)
	return file
}

// A run of a game from a file keeps the file, which must be the one that its rules name.
func TestTheFileOfARunsGameIsChecked(t *testing.T) {
	file, err := os.ReadFile("../engine/wasm/kits/c/tic-tac-toe.wasm")
	require.NoError(t, err)
	games := standard.Games
	entry, err := games.Open(file)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "evening")
	config, err := settings.Default(games, entry.Name)
	require.NoError(t, err)
	config.Run = "evening"
	_, err = config.Build() // fills in the rules
	require.NoError(t, err)
	doc, err := config.Encode()
	require.NoError(t, err)
	claim, err := rundir.Take(dir)
	require.NoError(t, err)
	info := rundir.Info{ID: "evening", Game: entry.Name, Seed: 1, Version: "v"}
	require.NoError(t, claim.Create(info, doc, file))
	require.NoError(t, rundir.Begin(dir))
	faults := func() []check.Fault {
		r, err := Verify(t.Context(), games, dir)
		require.NoError(t, err)
		return r.Faults
	}
	require.Empty(t, faults())
	kept := filepath.Join(dir, rundir.GameFile)
	require.NoError(t, os.WriteFile(kept, append(file, 0), 0o600))
	require.Equal(t, rundir.GameFile, faults()[0].File)
	require.Contains(t, faults()[0].What, "its SHA-256 is ")
	require.NoError(t, os.Remove(kept))
	require.Equal(t, check.Fault{File: rundir.GameFile, What: "there is no such file"}, faults()[0])
}

// Whichever byte of a backup is damaged, or wherever it ends, it is not restored as if it were whole.
func TestDamagedBackupsAreNotRestored(t *testing.T) {
	file := made(t, small(t))
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	damaged := filepath.Join(filepath.Dir(file), "damaged.tar")
	into := filepath.Join(filepath.Dir(file), "again")
	refuse := func(content []byte, what string, i int) {
		require.NoError(t, os.WriteFile(damaged, content, 0o600))
		_, err := Restore(t.Context(), standard.Games, damaged, into)
		require.Error(t, err, "%s %d", what, i)
		entries, err := os.ReadDir(filepath.Dir(file))
		require.NoError(t, err)
		require.Len(t, entries, 2, "%s %d: nothing half-written is left", what, i)
	}
	for i := 0; i < len(whole); i += 61 {
		content := bytes.Clone(whole)
		content[i] ^= 1 << (i % 8)
		refuse(content, "byte", i)
	}
	end := bytes.LastIndex(whole, []byte("session.json\n"))
	for length := 0; length < end; length += 257 {
		require.NoError(t, os.WriteFile(damaged, whole[:length], 0o600))
		_, err := Restore(t.Context(), standard.Games, damaged, into)
		require.Error(t, err, "%d bytes", length)
	}
}

// readAll returns what the files of a backup hold.
func readAll(t *testing.T, file string) map[string]string {
	t.Helper()
	b, err := open(file)
	require.NoError(t, err)
	defer b.Close()
	c, err := check.New(b)
	require.NoError(t, err)
	all := map[string]string{}
	for _, name := range c.Names {
		data, ok := c.ReadFile(name, 1<<20)
		require.True(t, ok)
		all[name] = string(data)
	}
	return all
}

// entry is a file of an archive that somebody has made.
type entry struct {
	kind          byte
	name, content string
}

// archiveOf writes an archive with these files and a list of them.
func archiveOf(t *testing.T, entries []entry) (file string) {
	t.Helper()
	var text bytes.Buffer
	out := tar.NewWriter(&text)
	sums := ""
	for _, e := range entries {
		_, name, _ := strings.Cut(e.name, "/")
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(e.content)), name)
	}
	for _, e := range append(entries, entry{tar.TypeReg, "evening/" + sumsName, sums}) {
		h := &tar.Header{Typeflag: e.kind, Name: e.name, Mode: 0o644}
		if e.kind == tar.TypeReg {
			h.Size = int64(len(e.content))
		} else {
			h.Linkname = e.content
		}
		require.NoError(t, out.WriteHeader(h))
		if e.kind == tar.TypeReg {
			_, err := out.Write([]byte(e.content))
			require.NoError(t, err)
		}
	}
	require.NoError(t, out.Close())
	file = filepath.Join(t.TempDir(), "made.tar")
	require.NoError(t, os.WriteFile(file, text.Bytes(), 0o600))
	return file
}

func TestBackupsWithStrangeFilesAreRefused(t *testing.T) {
	var good []entry
	for name, content := range readAll(t, made(t, small(t))) {
		good = append(good, entry{tar.TypeReg, "evening/" + name, content})
	}
	_, err := Restore(t.Context(), standard.Games, archiveOf(t, good), filepath.Join(t.TempDir(), "again"))
	require.NoError(t, err)
	for _, strange := range []entry{
		{tar.TypeReg, "evening/../../outside", "x"},
		{tar.TypeReg, "evening//etc/passwd", "x"},
		{tar.TypeReg, "evening/a/../b", "x"},
		{tar.TypeReg, `evening/..\outside`, "x"},
		{tar.TypeReg, "alone", "x"},
		{tar.TypeReg, "morning/run.json", "x"},
		{tar.TypeReg, "evening/run.json", "x"},
		{tar.TypeSymlink, "evening/link", "/etc/passwd"},
		{tar.TypeLink, "evening/link", "evening/run.json"},
		{tar.TypeFifo, "evening/pipe", ""},
	} {
		parent := t.TempDir()
		_, err := Restore(t.Context(), standard.Games, archiveOf(t, append(good[:len(good):len(good)], strange)),
			filepath.Join(parent, "again"))
		require.ErrorContains(t, err, "it is not a backup of a run", strange.name)
		entries, err := os.ReadDir(parent)
		require.NoError(t, err)
		require.Empty(t, entries)
	}
}

func TestNothingIsWrittenOver(t *testing.T) {
	dir := small(t)
	file := made(t, dir)
	for name, there := range map[string]func(path string) error{
		"directory": func(path string) error { return os.Mkdir(path, 0o755) },
		"file":      func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
		"link":      func(path string) error { return os.Symlink("nowhere", path) },
	} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, there(path))
		_, err := Restore(t.Context(), standard.Games, file, path)
		require.ErrorContains(t, err, path+": it exists already")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	parent := t.TempDir()
	_, err := Restore(ctx, standard.Games, file, filepath.Join(parent, "again"))
	require.ErrorIs(t, err, context.Canceled)
	_, err = Make(ctx, standard.Games, dir, filepath.Join(parent, "kept.tar"))
	require.ErrorIs(t, err, context.Canceled)
	entries, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Empty(t, entries, "nothing half-written is left")
}

// A link in a run directory is followed, as the roles follow it; one in a circle, or to nothing, is no reason to hang.
func TestLinksAreFollowed(t *testing.T) {
	dir := small(t)
	elsewhere := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.Rename(filepath.Join(dir, rundir.ConfigFile), elsewhere))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, rundir.ConfigFile)))
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "circle")))
	r, err := Verify(t.Context(), standard.Games, dir)
	require.NoError(t, err)
	require.Empty(t, r.Faults)
	require.Equal(t, 4, r.Files)
	made(t, dir)
	require.NoError(t, os.Remove(elsewhere))
	r, err = Verify(t.Context(), standard.Games, dir)
	require.NoError(t, err)
	require.Equal(t, []check.Fault{{File: rundir.ConfigFile, What: "there is no such file"}}, r.Faults)
}

// Where each role has a directory of its own, the league's does not say which run it is of.
func TestDirectoryOfOneRole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "evening")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	_, err := Verify(t.Context(), standard.Games, dir)
	require.ErrorContains(t, err, "directory "+dir+" holds no run")
	file := filepath.Join(t.TempDir(), "kept.tar")
	_, err = Make(t.Context(), standard.Games, dir, file)
	require.ErrorIs(t, err, rundir.ErrNoRun)
	require.NoError(t, league.WriteLadder(dir, &messages.Ladder{Game: "pig", Agents: []messages.LadderAgent{}}))
	r, err := Make(t.Context(), standard.Games, dir, file)
	require.NoError(t, err)
	require.Equal(t, 1, r.Files)
	r, err = Restore(t.Context(), standard.Games, file, filepath.Join(t.TempDir(), "again"))
	require.NoError(t, err)
	require.Equal(t, 1, r.Files)
}
