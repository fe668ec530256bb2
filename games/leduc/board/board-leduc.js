// Leduc hold'em.

import { style } from "./board.js";
import { picture } from "./cards.js";
import { capital } from "./chips.js";
import { h } from "./dom.js";
import { fields } from "./fields.js";
import { faceName, poker } from "./poker.js";

/** @param {Show} show @returns {import("./controls.js").Offer[]} */
function offers(show) {
  const { paid, raise } = show.view;
  const owed = paid[1 - show.eye] - paid[show.eye];
  const details = [`gives up ${paid[show.eye]}`, owed ? `pays ${owed}` : "pays nothing", `pays ${owed + raise}`];
  return show.actions.map(({ action, name }) => ({ action, text: capital(name), detail: details[action] }));
}

const CARDS = ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"];

/** What can be done next in a round; nothing once it is over. @param {string[]} moves */
function next(moves) {
  const last = moves[moves.length - 1];
  if (last === "call" || (last === "check" && moves.length > 1)) return [];
  const facing = last === "raise";
  const raises = moves.filter((m) => m === "raise").length;
  return [facing ? "call" : "check", ...(raises < 2 ? ["raise"] : [])];
}

/**
 * path lets the moves of a round be tapped one after the other.
 * @param {ReturnType<typeof fields>} frame
 * @param {HTMLElement} into
 * @param {string} name
 */
function path(frame, into, name) {
  /** @type {string[]} */
  let moves = [];
  const list = h("ol", { class: "path" });
  const buttons = h("div", { class: "options" });
  frame.place(into, name, h("span", { class: "label" }, "Moves, from the first player on"), list, buttons);
  const put = (/** @type {string[]} */ changed) => {
    set(changed);
    frame.edited();
    buttons.querySelector("button")?.focus();
  };
  const tap = (/** @type {string} */ text, /** @type {string[]} */ leads) => {
    const button = h("button", { type: "button" }, text);
    button.addEventListener("click", () => put(leads));
    return button;
  };
  const set = (/** @type {string[]} */ told) => {
    moves = told;
    list.replaceChildren(...moves.map((move, i) => h("li", {}, `${i % 2 ? "second" : "first"}: ${move}`)),
      moves.length ? "" : h("li", {}, "nothing yet"));
    buttons.replaceChildren(...next(moves).map((move) => tap(capital(move), [...moves, move])),
      moves.length ? tap("Take back", moves.slice(0, -1)) : "");
  };
  return { get: () => moves, set };
}

/** @type {Board} */
export const board = {
  mount: poker({ unit: "chips", street: true, offers }),
  editor(host, { position, changed }) {
    style("poker.css");
    const told = () => {
      const over = next(first.get()).length === 0;
      later.hidden = !over;
      return { card: card.get(), first_round: first.get(), ...(
        over ? { public: open.get(), second_round: second.get() } : {}) };
    };
    const frame = fields(host, () => changed(told()));
    const faces = /** @type {() => [string, Child][]} */ (() => CARDS.map((name) => [name, picture(faceName(name))]));
    const begin = frame.part("First round");
    const card = frame.choice(begin, "card", "Your card", faces());
    const first = path(frame, begin, "first_round");
    const later = frame.part("Second round");
    const open = frame.choice(later, "public", "The public card", faces());
    const second = path(frame, later, "second_round");
    const set = (/** @type {any} */ next) => {
      card.set(next.card);
      first.set(next.first_round ?? []);
      open.set(next.public || CARDS.find((c) => c !== next.card));
      second.set(next.second_round ?? []);
      told();
    };
    set(position);
    return { set, complain: frame.complain, destroy: frame.destroy };
  },
};
