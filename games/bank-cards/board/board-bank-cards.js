// The board of BANK! cards: a pile that grows higher and higher, and who empties the hand first.

import { bankCardsEditor } from "./bank-cards-editor.js";
import { style } from "./board.js";
import { face, fan, picture } from "./cards.js";
import { h } from "./dom.js";
import { bump, flip } from "./motion.js";

/**
 * What the game's view has (games/bank-cards/README.md).
 * @typedef {{card: number, action: number}} Held
 * @typedef {{cards: number, hand: Held[], wins: boolean}} SeatView
 * @typedef {{eye: number, phase: string, turn: number, max_turns: number, player: number, seats: SeatView[],
 *   top: number,
 *   pile: number[], deck: number, turns_over: boolean, highest: number, strict: boolean, known: number[],
 *   draw: number, pass: number}} View
 * @typedef {import("./cards.js").FanCard} FanCard
 */

/** @type {Board} */
export const board = { mount: (host, table) => new BankCardsBoard(host, table), editor: bankCardsEditor };

/** @implements {MountedBoard} */
class BankCardsBoard {
  /** @param {HTMLElement} host @param {Table} table */
  constructor(host, table) {
    style("cards.css");
    style("bank-cards.css");
    this.host = host;
    this.table = table;
    /** @type {Show | null} */
    this.shown = null;
    this.others = h("div", { class: "others" });
    this.middle = h("div", { class: "middle" });
    this.moves = h("div", { class: "moves", role: "group", "aria-label": "Your move", tabindex: -1 });
    this.own = h("header", { class: "own" });
    const hand = h("div", { class: "hand" });
    this.root = h("div", { class: "bank-cards" }, h("div", { class: "felt" }, this.others, this.middle), this.moves,
      this.own, hand);
    host.append(this.root);
    this.fan = this.newFan(hand, "Your hand");
    /** Open hands of others, by seat. @type {Map<number, ReturnType<typeof fan>>} */
    this.open = new Map();
  }

  /** @param {HTMLElement} host @param {string} label */
  newFan(host, label) {
    const play = (/** @type {FanCard} */ card) => {
      if (card.action !== undefined) this.table.act(card.action);
    };
    return fan(host, { label, play, target: () => this.middle });
  }

  /** @returns {View} */
  get view() { return this.shown?.view; }

  get bottom() { return Math.max(0, this.shown?.eye ?? 0); }

  /** @param {number} seat */
  name(seat) { return seat === this.shown?.eye ? "You" : this.shown?.seats[seat]?.name ?? `Seat ${seat + 1}`; }

  /** @param {number} action */
  legal(action) { return this.shown?.actions.some((a) => a.action === action) ?? false; }

  /** @param {Show} show @param {Show} [previous] */
  show(show, previous) {
    this.shown = show;
    this.root.toggleAttribute("data-turn", show.actions.length > 0);
    this.root.dataset.motion = this.table.settings.motion ? "on" : "off";
    const focused = this.root.contains(document.activeElement);
    flip(this.root, () => this.draw(), { motion: this.table.settings.motion && !!previous });
    if (focused && !this.root.contains(document.activeElement)) this.refocus();
    if (previous) this.react(previous);
  }

  /** @param {Show} previous */
  react(previous) {
    const was = /** @type {View} */ (previous.view);
    if (was.pile.length !== this.view.pile.length || was.deck !== this.view.deck) this.table.settings.sound("card");
    for (const [i, seat] of this.view.seats.entries()) {
      const count = this.root.querySelector(`[data-count="${i}"]`);
      if (count && seat.cards !== was.seats[i].cards) bump(count, this.table.settings);
    }
    const over = this.shown?.over;
    if (over && !previous.over && this.shown && this.shown.eye >= 0) {
      this.table.settings.sound(over.returns[this.shown.eye] > 0 ? "win" : "lose");
    }
  }

  refocus() {
    const next = this.fan.element.querySelector("[data-legal]") ?? this.root.querySelector(
      ".moves button, .middle button");
    (next instanceof HTMLElement ? next : this.moves).focus({ preventScroll: true });
  }

  draw() {
    const v = this.view;
    const seats = v.seats.map((_, i) => (this.bottom + i) % v.seats.length);
    this.others.replaceChildren(...seats.slice(1).map((seat) => this.other(seat)));
    if (v.eye >= 0 && v.known.length) {
      this.others.append(h("p", { class: "known" }, `Certainly in other hands: ${v.known.join(", ")}`));
    }
    this.own.replaceChildren(...this.line(this.bottom));
    this.own.toggleAttribute("data-mover", v.player === this.bottom);
    this.middle.replaceChildren(this.deck(), this.pile());
    this.fan.show(this.cardsOf(this.bottom));
    this.moves.replaceChildren(...this.buttons());
  }

