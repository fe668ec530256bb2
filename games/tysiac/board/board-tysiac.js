// The board of Tysiąc, the whole game and one hand of it.

import { style } from "./board.js";
import { face, fan, split, SUITS, words } from "./cards.js";
import { h } from "./dom.js";
import { bump, flip } from "./motion.js";
import {
  bombs, conversation, hands, ladder, lastTrick, meld, musiks, results, stepper, suitSign, thermometer, trick, waiting,
} from "./tysiac-parts.js";
import { editor } from "./tysiac-editor.js";

/** @typedef {import("./tysiac-parts.js").View} View */
/** @typedef {import("./cards.js").FanCard} FanCard */

const SUIT_ORDER = [0, 2, 1, 3]; // black and red alternate
const BUSY = 250; // ms after which the second returned card is sent again
const RANKS = ["A", "10", "K", "Q", "J", "9"];

/** @param {string} name */
function place(name) {
  const { rank, suit } = split(name);
  return SUIT_ORDER.indexOf(suit) * RANKS.length + RANKS.indexOf(rank);
}

/** @type {Board} */
export const board = { mount: (host, table) => new TysiacBoard(host, table), editor };

/** @implements {MountedBoard} */
class TysiacBoard {
  /** @param {HTMLElement} host @param {Table} table */
  constructor(host, table) {
    style("cards.css");
    style("tysiac.css");
    this.host = host;
    this.table = table;
    /** @type {Show | null} */
    this.shown = null;
    /** Cards chosen to be returned, by name. @type {Set<string>} */
    this.chosen = new Set();
    /** The second card to return, sent once the first has been. @type {number | null} */
    this.second = null;
    this.again = 0;
    /** Hands that have ended while this board looked on, newest first. @type {Map<number,
     *   import("./tysiac-parts.js").Ended>} */
    this.ended = new Map();
    this.top = h("section", { class: "side other" });
    this.middle = h("div", { class: "middle" });
    this.left = h("div", { class: "info" });
    this.scores = h("section", { class: "scores", "aria-label": "Scores" });
    this.controls = h("div", { class: "moves", role: "group", "aria-label": "Your move", tabindex: -1 });
    this.own = h("section", { class: "side own" });
    const hand = h("div", { class: "hand" });
    this.root = h("div", { class: "tysiac" }, h("div", { class: "felt" }, this.top, this.left, this.middle,
      this.scores),
      this.controls, this.own, hand);
    host.append(this.root);
    this.fan = fan(hand, { label: "Your hand", play: (card) => this.take(card), target: () => this.middle });
    this.otherFan = fan(h("div"), { label: "The other hand", play: (card) => this.take(card),
      target: () => this.middle });
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.dialog) this.ask(null);
    });
  }

  /** The view that is shown. @returns {View} */
  get view() { return this.shown?.view; }

  /** The seat at the bottom of the board. */
  get bottom() { return Math.max(0, this.shown?.eye ?? 0); }

  /** @param {number} seat */
  name(seat) { return seat === this.shown?.eye ? "You" : this.shown?.seats[seat]?.name ?? `Seat ${seat + 1}`; }

  /** @param {number} action */
  legal(action) { return this.shown?.actions.some((a) => a.action === action) ?? false; }

  /** @param {Show} show @param {Show} [previous] */
  show(show, previous) {
    const before = this.shown;
    this.shown = show;
    this.root.toggleAttribute("data-turn", show.actions.length > 0);
    this.root.dataset.phase = this.view.phase;
    this.root.dataset.motion = this.table.settings.motion ? "on" : "off";
    if (this.table.settings.fourColours) this.root.dataset.suits = "four";
    else delete this.root.dataset.suits;
    if (this.view.ended) this.ended.set(this.view.ended.hand, this.view.ended);
    if (this.view.phase !== "return" || this.view.hand !== before?.view.hand) this.chosen.clear();
    const focused = this.root.contains(document.activeElement);
    const last = this.view.tricks.at(-1);
    flip(this.root, () => this.draw(), { motion: this.table.settings.motion && !!previous }, {
      to: (key) => (last?.cards.some((c) => c.card === key) ? `won-${last.winner}` : null),
    });
    if (focused && !this.root.contains(document.activeElement)) this.refocus();
    if (previous) this.react(previous);
    this.returnSecond();
  }

  // Sounds, and scores that swell as they change.
  /** @param {Show} previous */
  react(previous) {
    const [was, is] = [/** @type {View} */ (previous.view), this.view];
    if (is.tricks.length > was.tricks.length) this.table.settings.sound("trick");
    else if (is.trick.length > was.trick.length || is.tricks.length < was.tricks.length) this.table.settings.sound(
      "card");
    is.seats.forEach((seat, i) => {
      const shown = this.scores.querySelector(`[data-key="score-${i}"]`);
      if (shown && seat.score !== was.seats[i].score) bump(shown, this.table.settings);
    });
    const over = this.shown?.over;
    if (over && !previous.over && this.shown && this.shown.eye >= 0) {
      this.table.settings.sound(over.returns[this.shown.eye] >= 0 ? "win" : "lose");
    }
  }

  refocus() {
    const next = this.controls.querySelector("button:not([disabled])") ?? this.fan.element.querySelector(
      "[data-legal]");
    (next instanceof HTMLElement ? next : this.controls).focus({ preventScroll: true });
  }

  draw() {
    const other = 1 - this.bottom;
    this.drawSide(this.top, other);
    this.drawSide(this.own, this.bottom);
    this.left.replaceChildren(...this.info());
    this.middle.replaceChildren(...this.centre());
    const spoken = this.middle.querySelector(".conversation");
    if (spoken) spoken.scrollTop = spoken.scrollHeight;
    this.scores.replaceChildren(...[other, this.bottom].map((seat) => thermometer(this.name(seat), this.view, seat)));
    this.fan.show(this.cardsOf(this.bottom));
    this.dialog = null;
    this.controls.replaceChildren(...this.moves());
  }

  // One player's line: name, role, bombs, points, tricks won; the other's hand.
  /** @param {HTMLElement} side @param {number} seat */
  drawSide(side, seat) {
    const v = this.view;
    const s = v.seats[seat];
    const inPlay = v.phase === "play" || (v.phase === "over" && v.tricks.length > 0);
    const won = v.tricks.filter((t) => t.winner === seat).length;
    side.setAttribute("aria-label", this.name(seat));
    side.toggleAttribute("data-mover", v.mover === seat);
    side.replaceChildren(h("header", {},
      h("span", { class: "name" }, this.name(seat)),
      v.dealer === seat && h("span", { class: "tag", title: "deals this hand" }, "dealer"),
      v.playing === seat && h("span", { class: "tag plays" }, v.contract > 0 ? `plays for ${v.contract}` : "plays"),
      bombs(s.bombs),
      
      s.declared.length > 0 && h("span", { class: "melds", title: "declared" },
        s.declared.map((suit) => [suitSign(suit), `${meld(suit)} `])),
      inPlay && h("span", { class: "points", title: "tricks and melds of this hand" }, h("b", {}, `${s.points}`),
        h("span", { class: "word" }, " points")),
      h("span", { class: "won", "data-key": `won-${seat}`, role: "img", "aria-label": `${won} tricks won`,
        hidden: !inPlay },
        h("i", { "aria-hidden": "true" }), ` ${won}`)));
    if (seat === this.bottom && s.hand.length > 0) return; // in the fan below
    if (s.hand.length > 0) {
      side.append(this.otherFan.element);
      this.otherFan.show(this.cardsOf(seat));
      return;
    }
    side.append(h("div", { class: "backs", "data-key": `hand-${seat}`, role: "img", "aria-label": `${s.cards} cards` },
      Array.from({ length: s.cards }, () => face(""))));
  }

  // The cards of a hand as the fan shows them.
  /** @param {number} seat @returns {FanCard[]} */
  cardsOf(seat) {
    const v = this.view;
    const trump = SUITS.indexOf(v.trump);
    const taken = v.musiks.findIndex((m) => m.taken);
    const pair = v.phase === "return" && v.seats[seat].returns === 0; // any two may be chosen
    const mine = v.mover === seat && (this.shown?.actions.length ?? 0) > 0;
    return [...v.seats[seat].hand].sort((a, b) => place(a.card) - place(b.card)).map(({ card, action, declare }) => {
      const can = action !== undefined && this.legal(action);
      const declares = declare !== undefined && this.legal(declare);
      const worth = declares ? meld(SUITS[split(card).suit]) : 0;
      return {
        name: card, action, legal: mine && action !== undefined ? can || declares || pair : undefined,
        trump: split(card).suit === trump,
        chosen: this.chosen.has(card), about: worth ? `can declare ${worth}` : undefined,
        badge: worth ? `${worth}` : undefined,
        from: taken >= 0 && v.musiks[taken].cards.includes(card) ? `musik-${taken}-0` : undefined,
      };
    });
  }

  // The left of the table: the ladder in the auction, later contract and trump.
  info() {
    const v = this.view;
    if (v.phase === "auction" || v.phase === "deal") return [ladder(v, (seat) => this.name(seat), this.bottom)];
    const parts = [];
    if (v.playing >= 0) {
      const goal = v.contract || v.auction.bid;
      parts.push(h("div", { class: "goal" }, h("span", { class: "note" }, v.contract ? "Contract" : "Bid"),
        h("b", {}, `${goal}`),
        h("span", { class: "note" }, this.name(v.playing)), v.contract > 0 && this.progress()));
    }
    if (v.trump) {
      parts.push(h("div", { class: "trump", role: "img",
        "aria-label": `Trump ${words(`K${v.trump}`).split(" of ")[1]}, declared for ${meld(v.trump)}` },
        h("span", { class: "note" }, "Trump"), suitSign(v.trump),
        h("span", { class: "note" }, `K Q ${meld(v.trump)}`)));
    } else if (v.phase === "play") {
      parts.push(h("div", { class: "trump none" }, h("span", { class: "note" }, "No trump yet")));
    }
    return parts;
  }

  progress() {
    const { seats, playing, contract } = this.view;
    const points = seats[playing].points;
    const left = Math.max(0, contract - points);
    const bar = h("span", { class: "mercury" });
    bar.style.setProperty("--part", `${Math.min(100, (100 * points) / contract)}%`);
    return h("span", { class: "progress", "data-made": left === 0 },
      h("span", { class: "tube", "aria-hidden": "true" }, bar),
      h("span", { class: "note" }, left ? `${left} to go` : "made \u2713"));
  }

  // The middle of the table.
  /** @returns {Node[]} */
  centre() {
    const v = this.view;
    const name = (/** @type {number} */ seat) => this.name(seat);
    const parts = [];
    const order = [this.bottom, 1 - this.bottom];
    const between = v.phase === "deal" || v.phase === "auction" || v.phase === "over";
    if (between && v.ended && (v.phase === "over" || v.auction.calls.length < 2)) parts.push(
      results(v.ended, name, order));
    if (v.phase === "auction") parts.push(conversation(v, name, this.bottom));
    parts.push(musiks(v, (action) => this.legal(action), (action) => this.table.act(action)));
    if (v.phase === "play") parts.push(trick(v, name, order));
    parts.push(h("div", { class: "looks" }, lastTrick(v.tricks.at(-1), name),
      hands([...this.ended.values()], name, order)));
    return parts;
  }

  // What can be done now, other than playing a card.
  /** @returns {Node[]} */
  moves() {
    const v = this.view;
    if (!this.shown?.actions.length) return [this.status(waiting(v, (seat) => this.name(seat)))];
    switch (v.phase) {
      case "auction": return this.bidding();
      case "musik": return [this.turn("take one of the two musiks")];
      case "bomb": return this.bombing();
      case "return": return this.returning();
      case "contract": return [this.turn("announce a contract"), stepper(v.contracts, {
        label: "Play for", send: (action) => this.table.act(action), note: () => "" })];
    }
    return [this.turn(v.trick.length ? "reply" : "lead a card")];
  }

  /** @param {string} text */
  status(text) { return h("p", { class: "status", role: "status" }, text); }

  // What is asked of the seat to move, which with all cards open need not be who looks.
  /** @param {string} text */
  turn(text) { return this.status(
    `${this.view.mover === this.view.eye ? "Your turn" : this.name(this.view.mover)}: ${text}`); }

  bidding() {
    const v = this.view;
    const { auction } = v;
    const rungs = auction.rungs.filter((r) => this.legal(r.action));
    const provable = v.seats[v.mover].provable ?? 0;
    /** @type {HTMLElement[]} */
    const parts = [this.turn(auction.bid ? `${this.name(auction.bidder)} bids ${auction.bid}` : "open or pass")];
    if (rungs.length > 0) {
      parts.push(stepper(rungs, { label: "Bid", send: (action) => this.table.act(action),
        note: (points) => {
          for (const rung of this.left.querySelectorAll("[data-points]")) {
            rung.toggleAttribute("data-chosen", rung.getAttribute("data-points") === `${points}`);
          }
          return points > auction.threshold && points > provable ? "\u26a0 you could not prove it" : "";
        } }));
    }
    /** @type {HTMLElement[]} */
    const others = [this.button("Pass", auction.pass)];
    if (this.legal(auction.challenge)) {
      others.push(this.button(`Challenge ${auction.bid}`, auction.challenge), h("span", { class: "note about" },
        `Challenged, ${this.name(auction.bidder)} must show a meld worth at least ${auction.bid - 100} or loses ${auction.bid}`));
    }
    parts.push(h("span", { class: "others" }, others));
    return parts;
  }

  /** @param {string} label @param {number} action */
  button(label, action) {
    const button = h("button", { type: "button", "data-action": action }, label);
    button.addEventListener("click", () => this.table.act(action));
    return button;
  }

  bombing() {
    const { bomb, play_on } = /** @type {{bomb: number, play_on: number}} */ (this.view.bomb);
    const ask = h("button", { type: "button", "data-asks": bomb }, "Bomb\u2026");
    ask.addEventListener("click", () => {
      const left = this.view.seats[this.view.mover].bombs - 1;
      this.ask(`Bomb? No points for anybody, the same player deals again. You have ${left || "none"} left then.`,
        [["Bomb", bomb]]);
    });
    const on = this.button("Play on", play_on);
    on.classList.add("primary");
    return [this.turn("play on, or bomb?"), h("span", { class: "others" }, on, ask)];
  }

  returning() {
    const v = this.view;
    const wanted = 2 - v.seats[v.mover].returns;
    const cards = this.sorted();
    const button = h("button", { type: "button", class: "primary", disabled: cards.length < wanted },
      cards.length ? `Return ${cards.map((c) => c.card).join(" ")}` : "Return");
    if (cards.length === wanted) button.dataset.returns = "";
    button.addEventListener("click", () => this.sendReturn());
    const more = wanted - cards.length;
    return [this.turn(more > 0 ? `tap ${more === 1 ? "one more card" : "two cards"} to return face down`
      : "return these?"),
      h("span", { class: "others" }, button)];
  }

  // The chosen cards, the lower action first, as the rules want them.
  sorted() {
    return this.view.seats[this.view.mover].hand.filter((c) => this.chosen.has(c.card))
      .sort((a, b) => (a.action ?? 0) - (b.action ?? 0));
  }

  sendReturn() {
    const [first, second] = this.sorted().map((c) => c.action ?? -1);
    this.second = second ?? null;
    this.table.act(first);
  }

  // Sends the second of two returned cards once the first is known to be returned, and again while the
  // page is still busy with the first.
  returnSecond() {
    clearTimeout(this.again);
    const { phase, mover, seats } = this.view;
    const returns = phase === "return" ? seats[mover].returns : 2;
    if (returns === 2) this.second = null;
    if (this.second === null || returns === 0) return;
    if (!this.legal(this.second)) return;
    this.again = setTimeout(() => this.returnSecond(), BUSY);
    this.table.act(this.second);
  }

  // A card is tapped or dropped.
  /** @param {FanCard} card */
  take(card) {
    const v = this.view;
    const held = v.seats.flatMap((s) => s.hand).find((c) => c.card === card.name);
    if (!held || held.action === undefined) return;
    if (v.phase === "return" && this.shown?.actions.length) {
      this.choose(card.name, held.action);
    } else if (held.declare !== undefined && this.legal(held.declare)) {
      const worth = meld(SUITS[split(card.name).suit]);
      this.ask(`Declare the meld with the ${words(card.name)}?`,
        [[`Declare ${worth}`, held.declare], ["Only play it", held.action]]);
    } else {
      this.table.act(held.action);
    }
  }

  /** @param {string} name @param {number} action */
  choose(name, action) {
    const wanted = 2 - this.view.seats[this.view.mover].returns;
    if (this.chosen.has(name)) this.chosen.delete(name);
    else if (wanted === 1 && !this.legal(action)) return this.table.act(action); // the server reports why not
    else {
      if (this.chosen.size >= wanted) this.chosen.delete([...this.chosen][0]);
      this.chosen.add(name);
    }
    this.draw();
  }

  // Asks before something is done: the answers are actions.
  /** @param {string | null} question null: no question any more @param {[string, number][]} [answers] */
  ask(question, answers = []) {
    const from = document.activeElement;
    this.dialog = null;
    if (question === null) {
      this.controls.replaceChildren(...this.moves());
      this.refocus();
      return;
    }
    const id = "tysiac-question";
    const buttons = answers.map(([label, action]) => this.button(label, action));
    buttons[0].classList.add("primary");
    const no = h("button", { type: "button" }, "Cancel");
    no.addEventListener("click", () => {
      this.ask(null);
      if (from instanceof HTMLElement && from.isConnected) from.focus({ preventScroll: true });
    });
    this.dialog = h("div", { class: "question", role: "dialog", "aria-labelledby": id },
      h("p", { id, class: "status" }, question),
      h("span", { class: "others" }, buttons, no));
    this.controls.replaceChildren(this.dialog);
    buttons[0].focus({ preventScroll: true });
  }

  /** @param {number} action @returns {Element | null} */
  element(action) {
    for (const name of ["action", "asks", "rung"]) {
      const found = this.root.querySelector(`[data-${name}="${action}"]`);
      if (found) return found;
    }
    const held = this.view?.seats.flatMap((s) => s.hand).find((c) => c.declare === action);
    return held ? this.fan.card(held.card)?.querySelector(".badge") ?? this.otherFan.card(held.card) : null;
  }

  destroy() {
    clearTimeout(this.again);
    this.fan.destroy();
    this.otherFan.destroy();
    this.host.replaceChildren();
  }
}
