// Banluck: the dealer above, the players below, five places a hand.

import { style } from "./board.js";
import { SUITS, picture } from "./cards.js";
import { disc } from "./chips.js";
import { controls } from "./controls.js";
import { h } from "./dom.js";
import { editor } from "./editor-banluck.js";
import { flip } from "./motion.js";
import { signed } from "./poker.js";

const REVEAL = 3;
const PLACES = 5;

/**
 * @typedef {object} Hand
 * @property {string[]} cards
 * @property {boolean} open
 * @property {number} [total]
 * @property {boolean} [soft]
 * @property {boolean} [bust]
 * @property {string} [class]
 * @property {number} [pays]
 * @property {number} [result]
 */

/** @typedef {{dealer: number, hands: Hand[], surrendered: boolean}} View */

/** A card as cards.js names it. @param {string} name */
const faceName = (name) => (name === "?" ? "" : name.slice(0, -1) + SUITS["SCDH".indexOf(name.slice(-1))]);

/** @param {Hand} hand @param {number} seat */
function cards(hand, seat) {
  return h("div", { class: "hand" }, Array.from({ length: PLACES }, (_, i) => {
    if (i >= hand.cards.length) return h("span", { class: "slot" });
    const card = picture(faceName(hand.cards[i]));
    card.setAttribute("data-key", `card-${seat}-${i}`);
    card.setAttribute("data-from", "deck");
    return card;
  }));
}

/** What a hand counts, in a few letters. @param {Hand} hand */
function worth(hand) {
  if (hand.total === undefined) return h("span", { class: "total hidden-total" }, `${hand.cards.length} cards`);
  const kind = hand.bust ? "bust" : hand.soft ? "soft" : "";
  return h("span", { class: `total${hand.bust ? " bust" : ""}` }, h("b", {}, String(hand.total)), kind && ` ${kind}`);
}

/** @param {Hand} hand */
const ribbon = (hand) => hand.class && h("span", { class: "ribbon" }, hand.class, h("small", {}, ` pays ${hand.pays}`));

/** The bet, or its outcome. @param {Hand} hand @param {boolean} dealer @param {number} units that are bet */
function bet(hand, dealer, units) {
  if (dealer) return null;
  if (hand.result === undefined) return h("span", { class: "bet", role: "img",
    "aria-label": `bets ${units} unit${units === 1 ? "" : "s"}` }, disc(String(units)));
  const result = hand.result * units;
  const words = result > 0 ? "gained" : result < 0 ? "lost" : "even";
  return h("span", { class: `bet ${words}` }, disc(signed(result),
    result > 0 ? "gained" : result < 0 ? "lost" : "plain"), words);
}

/** @param {Show} show @param {number} seat @param {Table} table */
function place(show, seat, table) {
  /** @type {View} */
  const v = show.view;
  const hand = v.hands[seat];
  const dealer = seat === v.dealer;
  const own = seat === show.eye;
  const moves = show.mover === seat;
  const opens = !dealer && show.eye >= 0 && show.actions.some((a) => a.action === REVEAL) && hand.cards.length > 2 &&
    hand.result === undefined && !hand.open;
  const name = show.seats[seat].name;
  const reveal = opens && h("button", { type: "button", class: "open", "aria-label": `Reveal ${name}` }, "Reveal");
  if (reveal) reveal.addEventListener("click", () => table.act(REVEAL));
  return h("div", { role: "group", class: ["place", dealer && "dealer", own && "own", moves && "moving"].filter(Boolean)
    .join(" "), "aria-label": name },
    h("div", { class: "top-line" }, h("p", { class: "called" }, name, dealer ? h("small", {}, " dealer") : ""),
      moves ? h("span", { class: "said" }, own ? "your move" : show.eye < 0 ? "to move" : "is thinking") : null,
      ribbon(hand) || null),
    cards(hand, seat),
    h("div", { class: "bottom-line" }, worth(hand), bet(hand, dealer, show.table?.bets?.[seat] || 1), reveal || null));
}

/**
 * What the number of cards says about a hand that is face down.
 * @param {View} v @param {number} seat @param {boolean} done the seat has had its turn
 */
function inference(v, seat, done) {
  const n = v.hands[seat].cards.length;
  const drawn = n - 2;
  const count = `${["", "", "Two", "Three", "Four", "Five"][n]} cards`;
  if (seat === v.dealer) {
    return drawn ? `${count}: he had 15 or less before the last one, or 16 or 17 and chose to draw.`
      : `${count}: he has not drawn.`;
  }
  if (!done) return drawn ? `${count}, and still playing: at most 20 before each draw.`
    : `${count}, and still to play.`;
  if (n === PLACES) return `${count}: a hand has no more. Up to 21 they pay as five cards, above 21 they are lost.`;
  if (!drawn) return `${count}, stood: standing on 15 or less loses, so it is likely 16 to 21.`;
  return `${count}, stood or bust: a bust stays hidden. ${drawn === 1 ? "Two cards" : "The cards before the last"} were 20 or less.`;
}

/** @param {Show} show */
function inferences(show) {
  /** @type {View} */
  const v = show.view;
  const hidden = v.hands.map((hand, seat) => ({ hand, seat }))
    .filter(({ hand, seat }) => hand.total === undefined && hand.cards.length > 1 && seat !== show.eye);
  const done = (/** @type {number} */ seat) => show.mover > seat ||
    v.hands.some((hand, other) => other > seat && hand.cards.length > 2);
  return hidden.map(({ seat }) => h("p", {}, h("b", {}, show.seats[seat].name), `: ${inference(v, seat, done(seat))}`));
}

const NAMES = ["Stand", "Hit", "Surrender", "Reveal", "Play on"];
const DETAILS = ["", "", "all bets go back", "opens three and more cards", ""];

/** @param {Show} show @returns {import("./controls.js").Offer[]} */
const offers = (show) => show.actions.map(({ action }) => ({ action, text: NAMES[action], detail: DETAILS[action] }));

/** @param {View} view */
const cardsOut = (view) => view.hands.reduce((n, hand) => n + hand.cards.length, 0);

/** @type {Board} */
export const board = {
  editor,
  mount(host, table) {
    for (const file of ["board-banluck.css", "controls.css"]) style(file);
    const felt = h("div", { class: "banluck" });
    const summary = h("summary", {}, "What the number of cards tells");
    const reads = h("div", {});
    const aside = h("details", { class: "inference" }, summary, reads);
    const strip = controls(table);
    const box = h("div", { class: "banluck-board" }, felt, strip.element, aside);
    host.append(box);
    return {
      show(show, previous) {
        /** @type {View} */
        const v = show.view;
        const draw = () => {
          const players = v.hands.slice(0, v.dealer).map((_, seat) => place(show, seat, table));
          felt.dataset.players = String(v.dealer);
          felt.replaceChildren(
            h("span", { class: "deck", "data-key": "deck", "aria-hidden": "true" }, picture("")),
            place(show, v.dealer, table),
            h("p", { class: "outcome", role: "status" }, v.surrendered ? "The dealer surrenders: all bets go back."
              : ""),
            h("div", { class: "players" }, players));
        };
        if (previous) {
          flip(felt, draw, table.settings);
          table.settings.sound(cardsOut(v) > cardsOut(previous.view) ? "card" : "chip");
        } else {
          draw();
        }
        strip.show(show.eye >= 0 ? offers(show) : []);
        const words = inferences(show);
        reads.replaceChildren(...words);
        aside.hidden = words.length === 0;
      },
      element: (action) => strip.at(action),
      destroy: () => box.remove(),
    };
  },
};