  // A player's name and number of cards.
  /** @param {number} seat */
  line(seat) {
    const { cards, wins } = this.view.seats[seat];
    return [h("span", { class: "name" }, this.name(seat)),
      h("span", { class: "count" }, h("b", { "data-count": seat }, `${cards}`), cards === 1 ? " card" : " cards"),
      h("span", { class: "tag", hidden: !wins }, "wins")];
  }

  /** @param {number} seat */
  other(seat) {
    const { cards, hand } = this.view.seats[seat];
    const side = h("div", { role: "group", class: "other", "aria-label": this.name(seat),
      "data-mover": this.view.player === seat },
      h("header", {}, this.line(seat)));
    if (hand.length) {
      const open = this.open.get(seat) ?? this.newFan(h("div"), `Hand of ${this.name(seat)}`);
      this.open.set(seat, open);
      side.append(open.element);
      open.show(this.cardsOf(seat));
    } else {
      const backs = h("div", { class: "backs", "data-key": `hand-${seat}`, role: "img",
        "aria-label": `${cards} cards face down` },
        Array.from({ length: Math.min(cards, 24) }, () => face("")));
      backs.style.setProperty("--cards", String(Math.min(cards, 24)));
      side.append(backs);
    }
    return side;
  }

  /** @param {number} seat @returns {FanCard[]} */
  cardsOf(seat) {
    const v = this.view;
    const mine = v.player === seat && (this.shown?.actions.length ?? 0) > 0;
    return v.seats[seat].hand.map(({ card, action }) => ({
      name: `${card}`, action, legal: mine ? this.legal(action) : undefined, level: card / v.highest, from: "deck",
    }));
  }

  // The deck, which is tapped to draw.
  deck() {
    const v = this.view;
    const count = v.deck > 0 ? `${v.deck} in the deck` : v.turns_over ? "the pile becomes the deck" : "no cards left";
    const cards = v.deck > 0 || v.turns_over ? face("") : "";
    if (!this.legal(v.draw)) {
      return h("figure", { class: "deck" }, h("div", { class: "slot", "data-key": "deck" }, cards),
        h("figcaption", {}, count));
    }
    const label = `Draw a card, ${count}`;
    const button = h("button", { type: "button", class: "slot", "data-action": v.draw, "data-key": "deck",
      "aria-label": label }, cards);
    button.addEventListener("click", () => this.table.act(v.draw));
    return h("figure", { class: "deck" }, button, h("figcaption", {}, h("b", {}, "Draw"), `, ${count}`));
  }

  pile() {
    const v = this.view;
    const slot = h("div", { class: "slot" });
    if (v.pile.length > 1) slot.append(h("span", { class: "below", "aria-hidden": "true" }, face("")));
    if (v.top) {
      const top = picture(`${v.top}`, { level: v.top / v.highest });
      top.dataset.from = `hand-${this.lastPlayer()}`;
      slot.append(top);
    }
    const rest = v.pile.length ? `${v.pile.length} on the pile` : "the pile is empty: any card may be played";
    return h("figure", { class: "pile" }, slot, h("figcaption", {}, rest));
  }

  // Who moved last: where the new card on the pile comes from.
  lastPlayer() {
    return this.shown?.events.findLast((e) => e.player >= 0)?.player ?? -1;
  }

  buttons() {
    const v = this.view;
    /** @type {HTMLElement[]} */
    const parts = [h("p", { class: "status", role: "status" }, this.status())];
    if (this.legal(v.pass)) {
      const pass = h("button", { type: "button", "data-action": v.pass }, "Pass");
      pass.addEventListener("click", () => this.table.act(v.pass));
      parts.push(pass);
    }
    return parts;
  }

  status() {
    const v = this.view;
    const left = v.max_turns - v.turn;
    const end = left < 50 && v.phase !== "over" ? `. ${left} turns left: then the fewest cards win` : "";
    if (this.shown?.actions.length) {
      const can = v.seats[v.player].hand.some((c) => this.legal(c.action));
      const draw = this.legal(v.draw) ? "draw, no card in hand may be played" : "nothing can be played or drawn";
      return `${v.player === v.eye ? "Your turn" : this.name(v.player)}: ${can ? "play a card or draw" : draw}${end}`;
    }
    if (v.phase === "over") return `${this.name(v.seats.findIndex((s) => s.wins))} won after ${v.turn} turns`;
    if (v.phase === "deal") return "The cards are dealt";
    const does = v.phase === "draw" ? (v.player === v.eye ? "draw" : "draws") : "is to play";
    return `Turn ${v.turn}: ${this.name(v.player)} ${does}${end}`;
  }

  /** @param {number} action @returns {Element | null} */
  element(action) { return this.root.querySelector(`[data-action="${action}"]`); }

  destroy() {
    this.fan.destroy();
    for (const open of this.open.values()) open.destroy();
    this.host.replaceChildren();
  }
}
