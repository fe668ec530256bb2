package serve

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"

	"croupier/engine"
)

//go:embed openapi.json
var description []byte

// describe describes the API for programs, with an example of a position of the game.
func (s *Server) describe(w http.ResponseWriter, _ *http.Request) {
	var doc map[string]any
	if err := json.Unmarshal(description, &doc); err != nil {
		panic(fmt.Sprintf("serve: openapi.json: %v", err)) // it is part of the program
	}
	doc["info"].(map[string]any)["description"] = fmt.Sprintf("The agent %s of the game %s.", s.agent, s.game.Spec().Name)
	position := doc["components"].(map[string]any)["schemas"].(map[string]any)["Position"].(map[string]any)
	position["example"] = json.RawMessage(engine.ExampleOf(s.game))
	write(w, http.StatusOK, doc)
}
