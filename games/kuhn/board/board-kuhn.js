// Kuhn poker.

import { style } from "./board.js";
import { picture } from "./cards.js";
import { capital } from "./chips.js";
import { fields } from "./fields.js";
import { faceName, poker } from "./poker.js";

const PASS = 0;

/** @param {Show} show @returns {import("./controls.js").Offer[]} */
function offers(show) {
  const { paid } = show.view;
  const cost = Math.max(1, paid[1 - show.eye] - paid[show.eye]);
  return show.actions.map(({ action, name }) => ({ action, text: capital(name),
    detail: action === PASS ? "pays nothing" : `pays ${cost}` }));
}

/** What has happened before the decision: all that can have. */
/** @type {[string, string][]} */
const PATHS = [
  ["", "nothing: you begin"], ["check", "the other has checked"], ["bet", "the other has bet"],
  ["check,bet", "you have checked, the other has bet"],
];

/** @type {Board} */
export const board = {
  mount: poker({ unit: "antes", street: false, offers }),
  editor(host, { position, changed }) {
    style("poker.css");
    const frame = fields(host, () => changed({ card: card.get(), moves: moves.get() ? moves.get().split(",") : [] }));
    const part = frame.part("What you know");
    const card = frame.choice(part, "card", "Your card", ["J", "Q", "K"].map(
      (name) => [name, picture(faceName(name))]));
    const moves = frame.choice(part, "moves", "Before you", PATHS);
    const set = (/** @type {any} */ next) => {
      card.set(next.card);
      moves.set((next.moves ?? []).join());
    };
    set(position);
    return { set, complain: frame.complain, destroy: frame.destroy };
  },
};
