// Playing cards: drawn once as symbols, shown as SVG, held as a fan, moved by tap, drag and keys.
//
// A card is named as the games name it: a rank with the sign of its suit ("10♥", "K♠"), a rank or
// a number alone ("Q", "37"), or "" for a back. How a card looks follows from the name.
//
//   face("10♥")                          an <svg> of the card, as decoration
//   picture("10♥")                       the same with its name, for a card that lies on the table
//   words("10♥")                         "ten of hearts", for people who listen
//   fan(host, {label, play, target})     a hand: buttons that can be tapped, dragged and reached by keys
//
// Styles are in cards.css; what travels has the card's name as data-key (motion.js). An ancestor
// with data-suits="four" shows the suits in four colours.

import { style } from "./board.js";
import { h, s } from "./dom.js";

/** The signs of the suits, in the games' order. */
export const SUITS = ["♠", "♣", "♦", "♥"];
const SUIT_WORDS = ["spades", "clubs", "diamonds", "hearts"];
/** @type {Record<string, string>} */
const RANK_WORDS = { A: "ace", K: "king", Q: "queen", J: "jack", 10: "ten", 9: "nine" };

// Outlines of the suits in a square of 100; their shapes differ, so colour is not needed.
const PIPS = [
  "M50 4C55 23 93 43 93 66C93 79 83 86 73 86C65 86 58 82 54 75C55 84 58 91 65 96H35C42 91 45 84 46 75" +
    "C42 82 35 86 27 86C17 86 7 79 7 66C7 43 45 23 50 4Z",
  "M50 4A22 22 0 0 1 65 42A22 22 0 1 1 54 68C55 82 58 91 65 96H35C42 91 45 82 46 68A22 22 0 1 1 35 42A22 22 0 0 1 50 4Z",
  "M50 2C59 20 73 37 87 50C73 63 59 80 50 98C41 80 27 63 13 50C27 37 41 20 50 2Z",
  "M50 93C20 69 6 52 6 32C6 17 17 7 29 7C39 7 47 13 50 23C53 13 61 7 71 7C83 7 94 17 94 32C94 52 80 69 50 93Z",
];

/** Draws the symbols once into the page, and loads the styles. */
function prepare() {
  if (document.getElementById("card-symbols")) return;
  style("cards.css");
  const back = s("symbol", { id: "card-back", viewBox: "0 0 100 140" },
    s("rect", { class: "card-paper", x: 1, y: 1, width: 98, height: 138, rx: 9 }),
    s("rect", { class: "card-cloth", x: 7, y: 7, width: 86, height: 126, rx: 5 }),
    s("path", { class: "card-weave", d: weave() }));
  const pips = PIPS.map((d, i) => s("symbol", { id: `card-pip-${i}`, viewBox: "0 0 100 100" }, s("path", { d })));
  document.body.append(s("svg", { id: "card-symbols", class: "card-symbols", "aria-hidden": "true" }, back, pips));
}

/** The lattice on the backs. */
function weave() {
  let d = "";
  for (let x = 0; x < 6; x++) {
    for (let y = 0; y < 9; y++) {
      const [cx, cy] = [14.5 + 14.2 * x, 13.2 + 14.2 * y];
      d += `M${cx} ${cy - 4.5}L${cx + 4.5} ${cy}L${cx} ${cy + 4.5}L${cx - 4.5} ${cy}Z`;
    }
  }
  return d;
}

/**
 * split returns rank and suit of a card's name; suit is -1 for a card without one.
 * @param {string} name
 */
export function split(name) {
  const suit = SUITS.indexOf(name.slice(-1));
  return { rank: suit < 0 ? name : name.slice(0, -1), suit };
}

/**
 * words names a card for people who listen: "ten of hearts", "card 37", "a card face down".
 * @param {string} name
 */
export function words(name) {
  if (!name) return "a card face down";
  const { rank, suit } = split(name);
  if (suit >= 0) return `${RANK_WORDS[rank] ?? rank} of ${SUIT_WORDS[suit]}`;
  return /^\d+$/.test(rank) ? `card ${rank}` : RANK_WORDS[rank] ?? rank;
}

