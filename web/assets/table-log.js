// What happened at a table, step by step.

import { h } from "./dom.js";

const KEPT = 400; // entries in the page

/**
 * who names the maker of a step.
 * @param {Show} show
 * @param {number} player
 */
export const who = (show, player) => (player < 0 ? "" : show.seats[player].name);

/**
 * inWords tells an event in one line.
 * @param {Show} show
 * @param {GameEvent} event
 */
export function inWords(show, event) {
  const maker = who(show, event.player);
  return `${maker && `${maker}: `}${event.name || "something hidden"}${event.note ? ` (${event.note})` : ""}`;
}

/**
 * logIn keeps the list of steps. What chance does unseen is left out.
 * @param {HTMLElement} list
 */
export function logIn(list) {
  return {
    /** @param {Show} show */
    show(show) {
      for (const item of [...list.children]) {
        if (Number(/** @type {HTMLElement} */ (item).dataset.step) > show.step) item.remove();
      }
      const last = Number(/** @type {HTMLElement | null} */ (list.lastElementChild)?.dataset.step ?? 0);
      const fresh = show.events.filter((e) => e.step > last && (e.player >= 0 || e.name));
      list.append(...fresh.map((e) => h("li", { value: e.step, "data-step": e.step }, inWords(show, e))));
      while (list.children.length > KEPT) list.firstElementChild?.remove();
      if (fresh.length > 0) list.scrollTop = list.scrollHeight;
    },
    clear: () => list.replaceChildren(),
  };
}
