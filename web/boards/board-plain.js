// The board of games that have none of their own: the position, if the game writes it as text, what happened, in words,
// and a button for each legal action.

import { h } from "./dom.js";

/** @param {Show} show @param {number} player */
const nameOf = (show, player) => (player < 0 ? "" : `${show.seats[player].name}: `);

/** @type {Board} */
export const board = {
  mount(host, table) {
    const position = h("pre", { "aria-label": "Position" });
    const log = h("ol", { class: "events", tabindex: 0, "aria-label": "What happened" });
    const buttons = h("p", { class: "buttons", role: "group", "aria-label": "Your move" });
    host.append(position, log, buttons);
    return {
      show(show) {
        position.textContent = show.view?.text ?? "";
        position.hidden = !position.textContent;
        log.replaceChildren(...show.events.map((e) =>
          h("li", {}, nameOf(show, e.player), e.name || "something hidden", e.note ? ` (${e.note})` : "")));
        buttons.replaceChildren(...show.actions.map(({ action, name }) => {
          const button = h("button", { type: "button", "data-action": action }, name);
          button.addEventListener("click", () => table.act(action));
          return button;
        }));
      },
      element: (action) => buttons.querySelector(`[data-action="${action}"]`),
      destroy: () => host.replaceChildren(),
    };
  },
};
