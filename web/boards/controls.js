// The buttons of a board: one for each legal action, and none else. A button stays the same element
// while its action stays legal, so the focus stays on it; where it comes back, the focus comes back.

import { h } from "./dom.js";

/**
 * @typedef {object} Offer
 * @property {number} action
 * @property {string} text large, on the button
 * @property {string} [detail] small, below it: what it leads to
 * @property {string} [kind] "main" or "other", for the style
 */

/**
 * controls makes the row of buttons.
 * @param {Pick<Table, "act">} table
 * @param {string} [label]
 */
export function controls(table, label = "Your move") {
  const element = h("div", { class: "controls", role: "group", "aria-label": label });
  /** @type {Map<number, HTMLButtonElement>} */
  const buttons = new Map();
  let last = -1; // action whose button had the focus when it went away

  /** @param {Offer} offer */
  function button({ action, text, detail, kind = "other" }) {
    const b = buttons.get(action) ?? h("button", { type: "button", "data-action": action });
    if (!buttons.has(action)) b.addEventListener("click", () => table.act(action));
    b.className = kind;
    b.replaceChildren(h("b", {}, text), detail ? h("small", {}, detail) : "");
    buttons.set(action, b);
    return b;
  }

  return {
    element,
    /** @param {Offer[]} offers */
    show(offers) {
      const wanted = new Set(offers.map(({ action }) => action));
      for (const [action, b] of buttons) {
        if (wanted.has(action)) continue;
        if (b === document.activeElement) last = action;
        b.remove();
        buttons.delete(action);
      }
      offers.forEach((offer, i) => {
        const b = button(offer);
        if (element.children[i] !== b) element.insertBefore(b, element.children[i] ?? null);
      });
      element.hidden = offers.length === 0;
      if (document.activeElement !== document.body && document.activeElement !== null) return;
      const again = buttons.get(last);
      if (again) again.focus({ preventScroll: true });
    },
    /** @param {number} action */
    at: (action) => buttons.get(action) ?? null,
  };
}
