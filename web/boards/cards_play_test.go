package boards_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/games/tysiac"
	"croupier/games/tysiac/cards"
	"croupier/web/webtest"
)

// clicks clicks what a selector finds first, and reports whether there was something.
func clicks(b *webtest.Browser, selector string) bool {
	return webtest.Evaluate[bool](b, fmt.Sprintf(`(() => {
		const found = document.querySelector(%q);
		found?.click();
		return Boolean(found);
	})()`, "#board "+selector))
}

func doing(action int) string { return fmt.Sprintf(`[data-action="%d"]`, action) }

// chooseByClicks makes an action of Tysiąc as a person would, and returns what the board asked for.
func chooseByClicks(t *testing.T, b *webtest.Board, action int) []int {
	t.Helper()
	switch {
	case action == tysiac.Bomb:
		require.True(t, clicks(b.Browser, "[data-asks]"))
		require.Empty(t, b.Acted(), "a bomb is asked for again")
	case action != tysiac.Pass && action < tysiac.Challenge, action >= tysiac.Announce && action < tysiac.Play:
		for range 40 {
			if webtest.Evaluate[bool](b.Browser, `document.querySelector('.stepper `+doing(action)+`') !== null`) {
				break
			}
			require.True(t, clicks(b.Browser, `.stepper [aria-label="more"]`))
		}
	case action >= tysiac.Play:
		card := action - tysiac.Play
		if action >= tysiac.Declare {
			card = (action-tysiac.Declare)/2*cards.Ranks + cards.King - (action-tysiac.Declare)%2
		}
		require.True(t, clicks(b.Browser, fmt.Sprintf(`[data-key=%q]`, cards.Name(card))))
		if acted := b.Acted(); len(acted) > 0 {
			return acted
		}
		require.True(t, clicks(b.Browser, ".question "+doing(action)), "the board asks whether to declare")
		return b.Acted()
	}
	require.True(t, clicks(b.Browser, doing(action)), b.State.ActionName(action))
	return b.Acted()
}

// returnByClicks returns two cards: the board sends the second once it knows that the first is gone.
func returnByClicks(t *testing.T, b *webtest.Board, rng *engine.RNG) {
	t.Helper()
	first := pick(b.Legal(), rng)
	later := b.State.Clone()
	require.NoError(t, later.Apply(first))
	second := pick(later.LegalActions(nil), rng)
	require.True(t, clicks(b.Browser, doing(second)))
	require.True(t, clicks(b.Browser, doing(first)))
	require.Empty(t, b.Acted(), "cards are chosen before they are returned")
	require.True(t, clicks(b.Browser, "[data-returns]"))
	require.Equal(t, []int{first}, b.Acted(), "the lower one first")
	b.Play(first)
	require.Equal(t, []int{second}, slices.Compact(b.Acted()))
	b.Play(second)
	b.Acted() // it may have been asked for again
}

func pick(actions []int, rng *engine.RNG) int { return actions[rng.IntN(len(actions))] }

// A whole hand of Tysiąc by clicks: every legal action has its element, cards that may be played stand
// out and no others, and what is clicked is what is asked for.
func TestTysiacByClicks(t *testing.T) {
	t.Parallel()
	g, err := standard.Games.New("tysiac-hand",
		[]byte("{hand: {dealer: 1}, bombing: {enabled: true}, trick_rules: {follower_melds: true}}"))
	require.NoError(t, err)
	b := webtest.NewBoard(t, 360, 800, g, 0)
	rng := engine.NewRNG(7, 0)
	decisions := 0
	for _, bombed := range []bool{false, true} {
		b.State.Reset()
		b.Show()
		for b.State.Player() != engine.Terminal {
			if b.State.Player() != 0 {
				b.Play(next(b.State, rng))
				continue
			}
			decisions++
			legal := b.Legal()
			for _, action := range legal {
				if action > legal[0] && legal[0] >= tysiac.Announce && legal[0] < tysiac.Play {
					break // one contract at a time is in the stepper
				}
				found := webtest.Evaluate[bool](b.Browser, fmt.Sprintf(`board.element(%d) !== null`, action))
				require.True(t, found, b.State.ActionName(action))
			}
			requireRaised(t, b, legal)
			switch action := pick(legal, rng); {
			case slices.Contains(legal, tysiac.Bomb):
				action = tysiac.PlayOn
				if bombed {
					action = tysiac.Bomb
				}
				require.Equal(t, []int{action}, chooseByClicks(t, b, action))
				b.Play(action)
			case legal[0] >= tysiac.Return && legal[0] < tysiac.Announce:
				returnByClicks(t, b, rng)
			default:
				if legal[0] == tysiac.Pass {
					action = legal[len(legal)-1] // plays
				}
				require.Equal(t, []int{action}, chooseByClicks(t, b, action), b.State.ActionName(action))
				b.Play(action)
			}
		}
		require.Equal(t, "over", webtest.Evaluate[string](b.Browser, `document.querySelector(".tysiac").dataset.phase`))
		require.Zero(t, webtest.Evaluate[int](b.Browser, `document.querySelectorAll("#board .moves button").length`))
	}
	require.Greater(t, decisions, 15)
	b.Clean()
}

