// Package kits has what games from files are begun with: a kit for each language, and a small game in it, tic-tac-toe.
package kits

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

//go:embed c/croupier.h c/tic-tac-toe.c rust/croupier.rs rust/tic-tac-toe.rs
//go:embed go/croupier/croupier.go go/tic-tac-toe/tic-tac-toe.go
var files embed.FS

// Language is one for which there is a kit.
type Language struct {
	Name                 string // as people write it: "c"
	folder, kit, source, // the kit and the small game, paths below the folder
	needs, // in a sentence
	build string // with NAME for the game's
}

// Languages are all of them.
var Languages = []Language{
	{"c", "c", "croupier.h", "tic-tac-toe.c", "clang and lld (Debian: apt-get install clang lld)",
		"clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry -Wl,--strip-all -o NAME.wasm NAME.c"},
	{"go", "go", "croupier/croupier.go", "tic-tac-toe/tic-tac-toe.go", "Go 1.24 or later",
		"GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags=-s -o NAME.wasm ."},
	{"rust", "rust", "croupier.rs", "tic-tac-toe.rs",
		"rustc and its target (rustup target add wasm32-unknown-unknown)",
		"rustc --target wasm32-unknown-unknown --crate-type cdylib -C opt-level=3 -C panic=abort -C lto=fat " +
			"-C codegen-units=1 -C strip=symbols -o NAME.wasm NAME.rs"},
}

// Names are those of the languages.
func Names() (names []string) {
	for _, l := range Languages {
		names = append(names, l.Name)
	}
	return names
}

// Find returns the language of that name.
func Find(name string) (Language, bool) {
	i := slices.IndexFunc(Languages, func(l Language) bool { return l.Name == name })
	if i < 0 {
		return Language{}, false
	}
	return Languages[i], true
}

// Build is the command that makes the file of a game.
func (l Language) Build(name string) string { return strings.ReplaceAll(l.build, "NAME", name) }

// File is a file of a new game.
type File struct {
	Name string
	Text string
}

// goModule is the go.mod of a new game in Go, whose kit is a package of the same module.
const goModule = "module game\n\ngo 1.24\n"

// New returns the files of a new game: a source that works, which is tic-tac-toe under the name, the kit, and a page.
func (l Language) New(name string) []File {
	extension := path.Ext(l.source)
	source := strings.NewReplacer(`\"tic-tac-toe\"`, `\"`+name+`\"`, `"tic-tac-toe"`, `"`+name+`"`,
		`"croupier/engine/wasm/kits/go/croupier"`, `"game/croupier"`).Replace(read(l.folder + "/" + l.source))
	page := fmt.Sprintf("# %[1]s\n\nIt begins as tic-tac-toe. Change `%[1]s%[2]s`, then build and check it. You need %[3]s.\n\n"+
		"    %[4]s\n    croupier games check ./%[1]s.wasm\n    croupier train ./%[1]s.wasm\n\n"+
		"`croupier help guide/own-games` explains what a game consists of.\n", name, extension, l.needs, l.Build(name))
	files := []File{{name + extension, source}, {l.kit, read(l.folder + "/" + l.kit)}, {"README.md", page}}
	if l.Name == "go" {
		files = append(files, File{"go.mod", goModule})
	}
	return files
}

func read(path string) string {
	text, err := files.ReadFile(path)
	if err != nil {
		panic(fmt.Sprintf("kits: %v", err)) // it is embedded above
	}
	return string(text)
}
