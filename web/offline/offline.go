// Package offline writes a page in which a person plays with a network, on a phone and without a server: one HTML file
// that holds the game, the network and the scripts, and makes no network requests.
//
// It can be made of games from files, since a browser runs their WebAssembly as this program does. The scripts run the
// network, layer by layer (offline-network.js), and show the plain board of the page Play.
package offline

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"text/template"

	"croupier/engine"
	"croupier/engine/wasm"
	"croupier/nn"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// content is what the page holds for its scripts; offline.js declares the same.
type content struct {
	File        []byte  `json:"file"`
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

// Page returns the page for a game, its rules and a network of it, which agent names. The network plays as networks of
// the game play best.
func Page(n *nn.Network, game engine.Game, agent string) ([]byte, error) {
	spec := game.Spec()
	own, ok := game.(fromFile)
	if !ok {
		return nil, fmt.Errorf("a page holds the WebAssembly file of its game, and %s is not one that comes from a file: "+
			"people play it on the page of croupier web, and its network can be written as onnx", spec.Name)
	}
	p, err := planOf(n.Layout)
	if err != nil {
		return nil, err
	}
	var weights []byte
	for _, w := range n.Weights {
		weights = binary.LittleEndian.AppendUint32(weights, math.Float32bits(w))
	}
	var out bytes.Buffer
	err = page.Execute(&out, map[string]string{
		"Title": html.EscapeString(spec.Title), "Summary": html.EscapeString(spec.Summary),
		"Agent": html.EscapeString(agent), "Hash": own.File().Hash()[:12],
		"Style": styles(), "Imports": importMap(), "Content": document(content{
			File: own.File().Bytes(), Rules: append([]int32{}, own.Numbers()...), Network: p, Weights: weights,
			Temperature: temperature(n, spec),
		}),
	})
	return out.Bytes(), err
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
