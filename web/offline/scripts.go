package offline

import (
	"cmp"
	"embed"
	"encoding/base64"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"croupier/web"
	"croupier/web/boards"
)

//go:embed *.js
var own embed.FS

// first is the script that imports all others but the board, and replaced names those for which the page has another.
const (
	first      = "offline.js"
	plainBoard = "board-plain.js"
)

var replaced = map[string]string{"board.js": "offline-style.js"}

// sheets are the styles of the page, and what boards load comes after them.
var sheets = []string{"app.css", "boards.css"}

// folders have scripts and styles; the first one that has a file counts.
type folders []fs.FS

// shared are those of this package, of all boards and of the pages.
var shared = folders{own, boards.Assets(), web.Assets()}

func (list folders) has(name string) bool {
	return slices.ContainsFunc(list, func(folder fs.FS) bool {
		_, err := fs.Stat(folder, name)
		return err == nil
	})
}

// read returns a file. They are part of the program, so that one that is missing is an error of the build, and a panic.
func (list folders) read(name string) []byte {
	for _, folder := range list {
		if text, err := fs.ReadFile(folder, name); err == nil {
			return text
		}
	}
	panic("offline: there is no " + name)
}

// imported is what a script imports, since the other scripts lie in the same folder, and styled the sheets that a board
// loads.
var (
	imported = regexp.MustCompile(`(?m)( from |^import )"\./([a-z-]+\.js)";$`)
	styled   = regexp.MustCompile(`\bstyle\("([a-z-]+\.css)"\)`)
)

// assets returns the scripts of a page with a board, each under its name, as a browser's map of imports has them, and
// its styles. A script in such a map has no folder, so that it imports the others by their names alone.
func (list folders) assets(board string) (scripts map[string]string, styles string) {
	scripts, loaded := map[string]string{}, slices.Clone(sheets)
	for waiting := []string{first, board}; len(waiting) > 0; waiting = waiting[1:] {
		name := waiting[0]
		if _, ok := scripts[name]; ok {
			continue
		}
		text := list.read(cmp.Or(replaced[name], name))
		for _, found := range imported.FindAllSubmatch(text, -1) {
			waiting = append(waiting, string(found[2]))
		}
		for _, found := range styled.FindAllSubmatch(text, -1) {
			if sheet := string(found[1]); !slices.Contains(loaded, sheet) {
				loaded = append(loaded, sheet)
			}
		}
		text = imported.ReplaceAll(text, []byte(`$1"$2";`))
		scripts[name] = "data:text/javascript;base64," + base64.StdEncoding.EncodeToString(text)
	}
	var b strings.Builder
	for _, sheet := range loaded {
		b.Write(list.read(sheet))
	}
	return scripts, b.String()
}
