// Package kits has what games from files are begun with: a kit for each language, and a small game in it, tic-tac-toe.
package kits

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed c/croupier.h c/tic-tac-toe.c rust/croupier.rs rust/tic-tac-toe.rs
var files embed.FS

// Language is one for which there is a kit.
type Language struct {
	Name string // as people write it: "c"
	folder, kit, extension,
	needs, // in a sentence
	build string // with NAME for the game's
}

// Languages are all of them.
var Languages = []Language{
	{"c", "c", "croupier.h", ".c", "clang and lld (Debian: apt-get install clang lld)",
		"clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry -Wl,--strip-all -o NAME.wasm NAME.c"},
	{"rust", "rust", "croupier.rs", ".rs", "rustc and its target (rustup target add wasm32-unknown-unknown)",
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

// New returns the files of a new game: a source that works, which is tic-tac-toe under the name, the kit, and a page.
func (l Language) New(name string) []File {
	source, kit := read(l.folder+"/tic-tac-toe"+l.extension), read(l.folder+"/"+l.kit)
	source = strings.ReplaceAll(source, `\"tic-tac-toe\"`, `\"`+name+`\"`)
	page := fmt.Sprintf("# %[1]s\n\nIt begins as tic-tac-toe. Change `%[1]s%[2]s`, then build and check it. You need %[3]s.\n\n"+
		"    %[4]s\n    croupier games check ./%[1]s.wasm\n    croupier train ./%[1]s.wasm\n\n"+
		"`croupier help guide/own-games` explains what a game consists of.\n", name, l.extension, l.needs, l.Build(name))
	return []File{{name + l.extension, source}, {l.kit, kit}, {"README.md", page}}
}

func read(path string) string {
	text, err := files.ReadFile(path)
	if err != nil {
		panic(fmt.Sprintf("kits: %v", err)) // it is embedded above
	}
	return string(text)
}
