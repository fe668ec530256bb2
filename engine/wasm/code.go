package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"

	"croupier/internal/durable"
	"croupier/internal/platform"
)

// Compiling a module takes many times as long as reading its machine code, so that a process may keep the code for the
// next one ([KeepCode]). What is kept of a game's file is in a folder of its own, named after its SHA-256. The runtime
// trusts the files that it reads there: sumsFile has the SHA-256 of each, and a file with another one is removed
// before. A folder that somebody else could have written is not used, since code runs with the user's rights.
const (
	sumsFile     = "sums.json"
	mostModules  = 64
	mostCode     = 256 << 20 // bytes
	mostCodeFile = 64 << 20
	unfinished   = ".tmp" // is how the name ends of a file that is being written
)

// codeFolder is where machine code is kept; empty keeps none. openMu guards it.
var codeFolder string

// KeepCode makes this process keep the machine code of modules in a folder, which the first one makes. Where that is
// not possible or not safe, modules are compiled. The code belongs to a version of the runtime: a program that does not
// know which one it has keeps none.
func KeepCode(folder string) {
	openMu.Lock()
	defer openMu.Unlock()
	if !knowsRuntime() {
		folder = ""
	}
	codeFolder = folder
}

func knowsRuntime() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Deps, func(m *debug.Module) bool {
		return m.Path == "github.com/tetratelabs/wazero" && m.Version != "" && m.Replace == nil
	})
}

// entryOf is the folder for what is kept of a file with a hash, "" for none.
func entryOf(hash string) string {
	if codeFolder == "" {
		return ""
	}
	return filepath.Join(codeFolder, hash)
}

// compile compiles a module, or reads its code from the folder where it is kept.
func compile(ctx context.Context, module []byte, entry string) (wazero.Runtime, wazero.CompiledModule, error) {
	if entry != "" {
		if r, compiled := compileKept(ctx, module, entry); compiled != nil {
			return r, compiled, nil
		}
	}
	r := wazero.NewRuntimeWithConfig(ctx, limits(wazero.NewRuntimeConfig()))
	compiled, err := r.CompileModule(ctx, module)
	if err != nil {
		r.Close(ctx)
	}
	return r, compiled, err
}

// compileKept returns nothing where the folder is of no use: a fault of the module is found without it.
func compileKept(ctx context.Context, module []byte, entry string) (wazero.Runtime, wazero.CompiledModule) {
	if os.MkdirAll(entry, 0o700) != nil || !platform.IsPrivate(entry) {
		return nil, nil
	}
	kept := readSums(entry)
	found, ok := removeOthers(entry, kept)
	if !ok {
		return nil, nil
	}
	cache, err := wazero.NewCompilationCacheWithDir(entry)
	if err != nil {
		return nil, nil
	}
	r := wazero.NewRuntimeWithConfig(ctx, limits(wazero.NewRuntimeConfig()).WithCompilationCache(cache))
	compiled, err := r.CompileModule(ctx, module)
	if err != nil {
		r.Close(ctx)
		cache.Close(ctx)
		return nil, nil
	}
	if files, ok := sums(entry, found); ok && !maps.EqualFunc(files, kept, (*keptFile).has) {
		writeSums(entry, files)
		makeRoom(filepath.Dir(entry))
	}
	now := time.Now()
	_ = os.Chtimes(entry, now, now) // used last; a folder that cannot be written does not matter
	return r, compiled
}

// readSums returns the SHA-256 of the files of an entry, by their paths in it, as far as they are kept.
func readSums(entry string) map[string]string {
	kept := map[string]string{}
	text, err := os.ReadFile(filepath.Join(entry, sumsFile))
	if err != nil || json.Unmarshal(text, &kept) != nil {
		return nil
	}
	return kept
}

// keptFile is a file of the runtime. Its sum is empty if it cannot be one.
type keptFile struct {
	info fs.FileInfo
	sum  string // SHA-256
}

func (f *keptFile) has(sum string) bool { return f.sum != "" && f.sum == sum }

// is reports whether the file has not been written since: the runtime writes another one and gives it the name.
func (f *keptFile) is(now fs.FileInfo) bool {
	return os.SameFile(f.info, now) && f.info.Size() == now.Size() && f.info.ModTime().Equal(now.ModTime())
}

// writeSums keeps them if it can: files without are removed by the next process.
func writeSums(entry string, files map[string]*keptFile) {
	list := make(map[string]string, len(files))
	for path, f := range files {
		list[path] = f.sum
	}
	if text, err := json.Marshal(list); err == nil {
		_ = durable.WriteFile(filepath.Join(entry, sumsFile), text)
	}
}

// removeOthers removes from an entry what is not as it was kept, and reports whether it could. It returns what is
// there.
func removeOthers(entry string, kept map[string]string) (map[string]*keptFile, bool) {
	files, ok := sums(entry, nil)
	for path, f := range files {
		if f.has(kept[path]) {
			continue
		}
		if os.Remove(filepath.Join(entry, path)) != nil {
			return nil, false
		}
		delete(files, path)
	}
	return files, ok
}

// sums reads the finished files in the folders of an entry, except those that are as they were found before.
func sums(entry string, found map[string]*keptFile) (map[string]*keptFile, bool) {
	files := map[string]*keptFile{}
	err := fs.WalkDir(os.DirFS(entry), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "/") || strings.HasSuffix(path, unfinished) {
			return err
		}
		full := filepath.Join(entry, filepath.FromSlash(path))
		info, err := os.Lstat(full)
		if f := found[path]; f != nil && err == nil && f.is(info) {
			files[path] = f
		} else {
			files[path] = &keptFile{info, fileSum(full, info)}
		}
		return nil
	})
	return files, err == nil
}

// fileSum is the SHA-256 of a file, of which there is no info if it has just been removed.
func fileSum(path string, info fs.FileInfo) string {
	if info == nil || !info.Mode().IsRegular() || info.Size() > mostCodeFile {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// makeRoom removes the code of the modules that were used longest ago.
func makeRoom(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	used := func(e os.DirEntry) time.Time {
		info, err := e.Info()
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return used(b).Compare(used(a)) })
	bytes := int64(0)
	for i, e := range entries {
		path := filepath.Join(folder, e.Name())
		if bytes += size(path); i >= mostModules || bytes > mostCode {
			_ = os.RemoveAll(path) // the next process tries again
		}
	}
}

func size(folder string) (bytes int64) {
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it has just been removed
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
