// Kuhn poker.

import { picture } from "./cards.js";
import { capital } from "./chips.js";
import { h } from "./dom.js";
import { marks, radio } from "./editor.js";
import { faceName, poker } from "./poker.js";

const PASS = 0;

/** @param {Show} show @returns {import("./chips.js").Option[]} */
function options(show) {
  const { paid } = show.view;
  const cost = Math.max(1, paid[1 - show.eye] - paid[show.eye]);
  return show.actions.map(({ action, name }) => ({ action, text: capital(name), detail: action === PASS ? "pays nothing" : `pays ${cost}` }));
}

/** What has happened before the decision: all that can have. */
const PATHS = [[], ["check"], ["bet"], ["check", "bet"]];
const WORDS = ["You begin", "The other has checked", "The other has bet", "You have checked, the other has bet"];

/** @type {Board} */
export const board = {
  mount: poker({ unit: "antes", street: false, options }),
  editor(host, { position, changed }) {
    let now = position;
    const card = radio("Your card", ["J", "Q", "K"].map((value) => ({ value, shown: picture(faceName(value)), label: value })),
      (value) => tell({ ...now, card: value }));
    const moves = radio("Before you", PATHS.map((path, i) => ({ value: path.join(), shown: WORDS[i] })),
      (value) => tell({ ...now, moves: value ? value.split(",") : [] }));
    const box = h("div", {}, card.element, moves.element);
    const mark = marks({ card, moves });
    const tell = (/** @type {any} */ next) => {
      now = next;
      mark.clear();
      changed(now);
    };
    const set = (/** @type {any} */ next) => {
      now = next;
      card.set(now.card);
      moves.set((now.moves ?? []).join());
    };
    host.append(box);
    set(position);
    return { set, complain: mark.complain, destroy: () => box.remove() };
  },
};