/** @param {string} href @param {Attributes} place */
function use(href, place) {
  const element = s("use", place);
  element.setAttributeNS("http://www.w3.org/1999/xlink", "href", href);
  element.setAttribute("href", href);
  return element;
}

/**
 * face draws a card, or a back for "". It is decoration: who shows it alone gives it a name
 * (aria-label with role="img"), as `picture` does.
 * @param {string} name
 * @param {{trump?: boolean, level?: number}} [options] trump: a thin gold edge; level: 0 to 1, how
 *   high a number is among its kind, drawn as a bar
 */
export function face(name, { trump = false, level } = {}) {
  prepare();
  const svg = s("svg", { class: "card-face", viewBox: "0 0 100 140", "aria-hidden": "true", focusable: "false" });
  if (!name) {
    svg.append(use("#card-back", { width: 100, height: 140 }));
    return svg;
  }
  const { rank, suit } = split(name);
  svg.classList.add(suit < 0 ? "plain" : `suit-${suit}`);
  svg.append(s("rect", { class: "card-paper", x: 1, y: 1, width: 98, height: 138, rx: 9 }));
  if (trump) svg.append(s("rect", { class: "gold", x: 3.5, y: 3.5, width: 93, height: 133, rx: 7 }));
  svg.append(corner(rank, suit), ...middle(rank, suit));
  if (level === undefined) svg.append(s("g", { transform: "rotate(180 50 70)" }, corner(rank, suit)));
  else {
    svg.append(s("rect", { class: "gauge", x: 14, y: 116, width: 72, height: 6, rx: 3 }),
      s("rect", { class: "ink", x: 14, y: 116, width: 72 * Math.min(1, Math.max(0, level)), height: 6, rx: 3 }));
  }
  return svg;
}

/** @param {string} rank @param {number} suit */
function corner(rank, suit) {
  const size = rank.length > 2 ? 20 : suit < 0 && rank.length > 1 ? 25 : 30;
  const narrow = rank === "10" ? { textLength: 28, lengthAdjust: "spacingAndGlyphs" } : {};
  const index = s("text", { class: "index", x: 8, y: 33, "font-size": size, ...narrow }, rank);
  return s("g", {}, index, suit >= 0 && use(`#card-pip-${suit}`, { x: 8, y: 39, width: 19, height: 19 }));
}

/** @param {string} rank @param {number} suit */
function middle(rank, suit) {
  const figure = "JQK".includes(rank);
  if (suit < 0) return [s("text", { class: "figure", x: 50, y: 88, "font-size": rank.length > 2 ? 38 : 50 }, rank)];
  if (!figure) {
    const size = rank === "A" ? 60 : 46;
    return [use(`#card-pip-${suit}`, { x: 50 - size / 2, y: 70 - size / 2, width: size, height: size })];
  }
  return [
    s("rect", { class: "frame", x: 31, y: 29, width: 38, height: 82, rx: 6 }),
    s("text", { class: "figure", x: 50, y: 78, "font-size": 46 }, rank),
    use(`#card-pip-${suit}`, { x: 41, y: 86, width: 18, height: 18 }),
  ];
}

/**
 * picture is a face with its name, for a card that lies on the table.
 * @param {string} name
 * @param {{trump?: boolean, level?: number, label?: string, key?: string}} [options] label: instead of
 *   its name; key: for motion, instead of its name
 */
export function picture(name, options = {}) {
  const element = h("span", { class: "card-picture", role: "img", "aria-label": options.label ?? words(name),
    "data-key": (options.key ?? name) || null });
  element.append(face(name, options));
  return element;
}

/**
 * @typedef {object} FanCard
 * @property {string} name as face has it
 * @property {number} [action] what playing it is
 * @property {boolean} [legal] true: it stands higher; false: it is dimmed, and can be tried all the same
 * @property {boolean} [chosen] stands out of the fan
 * @property {boolean} [trump]
 * @property {number} [level]
 * @property {string} [about] added to its name: "declares 100"
 * @property {string} [badge] a few letters on the card: "100"
 * @property {string} [from] data-key of where it comes from when it is new
 */

