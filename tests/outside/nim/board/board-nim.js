// Nim: a row of counters for each pile. Pressing one takes it and those to its right.

import { style } from "./board.js";
import { h } from "./dom.js";

const LARGEST = 7;

/**
 * The view of the game, View.
 * @typedef {object} View
 * @property {number[]} piles
 * @property {boolean} over
 * @property {number} seat
 */

/** @type {Board} */
export const board = {
  mount(host, table) {
    style("nim.css");
    const status = h("p", { role: "status" });
    const piles = h("ol", { class: "nim-piles" });
    const element = h("div", { class: "nim" }, status, piles);
    host.append(element);
    return {
      show(show) {
        /** @type {View} */
        const v = show.view;
        const name = show.seats[v.seat].name;
        status.textContent = v.over ? `${name} took the last counter.` : `${name} to move.`;
        const legal = new Set(show.actions.map((a) => a.action));
        piles.replaceChildren(...v.piles.map((n, pile) => h("li", { "aria-label": `pile ${pile + 1}` },
          ...Array.from({ length: n }, (_, i) => {
            const action = pile * LARGEST + n - i - 1;
            const counter = h("button", {
              type: "button", class: "nim-counter", "data-action": action,
              "aria-label": `take ${n - i} from pile ${pile + 1}`,
            });
            /** @type {HTMLButtonElement} */ (counter).disabled = !legal.has(action);
            counter.addEventListener("click", () => table.act(action));
            return counter;
          }))));
      },
      element: (action) => piles.querySelector(`[data-action="${action}"]`),
      destroy: () => element.remove(),
    };
  },
};
