// Leduc hold'em.

import { picture } from "./cards.js";
import { capital } from "./chips.js";
import { h } from "./dom.js";
import { marks, picker, radio } from "./editor.js";
import { faceName, poker } from "./poker.js";

const [FOLD, CALL, RAISE] = [0, 1, 2];

/** @param {Show} show @returns {import("./chips.js").Option[]} */
function options(show) {
  const { paid, raise } = show.view;
  const owed = paid[1 - show.eye] - paid[show.eye];
  const name = (/** @type {number} */ action) => show.actions.find((a) => a.action === action)?.name;
  const details = [`gives up ${paid[show.eye]}`, owed ? `pays ${owed}` : "pays nothing", `pays ${owed + raise}`];
  return [FOLD, CALL, RAISE].map((action) => {
    const legal = name(action) !== undefined;
    return { action, text: capital(name(action) ?? ["fold", "call", "raise"][action]), detail: legal ? details[action] : "not now", legal };
  });
}

const CARDS = ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"];
const pictures = CARDS.map((value) => ({ value, shown: () => picture(faceName(value)), label: value }));

/** Whether a round is over, and what can be done next in it. @param {string[]} moves */
function next(moves) {
  const last = moves[moves.length - 1];
  if (last === "call" || (last === "check" && moves.length > 1)) return [];
  const facing = last === "raise";
  const raises = moves.filter((m) => m === "raise").length;
  return [facing ? "call" : "check", ...(raises < 2 ? ["raise"] : [])];
}

/**
 * path lets the moves of a round be tapped one after the other.
 * @param {string} title
 * @param {(moves: string[]) => void} changed
 */
function path(title, changed) {
  const list = h("ol", { class: "path" });
  const buttons = h("div", { class: "options" });
  const p = picker(title, list, buttons);
  return {
    ...p,
    /** @param {string[]} moves */
    set(moves) {
      const add = next(moves).map((name) => {
        const button = h("button", { type: "button" }, `${capital(name)}`);
        button.addEventListener("click", () => changed([...moves, name]));
        return button;
      });
      const undo = h("button", { type: "button", disabled: moves.length === 0 }, "Take back");
      undo.addEventListener("click", () => changed(moves.slice(0, -1)));
      list.replaceChildren(...moves.map((name, i) => h("li", {}, `${i % 2 ? "second" : "first"}: ${name}`)));
      if (!moves.length) list.append(h("li", {}, "nothing yet"));
      buttons.replaceChildren(...add, undo);
    },
  };
}

/** @type {Board} */
export const board = {
  mount: poker({ unit: "chips", street: true, options }),
  editor(host, { position, changed }) {
    let now = position;
    const cards = (/** @type {string} */ title, /** @type {string} */ field) =>
      radio(title, pictures.map((p) => ({ ...p, shown: p.shown() })), (value) => tell({ ...now, [field]: value }));
    const card = cards("Your card", "card");
    const table = cards("The public card", "public");
    const first = path("First round, beginning with the first player", (moves) => tell({ ...now, first_round: moves }));
    const second = path("Second round", (moves) => tell({ ...now, second_round: moves }));
    const box = h("div", {}, card.element, first.element, table.element, second.element);
    const mark = marks({ card, first_round: first, public: table, second_round: second });
    const tell = (/** @type {any} */ change) => {
      set(change);
      mark.clear();
      changed(now);
    };
    const set = (/** @type {any} */ change) => {
      const rounds = next(change.first_round ?? []).length === 0;
      const { public: open, second_round: moves, ...rest } = change;
      now = rounds ? { ...rest, public: open ?? CARDS.find((c) => c !== rest.card), second_round: moves ?? [] } : rest;
      card.set(now.card);
      first.set(now.first_round ?? []);
      table.element.hidden = second.element.hidden = !rounds;
      table.set(now.public ?? "");
      second.set(now.second_round ?? []);
    };
    host.append(box);
    set(position);
    return { set, complain: mark.complain, destroy: () => box.remove() };
  },
};
