// The table of Kuhn poker and Leduc hold'em: two seats, a card each, a pot between them.

import { style } from "./board.js";
import { SUITS, picture } from "./cards.js";
import { capital, disc, stack } from "./chips.js";
import { controls } from "./controls.js";
import { h } from "./dom.js";
import { flip } from "./motion.js";

/**
 * @typedef {object} PokerView
 * @property {string[]} cards
 * @property {number[]} paid
 * @property {{seat: number, round?: number, name: string}[]} moves
 * @property {number} winner
 * @property {boolean} showdown
 * @property {string} [public]
 * @property {number} [round]
 * @property {number} [raise]
 */

/**
 * @typedef {object} Poker
 * @property {string} unit what is in the pot: "antes"
 * @property {boolean} street there is a public card
 * @property {(show: Show) => import("./controls.js").Offer[]} offers
 */

/**
 * faceName is a card as cards.js names it: "Qh" is the queen of hearts, "?" a back.
 * @param {string} name
 */
export function faceName(name) {
  if (name === "?") return "";
  const suit = "s_dh".indexOf(name.slice(1) || "-");
  return suit < 0 ? name : name[0] + SUITS[suit];
}

/** @param {string} name @param {string} key */
function card(name, key) {
  const shown = name === "" ? h("span", { class: "slot" }) : picture(faceName(name));
  shown.setAttribute("data-key", key);
  if (name !== "") shown.setAttribute("data-from", "deck");
  return shown;
}

/** What a seat did last in the present round. @param {PokerView} v @param {number} seat */
function said(v, seat) {
  const own = v.moves.filter((m) => m.seat === seat && (m.round ?? 0) === (v.round ?? 0));
  return own.length ? capital(own[own.length - 1].name) : "";
}

/** @param {Show} show @param {number} seat @param {string} unit */
function place(show, seat, unit) {
  /** @type {PokerView} */
  const v = show.view;
  const { name } = show.seats[seat];
  const moves = show.mover === seat;
  const result = show.over?.returns[seat];
  return h("div", { role: "group", class: `seat${moves ? " moving" : ""}`, "aria-label": name },
    card(v.cards[seat], `card-${seat}`),
    h("div", { class: "who" },
      h("p", { class: "called" }, name, seat === show.eye && show.seats[seat].kind !== "you" ? h("small", {}, " (you)")
        : ""),
      h("p", { class: "said" }, moves ? (seat === show.eye ? "your move" : show.eye < 0 ? "to move" : "is thinking")
        : said(v, seat) || "\u00a0"),
      stack(v.paid[seat], `${v.paid[seat]} ${unit} paid`, `paid-${seat}`)),
    result === undefined ? null : h("p", { class: `result ${v.winner === seat ? "gained" : "lost"}` },
      disc(signed(result), result > 0 ? "gained" : result < 0 ? "lost" : "plain"), show.over?.results[seat] ?? ""));
}

/** @param {number} value */
export const signed = (value) => (value > 0 ? `+${value}` : String(value).replace("-", "\u2212"));

/** @param {Show} show @param {Poker} game */
function middle(show, game) {
  /** @type {PokerView} */
  const v = show.view;
  const pot = v.paid[0] + v.paid[1];
  const street = !game.street ? "" : v.round === 1 ? "second round" : "first round";
  return h("div", { class: "middle" },
    game.street ? card(v.public ?? "", "public") : null,
    h("div", { class: "pot" }, h("p", {}, "Pot", street && h("small", {}, street)),
      stack(pot, `${pot} ${game.unit} in the pot`)),
    h("span", { class: "deck", "data-key": "deck", "aria-hidden": "true" }, picture("")));
}

/** @param {Show} show */
function story(show) {
  /** @type {PokerView} */
  const v = show.view;
  let round = 0;
  return h("ol", { class: "story", "aria-label": "Moves" }, v.moves.map((m) => {
    const turned = (m.round ?? 0) !== round;
    round = m.round ?? 0;
    return h("li", { class: turned ? "turned" : null }, `${show.seats[m.seat].name}: ${m.name}`);
  }));
}

/**
 * poker makes the board of such a game.
 * @param {Poker} game
 * @returns {Board["mount"]}
 */
export function poker(game) {
  return (host, table) => {
    for (const file of ["poker.css", "controls.css"]) style(file);
    const felt = h("div", { class: "poker" });
    const strip = controls(table);
    const box = h("div", { class: "poker-board" }, felt, strip.element);
    host.append(box);
    return {
      show(show, previous) {
        const low = show.eye === 1 ? 1 : 0;
        const draw = () => felt.replaceChildren(
          place(show, 1 - low, game.unit), middle(show, game), place(show, low, game.unit), story(show));
        if (previous) {
          flip(felt, draw, table.settings);
          const dealt = show.view.cards.join() !== previous.view?.cards.join() ||
            show.view.public !== previous.view?.public;
          table.settings.sound(dealt ? "card" : "chip");
        } else {
          draw();
        }
        strip.show(show.eye >= 0 ? game.offers(show) : []);
      },
      element: (action) => strip.at(action),
      destroy: () => box.remove(),
    };
  };
}
