package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/play"
	"croupier/web/webtest"
)

func withHomes(o *Options) {
	homes := HomePage(standard.Games, champion)
	homes.API = map[string]http.Handler{"GET /api/person": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `[{"game": "bank", "what": "all", "games": 4, "won": 3, "unit": "wins"},
			{"game": "tysiac", "what": "all", "games": 1, "won": 1, "return": 0.5, "unit": "points"}]`)
	})}
	o.Global = []Page{homes, HelpPage(standard.Games)}
	o.Boards = standard.Games.Boards()
}

// champion is of a run of Pig.
func champion(_ context.Context, game engine.Game, run string) (*BestOfRun, error) {
	if run == "nowhere" {
		return nil, errors.New(`there is no run "nowhere"`)
	}
	if game.Spec().Name != "pig" {
		return nil, nil
	}
	return &BestOfRun{Run: "evening", Root: "/runs/evening/", Agent: "main@4", Rating: "31 (10 .. 52) Elo", Zero: "hold(20)", Games: 900}, nil
}

// Every game has a home with its rules in steps, its doors and its strongest agents, and the list leads to all of them.
func TestHomes(t *testing.T) {
	h, _ := handler(NewFeed(newTrial(t).bus, "bank-1", nil, quiet), withHomes)
	list := get(h, "GET", "/game/").Body.String()
	for _, entry := range standard.Games.Games() {
		require.Contains(t, list, `href="/game/`+entry.Name+`"`)
		page := get(h, "GET", "/game/"+entry.Name)
		require.Equal(t, http.StatusOK, page.Code, entry.Name)
		text := page.Body.String()
		require.Contains(t, text, `href="/play?game=`+entry.Name+`"`)
		require.Contains(t, text, `href="/help/games/`+entry.Name+`"`)
		require.Contains(t, text, `src="/assets/board-`+entry.Name+`.png"`)
		require.Contains(t, text, "croupier train "+entry.Name)
		require.Equal(t, len(entry.Steps), strings.Count(text[strings.Index(text, `class="steps"`):strings.Index(text, "All about")],
			"<li>"), entry.Name)
		require.Contains(t, text, "Who is best", entry.Name)
	}
	pig := get(h, "GET", "/game/pig?run=evening").Body.String()
	require.Contains(t, pig, `<b>main@4</b> of the run <a href="/runs/evening/">evening</a>`)
	require.Contains(t, pig, "rated 31 (10 .. 52) Elo, where 0 is hold(20)")
	require.Contains(t, pig, `<a href="/play?game=pig&amp;run=evening">Play it</a>`)
	require.NotContains(t, get(h, "GET", "/game/bank").Body.String(), `id="champion"`)
	require.Equal(t, http.StatusNotFound, get(h, "GET", "/game/pig?run=nowhere").Code)
	require.Contains(t, pig, `href="/play?game=pig&amp;run=evening"`)
	require.Contains(t, pig, `href="/advice?run=evening#game=pig"`)
	require.Contains(t, pig, `<span class="shown" data-dice>[4] [6] [3]</span>`)
	require.NotContains(t, get(h, "GET", "/game/kuhn").Body.String(), "/rules?", "its rules cannot be changed")
	require.NotContains(t, get(h, "GET", "/game/tysiac").Body.String(), "/companion", "nobody sees all of it")
	none := get(h, "GET", "/game/chess")
	require.Equal(t, http.StatusNotFound, none.Code)
	require.Contains(t, none.Body.String(), "unknown game &#34;chess&#34;")
}

// At every point of a game the view of each eye names the step of the rules that matters now, and every step that
// is about a stage matters at some point.
func TestRulesAtTheStage(t *testing.T) {
	h, _ := handler(NewFeed(newTrial(t).bus, "bank-1", nil, quiet), withHomes)
	for _, entry := range standard.Games.Games() {
		told := map[string]int{}
		page := get(h, "GET", "/game/"+entry.Name).Body.String()
		for _, step := range entry.Steps {
			for _, stage := range step.Stages {
				told[stage]++
				require.Equal(t, 1, strings.Count(page, ` id="rules-`+stage+`"`), "%s: %s", entry.Name, stage)
			}
		}
		game, err := entry.New(nil)
		require.NoError(t, err)
		s, rng, reached := game.NewState(), engine.NewRNG(1, 0), map[string]int{}
		for range 12 {
			s.Reset()
			for over := false; !over; {
				for _, eye := range []int{engine.Public, max(0, s.Player())} {
					stage := play.ViewOf(game, s, eye).(engine.Staged).Stage()
					require.Contains(t, told, stage, "%s at %v for %d", entry.Name, s, eye)
					reached[stage] = 1
				}
				over = s.Player() == engine.Terminal
				if s.Player() == engine.Chance {
					require.NoError(t, s.Apply(s.SampleChance(rng)))
				} else if !over {
					legal := s.LegalActions(nil)
					require.NoError(t, s.Apply(legal[rng.IntN(len(legal))]))
				}
			}
		}
		require.Equal(t, told, reached, "%s: what is told, once, and what is reached", entry.Name)
	}
}

// Dice and cards of the rules are drawn, and homes fit their windows.
func TestHomesInTheBrowser(t *testing.T) {
	t.Parallel()
	h, _ := handler(newTrial(t).follow(), withHomes)
	server := serveHandler(t, h, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1400, 900)
	for _, page := range []struct{ name, shown string }{
		{"tysiac", `document.querySelectorAll(".shown .card-face").length === 14 &&
			document.getElementById("record").textContent.startsWith("You have played one game: 0.50 points a game.")`},
		{"bank", `document.querySelectorAll(".shown svg.die").length === 8 &&
			document.getElementById("record").textContent.startsWith("You have won 3 of 4 games (75")`},
		{"", `document.querySelectorAll(".homes li").length === 9`},
	} {
		b.Scheme("light")
		b.Do(chromedp.Navigate("http://" + server.address + "/game/" + page.name))
		b.Until(page.shown)
		for _, w := range []window{{"360", 360, 800}, {"768", 768, 1024}, {"1000", 1000, 800}, {"1400", 1400, 900}, {"1900", 1900, 1000}} {
			b.Resize(w.width, w.height)
			b.Until("document.documentElement.scrollWidth <= innerWidth")
			b.Keep("home-" + page.name + "-" + w.name)
		}
		b.Axe()
		b.Scheme("dark")
		b.Keep("home-" + page.name + "-dark")
		b.Axe()
	}
	b.Clean()
}

// The navigation has three groups: the pages of the present one are shown, and the others are one click away.
func TestGroupsOfTheNavigation(t *testing.T) {
	t.Parallel()
	h, _ := handler(newTrial(t).follow(), withHomes)
	server := serveHandler(t, h, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1000, 800)
	const shown = `[...document.querySelectorAll("#pages a")].filter((a) => a.offsetParent).map((a) => a.textContent).join(" ")`
	b.Do(chromedp.Navigate("http://" + server.address + "/league"))
	b.Until(shown + ` === "Train Training League Cluster Play"`)
	b.Click(`nav a[href="/game/"]`)
	b.Until(`location.pathname === "/game/"`)
	b.Until(shown + ` === "Train Play Games"`)
	b.Resize(360, 800)
	b.Until(`document.readyState === "complete" && document.getElementById("menu").offsetParent !== null`)
	webtest.Evaluate[any](b, `document.getElementById("menu").click()`)
	b.Until(shown + ` === "Train Training League Cluster Play Games"`) // a phone lists all
	b.Axe()
	b.Clean()
}
