// Package offline writes a page in which a person plays with a network, on a phone and without a server: one HTML file
// that holds the game, the network and the scripts, and makes no network requests.
//
// A browser runs the WebAssembly of games from files as this program does. Games that are packages in Go need a module
// that plays them ([InGo]). The scripts run the network, layer by layer (offline-network.js), and show the board of the
// page Play.
package offline

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"math"
	"slices"
	"text/template"

	"croupier/engine"
	"croupier/engine/wasm"
	"croupier/engine/wasm/inpage"
	"croupier/nn"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// content is what the page holds for its scripts; offline.js declares the same.
type content struct {
	File        []byte  `json:"file"` // compressed by gzip
	Board       string  `json:"board"`
	Rules       []int32 `json:"rules"`
	Network     *plan   `json:"network"`
	Weights     []byte  `json:"weights"`
	Temperature float64 `json:"temperature"`
}

// fromFile is a game that comes from a file.
type fromFile interface {
	File() *wasm.File
	Numbers() []int32
}

// InGo is what a page needs of a game that is a package in Go.
type InGo struct {
	Module []byte  // which plays it (package inpage), compressed by gzip
	Boards []fs.FS // with board-NAME.js and what that loads; a game without one gets the plain board
}

// Page returns the page for a game, its rules and a network of it, which agent names. The network plays as networks of
// the game play best. inGo may be nil for a game from a file.
func Page(n *nn.Network, game engine.Game, agent string, inGo *InGo) ([]byte, error) {
	spec := game.Spec()
	c := content{Board: plainBoard, Temperature: temperature(n, spec)}
	origin, err := c.hold(game, inGo)
	if err != nil {
		return nil, err
	}
	if c.Network, err = planOf(n.Layout); err != nil {
		return nil, err
	}
	for _, w := range n.Weights {
		c.Weights = binary.LittleEndian.AppendUint32(c.Weights, math.Float32bits(w))
	}
	folders := shared
	if inGo != nil {
		folders = append(slices.Clone(inGo.Boards), shared...)
	}
	scripts, styles := folders.assets(c.Board)
	var out bytes.Buffer
	err = page.Execute(&out, map[string]string{
		"Title": html.EscapeString(spec.Title), "Summary": html.EscapeString(spec.Summary),
		"Agent": html.EscapeString(agent), "Origin": origin,
		"Style": styles, "Imports": document(map[string]any{"imports": scripts}), "Content": document(c),
	})
	return out.Bytes(), err
}

// hold puts the game into the page. It returns where that comes from, for people.
func (c *content) hold(game engine.Game, inGo *InGo) (origin string, err error) {
	spec := game.Spec()
	if own, ok := game.(fromFile); ok {
		c.Rules = append([]int32{}, own.Numbers()...)
		c.File, err = compressed(own.File().Bytes())
		return "game file " + own.File().Hash()[:12], err
	}
	if inGo == nil {
		return "", fmt.Errorf("a page holds the WebAssembly of its game, and %s has none: people play it on the page of "+
			"croupier web, and its network can be written as onnx", spec.Name)
	}
	rules, err := json.Marshal(game.Rules())
	if err != nil {
		return "", err
	}
	c.File = inGo.Module
	c.Rules, err = inpage.Choice{Game: spec.Name, Rules: rules}.Numbers()
	if name := "board-" + spec.Name + ".js"; folders(inGo.Boards).has(name) {
		c.Board = name
	}
	return "the rules are Croupier's own", err
}

func compressed(file []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(file)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// temperature is that at which the network plays: action values always play the best one.
func temperature(n *nn.Network, spec *engine.Spec) float64 {
	if n.Layout.Description.ActionValues() {
		return 0
	}
	return spec.Temperature
}

// document returns numbers and texts as JSON, in which no letter ends a script.
func document(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