// next is a random step of others and of chance.
func next(s engine.State, rng *engine.RNG) int {
	if s.Player() == engine.Chance {
		return s.SampleChance(rng)
	}
	legal := s.LegalActions(nil)
	if legal[0] == tysiac.Pass {
		return tysiac.Pass
	}
	return pick(legal, rng)
}

// requireRaised: in the play, the cards that stand out are those that may be played.
func requireRaised(t *testing.T, b *webtest.Board, legal []int) {
	t.Helper()
	if legal[0] < tysiac.Play {
		return
	}
	var want []int
	for _, action := range legal {
		if action < tysiac.Declare {
			want = append(want, action)
		}
	}
	require.Equal(t, want, actionsOf(b, ".hand [data-legal]"))
}

// actionsOf returns the actions of the elements that a selector finds, ascending.
func actionsOf(b *webtest.Board, selector string) []int {
	actions := webtest.Evaluate[[]int](b.Browser,
		fmt.Sprintf(`[...document.querySelector("#board").querySelectorAll(%q)].map((e) => Number(e.dataset.action))`,
			selector))
	slices.Sort(actions)
	return actions
}

// A finished trick lies on the table until the next card is led, and can be looked at after that.
func TestTrickCanBeLookedAt(t *testing.T) {
	t.Parallel()
	b := tysiacScene("", 1, after(toTheLead, "play Q♥ and declare 100", "play A♥")...).open(t, 360)
	lie := func(where string) string {
		return webtest.Evaluate[string](b.Browser,
			fmt.Sprintf(`[...document.querySelectorAll("#board %s .card-picture")].map((e) => e.ariaLabel).join()`, where))
	}
	require.Equal(t, "ace of hearts,queen of hearts", lie(".trick"))
	require.Contains(t, webtest.Evaluate[string](b.Browser, `document.querySelector("#board .trick").innerText`),
		"wins 14")
	b.Play(named(t, b.State, "play 9♦"))
	require.Equal(t, "nine of diamonds", lie(".trick"))
	require.True(t, clicks(b.Browser, ".last-trick summary"))
	require.Equal(t, "queen of hearts,ace of hearts", lie(".last-trick"))
	b.Clean()
}

// A tap on a card that may not be played is asked for as well: the server says which rule forbids it.
func TestDimmedCardIsAskedFor(t *testing.T) {
	t.Parallel()
	b := tysiacScene("", 0, after(toTheLead, "play Q♥ and declare 100")...).open(t, 360)
	require.True(t, clicks(b.Browser, `[data-key="K♠"][data-dim]`))
	acted := b.Acted()
	require.Len(t, acted, 1)
	require.NotContains(t, b.Legal(), acted[0])
	require.ErrorContains(t, b.State.Apply(acted[0]), "you hold a heart and must follow")
	b.Clean()
}

type point struct{ X, Y float64 }

// centre is where an element can be taken hold of.
func centre(b *webtest.Board, selector string) point {
	return webtest.Evaluate[point](b.Browser, fmt.Sprintf(`(() => {
		const { x, y, width, height } = document.querySelector(%q).getBoundingClientRect();
		return { X: x + Math.min(20, width / 2), Y: y + height / 2 };
	})()`, "#board "+selector))
}

// dragByMouse and dragByFinger drag from one point to another.
func dragByMouse(b *webtest.Board, from, to point) {
	for _, e := range []struct {
		kind input.DispatchMouseEventType
		at   point
	}{
		{input.DispatchMouseEventTypeMousePressed, from},
		{input.DispatchMouseEventTypeMouseMoved, point{(from.X + to.X) / 2, (from.Y + to.Y) / 2}},
		{input.DispatchMouseEventTypeMouseMoved, to},
		{input.DispatchMouseEventTypeMouseReleased, to},
	} {
		b.Do(chromedp.MouseEvent(e.kind, e.at.X, e.at.Y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
}

func dragByFinger(b *webtest.Board, from, to point) {
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
			return err
		}))
	}
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: from.X, Y: from.Y})
	touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: (from.X + to.X) / 2, Y: (from.Y + to.Y) / 2})
	touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: to.X, Y: to.Y})
	touch(input.DispatchTouchEventTypeTouchEnd)
}

// busy has the page work for 150 ms at the end of each touch, as a slow machine does.
func busy(b *webtest.Board) {
	webtest.Evaluate[bool](b.Browser, `addEventListener("pointerup", ({ timeStamp }) => {
		while (performance.now() < timeStamp + 150);
	}, true), true`)
}