/**
 * @typedef {object} FanOptions
 * @property {string} label what the fan is: "Your hand"
 * @property {(card: FanCard) => void} play a card is tapped, or dropped on the target
 * @property {() => Element | null} [target] where cards are dropped; without it they are not dragged
 */

/**
 * fan shows a hand that can be played from. Cards lie in as few rows as leave 44 px of each to be
 * touched. Arrow keys go from card to card, Enter plays.
 * @param {HTMLElement} host
 * @param {FanOptions} options
 */
export function fan(host, options) {
  prepare();
  const group = h("div", { class: "fan", role: "group", "aria-label": options.label });
  host.append(group);
  /** @type {Map<string, {card: FanCard, button: HTMLButtonElement}>} */
  let held = new Map();
  const layout = () => spread(group, [...held.values()].map((e) => e.button));
  const watch = new ResizeObserver(layout); // of the cards as well: their size is in the style sheet
  watch.observe(group);
  group.addEventListener("keydown", (event) => walk(group, event));
  return {
    /** The element of the whole fan. */
    element: group,
    /** @param {FanCard[]} cards shows the hand, in this order */
    show(cards) {
      const focused = document.activeElement;
      const before = [...held.keys()].indexOf(focused instanceof HTMLElement ? focused.dataset.key ?? "" : "");
      const next = new Map();
      for (const card of cards) {
        const button = held.get(card.name)?.button ?? cardButton(card.name, options, () => held.get(card.name)?.card);
        watch.observe(button);
        next.set(card.name, { card, button });
        dress(button, card);
      }
      for (const [name, { button }] of held) if (!next.has(name)) watch.unobserve(button);
      group.replaceChildren(...[...next.values()].map((e) => e.button));
      held = next;
      layout();
      rove(group, focused, before);
    },
    /** @param {string} name the button of a card, or null */
    card: (name) => held.get(name)?.button ?? null,
    /** @param {number} action the button that plays it, or null */
    action: (action) => [...held.values()].find((e) => e.card.action === action)?.button ?? null,
    destroy() {
      watch.disconnect();
      group.remove();
    },
  };
}

/**
 * @param {string} name
 * @param {FanOptions} options
 * @param {() => FanCard | undefined} card
 */
function cardButton(name, options, card) {
  const button = h("button", { type: "button", class: "card-button", "data-key": name, tabindex: -1 });
  const play = () => {
    const now = card();
    if (now) options.play(now);
  };
  const dragged = options.target ? draggable(button, options.target, play) : () => false;
  button.addEventListener("click", (event) => {
    if (!dragged(event)) play();
  });
  return button;
}

/** @param {HTMLButtonElement} button @param {FanCard} card */
function dress(button, card) {
  const look = `${card.trump}|${card.level}|${card.badge}`;
  if (button.dataset.look !== look) {
    button.dataset.look = look;
    button.replaceChildren(face(card.name, card));
    if (card.badge) button.append(h("span", { class: "badge", "aria-hidden": "true" }, card.badge));
  }
  button.toggleAttribute("data-legal", card.legal === true);
  button.toggleAttribute("data-dim", card.legal === false);
  button.toggleAttribute("data-chosen", card.chosen ?? false);
  if (card.action === undefined) delete button.dataset.action;
  else button.dataset.action = String(card.action);
  if (card.from) button.dataset.from = card.from;
  const notes = [words(card.name), card.about, card.chosen && "chosen", card.legal === false && "not now"];
  button.setAttribute("aria-label", notes.filter(Boolean).join(", "));
}

const TOUCH = 44;

/**
 * Lays buttons out in rows that overlap like held cards.
 * @param {HTMLElement} group
 * @param {HTMLElement[]} buttons
 */
