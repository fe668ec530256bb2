package web

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"

	"croupier/catalog"
	"croupier/docs"
	"croupier/engine"
	"croupier/play"
)

// BestOfRun is the best version of a run.
type BestOfRun struct {
	Run    string
	Name   string // that people gave the run; "": none
	Root   string // address of the run's pages
	Agent  string
	Rating string // with its interval and unit
	Zero   string // agent whose rating is 0
	Games  uint64 // that it has played
}

// Champions finds the best version of a run at a game: of the named one, of the one that the server is about, or of the
// newest; nil if there is none, or it is of another game.
type Champions func(ctx context.Context, game engine.Game, run string) (*BestOfRun, error)

// HomePage has a home for each game: its rules in steps, the strongest agents, one's own record, and the doors to all
// that can be done with it. /game/ lists the games. champions may be nil.
func HomePage(games *catalog.Catalog, champions Champions) Page {
	return Page{
		Name: "game", Path: "/game/{name...}", Title: "Games", Group: Playing, Topic: "guide/play",
		Template: ownTemplate("game"),
		Content: func(r *http.Request) (Content, error) {
			run := r.URL.Query().Get("run")
			if name := r.PathValue("name"); name != "" {
				h, err := homeOf(games, name, run)
				if err == nil && champions != nil {
					h.Champion, err = champions(r.Context(), h.game, run)
				}
				return Content{Title: h.Title, Data: homes{Home: h}}, err
			}
			list := homes{}
			for _, entry := range games.Games() {
				h, err := homeOf(games, entry.Name, run)
				if err != nil {
					return Content{}, err
				}
				list.All = append(list.All, h)
			}
			return Content{Title: "Games", Data: list}, nil
		},
	}
}

// homes is the home of one game, or a list of all.
type homes struct {
	Home *home
	All  []*home
}

// home is what the home of a game shows.
type home struct {
	Name, Title, Summary string
	Address, Picture     string // Picture "": there is none
	Seats                string
	Doors                []door
	Steps                []catalog.Step
	Rules                []engine.Rule
	Best                 []ranked // the strongest first
	Among                string   // how Best was found
	Champion             *BestOfRun
	Manual               string // address of the document about the game

	game engine.Game
}

// PlayAddress is where people play against the version.
func (b *BestOfRun) PlayAddress(game string) string {
	return "/play?" + url.Values{"run": {b.Run}, "game": {game}}.Encode()
}

// door leads to something that can be done with the game.
type door struct{ Title, About, Href string }

// ranked is an agent with what it got at worst.
type ranked struct{ Name, Kind, Worst string }

// mostRanked bounds the agents in a home.
const mostRanked = 4

// homeOf describes a game for its home. run is the run from which one comes, "" for none.
func homeOf(games *catalog.Catalog, name, run string) (*home, error) {
	entry, err := games.Find(name)
	if err != nil {
		return &home{}, err
	}
	game, err := games.New(name, nil)
	if err != nil {
		return &home{}, err
	}
	p := play.Describe(entry, game)
	h := &home{Name: name, Title: p.Title, Summary: p.Summary, Seats: fmt.Sprint(p.Fewest), Steps: entry.Steps,
		Address: "/game/" + url.PathEscape(name), game: game}
	if p.Fewest < p.Most {
		h.Seats = fmt.Sprintf("%d to %d", p.Fewest, p.Most)
	}
	if run != "" {
		h.Address += "?run=" + url.QueryEscape(run)
	}
	picture := "board-" + name + ".png"
	if _, err := fs.Stat(docs.Images(), picture); err == nil {
		h.Picture = "/assets/" + picture
	}
	if entry.Manual != nil {
		h.Manual = "/help/games/" + name
	}
	if book := game.Spec().Rules; book != nil {
		h.Rules = book.Rules
	}
	h.addDoors(entry, game, p.Entered, run)
	return h, h.addBest(entry, game)
}

// addDoors adds what can be done with the game here.
func (h *home) addDoors(entry catalog.Game, game engine.Game, entered bool, run string) {
	about := url.Values{"game": {h.Name}}
	place := ""
	if run != "" {
		about.Set("run", run)
		place = "?run=" + url.QueryEscape(run)
	}
	anchor := "#game=" + url.QueryEscape(h.Name)
	h.Doors = append(h.Doors, door{"Play", "against agents, friends or both", "/play?" + about.Encode()})
	if entry.Comparison != nil {
		h.Doors = append(h.Doors, door{"Drill", "decisions to practise on", "/drill" + place + anchor})
	}
	if _, asks := game.(engine.Positioned); asks {
		h.Doors = append(h.Doors, door{"Ask", "what each move of a position is worth", "/advice" + place + anchor})
	}
	if entered {
		h.Doors = append(h.Doors, door{"Companion", "for a game on a real table", "/companion" + place + anchor})
	}
	if h.Rules != nil {
		h.Doors = append(h.Doors, door{"Rules", "change them", "/rules?" + url.Values{"game": {h.Name}}.Encode()})
	}
}

// addBest adds the strongest agents, by the comparison that comes with the program.
func (h *home) addBest(entry catalog.Game, game engine.Game) error {
	if entry.Comparison == nil {
		return nil
	}
	c, _, err := entry.Compared(game)
	if err != nil {
		return err
	}
	for _, a := range c.Agents[:min(mostRanked, len(c.Agents))] {
		worst := a.Worst.Write(c.Unit, game.Spec().Coin)
		h.Best = append(h.Best, ranked{a.Name, a.Kind, fmt.Sprintf("%s among %s", worst, a.Worst.Among)})
	}
	h.Among = fmt.Sprintf("What each got alone among copies of the agent against which it fares worst, in %d games, with "+
		"95 %% intervals.", c.Games)
	return nil
}
