package offline

import (
	"cmp"
	"embed"
	"encoding/base64"
	"io/fs"
	"regexp"
	"strings"

	"croupier/web"
	"croupier/web/boards"
)

//go:embed *.js
var own embed.FS

// first is the script that imports all others, and replaced names those for which the page has another.
const first = "offline.js"

var replaced = map[string]string{"board.js": "offline-style.js"}

// sheets are the styles of the page, in their order.
var sheets = []string{
	"app.css", "boards.css", "controls.css", "parts.css", "cards.css", "chips.css", "dice.css",
}

// asset returns a file of this package, of the boards or of the pages. They are part of the program, so that one that
// is missing is an error of the build, and a panic.
func asset(name string) []byte {
	for _, folder := range []fs.FS{own, boards.Assets(), web.Assets()} {
		if text, err := fs.ReadFile(folder, name); err == nil {
			return text
		}
	}
	panic("offline: there is no " + name)
}

// imported is what a script imports: the other scripts lie in the same folder.
var imported = regexp.MustCompile(`(?m)( from |^import )"\./([a-z-]+\.js)";$`)

// importMap returns the scripts, each under its name, as a browser's map of imports. A script in such a map has no
// folder, so that it imports the others by their names alone.
func importMap() string {
	scripts := map[string]string{}
	for waiting := []string{first}; len(waiting) > 0; waiting = waiting[1:] {
		name := waiting[0]
		if _, ok := scripts[name]; ok {
			continue
		}
		text := asset(cmp.Or(replaced[name], name))
		for _, found := range imported.FindAllSubmatch(text, -1) {
			waiting = append(waiting, string(found[2]))
		}
		text = imported.ReplaceAll(text, []byte(`$1"$2";`))
		scripts[name] = "data:text/javascript;base64," + base64.StdEncoding.EncodeToString(text)
	}
	return document(map[string]any{"imports": scripts})
}

func styles() string {
	var b strings.Builder
	for _, name := range sheets {
		b.Write(asset(name))
	}
	return b.String()
}