function spread(group, buttons) {
  const width = group.clientWidth;
  if (!width || !buttons.length) {
    group.style.height = buttons.length ? "" : "0";
    return;
  }
  const cardWidth = buttons[0].offsetWidth;
  const cardHeight = cardWidth * 1.4;
  const lift = cardHeight * 0.12;
  const fit = Math.max(1, Math.floor((width - cardWidth) / TOUCH) + 1);
  const rows = Math.ceil(buttons.length / fit);
  const each = Math.ceil(buttons.length / rows);
  const rowStep = rows > 2 ? Math.max(TOUCH, cardHeight * 0.55) : cardHeight * 0.72;
  buttons.forEach((button, i) => {
    const row = Math.floor(i / each);
    const count = Math.min(each, buttons.length - row * each);
    const step = count > 1 ? Math.min(Math.max(TOUCH, cardWidth * 0.78), (width - cardWidth) / (count - 1)) : 0;
    const place = i - row * each;
    const from = (width - cardWidth - step * (count - 1)) / 2;
    const off = place - (count - 1) / 2;
    const bend = rows === 1 && count > 2 ? off / count : 0;
    button.style.left = `${from + place * step}px`;
    button.style.top = `${lift + row * rowStep + bend * bend * cardHeight * 0.22}px`;
    button.style.setProperty("--turn", `${bend * 9}deg`);
    button.style.zIndex = String(i + 1);
  });
  group.style.height = `${lift * 1.6 + (rows - 1) * rowStep + cardHeight}px`;
}

/**
 * One card of a fan is reached by Tab: the one that had the focus, or the first that may be played.
 * @param {HTMLElement} group
 * @param {Element | null} focused
 * @param {number} place of the focused card in the fan before, or -1
 */
function rove(group, focused, place) {
  const buttons = /** @type {HTMLElement[]} */ ([...group.children]);
  let entry = buttons.find((b) => b === focused);
  if (!entry && place >= 0 && buttons.length) {
    entry = buttons[Math.min(place, buttons.length - 1)];
    entry.focus({ preventScroll: true });
  }
  entry ??= buttons.find((b) => b.hasAttribute("data-legal")) ?? buttons[0];
  for (const button of buttons) button.tabIndex = button === entry ? 0 : -1;
  if (entry && entry === focused) entry.focus({ preventScroll: true });
}

/** @param {HTMLElement} group @param {KeyboardEvent} event */
function walk(group, event) {
  const buttons = /** @type {HTMLElement[]} */ ([...group.children]);
  const at = buttons.findIndex((b) => b === document.activeElement);
  const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0,
    End: buttons.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  const next = buttons[(to + buttons.length) % buttons.length];
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next.focus();
}

/**
 * Lets an element be dragged onto a target. It returns a function that reports whether a click was the end
 * of a drag.
 * @param {HTMLElement} element
 * @param {() => Element | null} target
 * @param {() => void} drop
 */
function draggable(element, target, drop) {
  const FAR = 8; // pixels: less is a tap
  const ANSWER = 500; // ms
  let from = /** @type {{x: number, y: number} | null} */ (null);
  let moving = false;
  const over = (/** @type {PointerEvent} */ event) => {
    const box = target()?.getBoundingClientRect();
    return !!box && event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top &&
      event.clientY <= box.bottom;
  };
  const back = () => {
    element.removeAttribute("data-dragged");
    element.style.translate = "";
  };
  const stop = () => {
    from = null;
    target()?.removeAttribute("data-over");
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = { x: event.clientX, y: event.clientY };
    moving = false;
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    if (!moving && Math.hypot(x, y) < FAR) return;
    moving = true;
    element.setAttribute("data-dragged", "");
    element.style.translate = `${x}px ${y}px`;
    target()?.toggleAttribute("data-over", over(event));
  });
  element.addEventListener("pointerup", (event) => {
    if (!from) return;
    const dropped = moving && over(event);
    stop();
    if (!dropped) {
      back();
      return;
    }
    setTimeout(back, ANSWER); // it lies where it was dropped until the server has answered
    drop();
  });
  element.addEventListener("pointercancel", () => {
    stop();
    back();
  });
  // A click of the pointer comes after a press, which ends what was before; a key's has no count.
  return (/** @type {MouseEvent} */ click) => moving && click.detail > 0;
}