// A card is dragged to the middle of the table, by mouse or finger; dropped elsewhere it goes back.
func TestCardIsDragged(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		scene        scene
		width        int64
		drag         func(b *webtest.Board, from, to point)
		card, action string
	}{
		{tysiacScene("", 1, toTheLead...), 768, dragByMouse, "A♠", "play A♠"},
		{tysiacScene("", 1, toTheLead...), 360, dragByFinger, "A♠", "play A♠"},
		{scene{"", "bank-cards", "", 0, bankDeal, nil}, 768, dragByMouse, "31", "play 31"},
	} {
		b := tc.scene.open(t, tc.width)
		busy(b)
		card, middle := centre(b, fmt.Sprintf(`.hand [data-key=%q]`, tc.card)), centre(b, ".middle")
		tc.drag(b, card, point{middle.X, 5})
		require.Empty(t, b.Acted(), "dropped outside")
		tc.drag(b, card, middle)
		action, err := engine.ActionNamed(b.State, tc.action, "")
		require.NoError(t, err)
		require.Equal(t, []int{action}, b.Acted(), "once, not by the click at the end as well")
		b.Clean()
	}
}

// A marriage asks whether to declare it, and Escape takes the question back.
func TestMarriageAsks(t *testing.T) {
	t.Parallel()
	b := tysiacScene("", 1, toTheLead...).open(t, 360)
	require.True(t, clicks(b.Browser, `[data-key="K♥"]`))
	require.Contains(t, webtest.Evaluate[string](b.Browser, `document.querySelector("#board [role=dialog]").innerText`),
		"king of hearts")
	require.Equal(t, "Declare 100", webtest.Evaluate[string](b.Browser, `document.activeElement.textContent`))
	b.Axe()
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`document.querySelector("#board [role=dialog]") === null`)
	require.Empty(t, b.Acted())
	require.True(t, clicks(b.Browser, `[data-key="K♥"]`))
	b.Do(chromedp.KeyEvent(kb.Enter))
	action, err := engine.ActionNamed(b.State, "play K♥ and declare 100", "")
	require.NoError(t, err)
	require.Equal(t, []int{action}, b.Acted())
	b.Clean()
}

// By keyboard alone: a bid with the stepper's slider, then a card of the fan.
func TestTysiacByKeyboard(t *testing.T) {
	t.Parallel()
	b := tysiacScene("", 1, "bid 100", "bid 130").open(t, 768)
	tab := func(until string) {
		for range 20 {
			b.Do(chromedp.KeyEvent(kb.Tab))
			if webtest.Evaluate[bool](b.Browser, until) {
				return
			}
		}
		require.Fail(t, "Tab never reaches it", until)
	}
	tab(`document.activeElement.matches("input[type=range]")`)
	b.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	tab(`document.activeElement.textContent === "Bid 160"`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	bid, err := engine.ActionNamed(b.State, "bid 160", "")
	require.NoError(t, err)
	require.Equal(t, []int{bid}, b.Acted())

	b.State.Reset()
	sc := tysiacScene("", 1, toTheLead...)
	sc.show(t, b)
	tab(`document.activeElement.closest(".fan") !== null`)
	b.Do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.Enter))
	play, err := engine.ActionNamed(b.State, "play 10♠", "")
	require.NoError(t, err)
	require.Equal(t, []int{play}, b.Acted())
	b.Play(play)
	require.NotEqual(t, "BODY", webtest.Evaluate[string](b.Browser, `document.activeElement.tagName`),
		"the focus stays on the board")
	b.Clean()
}

// A whole game of BANK! cards by clicks.
func TestBankCardsByClicks(t *testing.T) {
	t.Parallel()
	g, err := standard.Games.New("bank-cards", []byte("{players: 3, deck: 20, hand: 3}"))
	require.NoError(t, err)
	b := webtest.NewBoard(t, 360, 800, g, 0)
	rng := engine.NewRNG(3, 0)
	for steps := 0; b.State.Player() != engine.Terminal && steps < 120; steps++ {
		if b.State.Player() != 0 {
			s := b.State
			step := 0
			if s.Player() == engine.Chance {
				step = s.SampleChance(rng)
			} else {
				step = pick(s.LegalActions(nil), rng)
			}
			b.Play(step)
			continue
		}
		legal := b.Legal()
		require.Equal(t, legal, actionsOf(b, "[data-action]:not(.card-button), [data-legal]"))
		action := pick(legal, rng)
		require.True(t, clicks(b.Browser, doing(action)))
		require.Equal(t, []int{action}, b.Acted())
		b.Play(action)
	}
	b.Clean()
}

// Four colours are a setting; what hidden hands show are backs.
func TestSuitsInFourColours(t *testing.T) {
	t.Parallel()
	b := tysiacScene("", 0).open(t, 360)
	colour := func() string {
		return webtest.Evaluate[string](
			b.Browser, `getComputedStyle(document.querySelector('#board [data-key="K♣"] svg')).color`)
	}
	before := colour()
	webtest.Evaluate[any](b.Browser, `Object.assign(settings, { fourColours: true })`)
	b.Show()
	require.NotEqual(t, before, colour())
	require.Equal(t, 10, webtest.Evaluate[int](b.Browser, `document.querySelectorAll("#board .backs svg").length`))
	b.Clean()
}
