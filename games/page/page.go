// Package page has the WebAssembly module that plays the program's games in pages that people send (package offline).
// It is cmd/page, for Go's WebAssembly target.
package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
)

// embedded has the module in a program that deploy/build.sh has built.
//
//go:embed all:module
var embedded embed.FS

var (
	mu    sync.Mutex
	built []byte
)

// Module returns the module, compressed by gzip. A program that was built without it builds it, where its sources and
// Go are.
func Module(ctx context.Context) ([]byte, error) {
	if module, err := embedded.ReadFile("module/games.wasm.gz"); err == nil {
		return module, nil
	}
	mu.Lock()
	defer mu.Unlock()
	if built != nil {
		return built, nil
	}
	module, err := Build(ctx, sources())
	if err == nil {
		built = module
	}
	return module, err
}

// sources is the folder from which the program was built, "" if that is not known.
func sources() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Build builds the module from the sources in a folder.
func Build(ctx context.Context, folder string) ([]byte, error) {
	_, err := os.Stat(filepath.Join(folder, "cmd", "page"))
	tool, missing := exec.LookPath("go")
	if folder == "" || errors.Join(err, missing) != nil {
		return nil, errors.New("this program was built without the WebAssembly of its games, which pages hold: released " +
			"programs and those of deploy/build.sh have it, and one that is run where its sources and Go are makes it")
	}
	scratch, err := os.MkdirTemp("", "croupier-page-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	path := filepath.Join(scratch, "games.wasm")
	command := exec.CommandContext(ctx, tool, "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared",
		"-ldflags=-s -buildid=", "-o", path, "./cmd/page")
	command.Dir = folder
	command.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if text, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the WebAssembly of the games in %s: %w\n%s", folder, err, bytes.TrimSpace(text))
	}
	module, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(module); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
