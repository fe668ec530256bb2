package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"reflect"

	"go.yaml.in/yaml/v3"

	"croupier/catalog"
	"croupier/engine"
	"croupier/play"
)

// RulesPage is the page on which the rules of a game are put together. It keeps nothing: rules are saved
// as a file by the browser, and travel in links.
func RulesPage(games *catalog.Catalog, log *slog.Logger) Page {
	a := &rulesAPI{games: games, log: log.With("role", "web")}
	return Page{
		Name: "rules", Path: "/rules", Title: "Rules", Topic: "guide/play", Template: ownTemplate("rules"),
		API: map[string]http.Handler{
			"GET /api/rules":  http.HandlerFunc(a.list),
			"POST /api/rules": http.HandlerFunc(a.check),
		},
	}
}

type rulesAPI struct {
	games *catalog.Catalog
	log   *slog.Logger
}

// ruledGame is a game whose rules can be changed.
type ruledGame struct {
	Game    string       `json:"game"`
	Title   string       `json:"title"` // for people
	Summary string       `json:"summary"`
	Default any          `json:"default"` // rules
	Rules   []ruleView   `json:"rules"`
	Presets []presetView `json:"presets"`
}

// ruleView is an engine.Rule.
type ruleView struct {
	Key    string   `json:"key"`
	Help   string   `json:"help"`
	Low    int      `json:"low"`
	High   int      `json:"high"`
	Values []string `json:"values"`
}

type presetView struct {
	Name  string `json:"name"`
	Help  string `json:"help"`
	Rules any    `json:"rules"` // all of them
}

// list answers with the games whose rules can be changed, and how.
func (a *rulesAPI) list(w http.ResponseWriter, _ *http.Request) {
	list := []ruledGame{}
	for _, entry := range a.games.Games() {
		game, err := ruled(entry)
		if err != nil {
			a.log.Error("Cannot describe rules", "game", entry.Name, "error", err)
			http.Error(w, "cannot describe the rules", http.StatusInternalServerError)
			return
		}
		if game != nil {
			list = append(list, *game)
		}
	}
	writeJSON(w, a.log, list)
}

// ruled describes the rules of a game, nil if nothing can be changed.
func ruled(entry catalog.Game) (*ruledGame, error) {
	g, err := entry.New(nil)
	if err != nil {
		return nil, err
	}
	book := g.Spec().Rules
	if book == nil {
		return nil, nil
	}
	spec := g.Spec()
	view := &ruledGame{
		Game: entry.Name, Title: spec.Title, Summary: spec.Summary, Default: g.Rules(), Presets: []presetView{},
	}
	for _, r := range book.Rules {
		view.Rules = append(view.Rules, ruleView{r.Key, r.Help, r.Low, r.High, append([]string{}, r.Values...)})
	}
	for _, p := range book.Presets {
		preset, err := entry.New([]byte(p.Document))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		view.Presets = append(view.Presets, presetView{p.Name, p.Help, preset.Rules()})
	}
	return view, nil
}

// ruleQuestion asks whether rules are possible. They are text, YAML or JSON, so that what is wrong with a
// file is found as it stands there.
type ruleQuestion struct {
	Game  string `json:"game"`
	Rules string `json:"rules"`
}

// checkedRules are possible rules.
type checkedRules struct {
	Rules any `json:"rules"` // all of them
	// Document holds in YAML what differs from the game's own rules: a file for --rules.
	Document string `json:"document"`
	// Caution is what people must know before they play by them; "" for nothing.
	Caution string `json:"caution,omitempty"`
}

// check answers whether rules are possible.
func (a *rulesAPI) check(w http.ResponseWriter, r *http.Request) {
	var q ruleQuestion
	if !readQuestion(w, r, &q) {
		return
	}
	game, err := a.games.Table(q.Game, []byte(q.Rules))
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err)
		return
	}
	document, err := rulesFile(a.games, game)
	if err != nil {
		a.log.Error("Cannot write rules", "game", q.Game, "error", err)
		http.Error(w, "cannot write the rules", http.StatusInternalServerError)
		return
	}
	writeJSON(w, a.log, checkedRules{game.Rules(), document, play.Caution(a.games, game)})
}

// rulesFile writes the rules of a game that differ from those it has by itself.
func rulesFile(games *catalog.Catalog, g engine.Game) (string, error) {
	usual, err := games.New(g.Spec().Name, nil)
	if err != nil {
		return "", err
	}
	own, err := asMap(g.Rules())
	if err != nil {
		return "", err
	}
	defaults, err := asMap(usual.Rules())
	if err != nil {
		return "", err
	}
	text, err := yaml.Marshal(different(own, defaults))
	return fmt.Sprintf("# %s: the rules that differ from the usual ones\n%s", g.Spec().Name, text), err
}

// asMap returns rules as they are written in YAML.
func asMap(rules any) (map[string]any, error) {
	document, err := yaml.Marshal(rules)
	if err != nil {
		return nil, err
	}
	var decoded map[string]any
	return decoded, yaml.Unmarshal(document, &decoded)
}

// different returns the entries of a that b has otherwise.
func different(a, b map[string]any) map[string]any {
	result := map[string]any{}
	for key, value := range a {
		inner, nested := value.(map[string]any)
		if other, ok := b[key].(map[string]any); ok && nested {
			if some := different(inner, other); len(some) > 0 {
				result[key] = some
			}
		} else if !reflect.DeepEqual(value, b[key]) {
			result[key] = value
		}
	}
	return result
}
