// The board of games that have none of their own: what their view declares (parts.js), or the position as text; what
// happened, in words; and a button for each legal action that no cell stands for.

import { style } from "./board.js";
import { capital } from "./chips.js";
import { controls } from "./controls.js";
import { h } from "./dom.js";
import { parts } from "./parts.js";

/** @param {Show} show @param {number} player */
const nameOf = (show, player) => (player < 0 ? "" : `${show.seats[player].name}: `);

/** @type {Board} */
export const board = {
  mount(host, table) {
    style("controls.css");
    const position = h("pre", { "aria-label": "Position" });
    const declared = parts(table);
    const log = h("ol", { class: "events", tabindex: 0, "aria-label": "What happened" });
    const buttons = controls(table);
    host.append(declared.element, position, buttons.element, log);
    return {
      show(show) {
        declared.show(show);
        const drawn = Boolean(show.view?.parts?.length);
        position.textContent = drawn ? "" : show.view?.text ?? "";
        position.hidden = !position.textContent;
        log.replaceChildren(...show.events.map((e) =>
          h("li", {}, nameOf(show, e.player), e.name || "something hidden", e.note ? ` (${e.note})` : "")));
        buttons.show(show.actions.filter(({ action }) => !declared.at(action)).map(({ action, name }) =>
          ({ action, text: capital(name) })));
      },
      element: (action) => declared.at(action) ?? buttons.at(action),
      destroy: () => host.replaceChildren(),
    };
  },
};
