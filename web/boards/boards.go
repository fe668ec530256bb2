// Package boards holds the boards on which games are played, watched and looked at again: for a
// game NAME the script board-NAME.js, and what boards share. A game without one gets the plain
// board. The scripts know how a game looks; which actions are legal only the server says.
//
// types.d.ts describes what a board is given and what it must do.
package boards

import (
	"embed"
	"io/fs"
)

//go:embed *.js *.css
var files embed.FS

// Assets returns the files of all boards, which pages with a board serve next to their own.
func Assets() fs.FS { return files }
