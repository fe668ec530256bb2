// What may be kept in Lange Strasse, as a list: every action with its value, to look one up
// without tapping, and for marks on actions whose dice are not chosen at the moment.

import { picture } from "./dice.js";
import { h } from "./dom.js";

/** @typedef {import("./board-lange-strasse.js").Keep} Keep */

/** @param {number} value */
export const points = (value) => value.toLocaleString("en");

/** @param {number} ct */
export const money = (ct) => (ct > 0 ? `+${ct}` : ct < 0 ? `\u2212${-ct}` : "0") + "\u202fct";

/** @param {number} n @param {string} one @param {string} more */
export const counted = (n, one, more) =>
  `${["no", "one", "two", "three", "four", "five", "six"][n] ?? n} ${n === 1 ? one : more}`;

/** @param {number} left @param {number} strich chance */
export const dangerOf = (left, strich) => `${counted(left, "die", "dice")}${left === 6 ? "" : " left"}, strich ${(100 * strich).toFixed(strich < 0.1 ? 1 : 0)}\u202f%`;

/** @param {Pick<Table, "act">} table */
export function choices(table) {
  const summary = h("summary", {}, "All that you may keep");
  const list = h("ul", { class: "ls-choices" });
  const element = h("details", { class: "ls-all" }, summary, list);
  let asked = false; // whether a mark has opened the list of this position
  /** @type {Map<string, HTMLElement>} */
  let rows = new Map();

  /** @param {number} action @param {string} text */
  function button(action, text) {
    const b = h("button", { type: "button", "data-action": action }, text);
    b.addEventListener("click", () => table.act(action));
    return b;
  }

  /** @param {Keep} c */
  function row(c) {
    return h("li", {}, picture(c.faces, c.special || "keep"),
      h("span", {}, c.special ? `${c.special}, ${points(c.set)}` : points(c.gain)),
      h("span", { class: "buttons" }, c.roll >= 0 && button(c.roll,
        `Roll ${c.left}, strich ${(100 * c.strich).toFixed(0)}\u202f%`),
        c.stop >= 0 && button(c.stop, `Bank ${points(c.turn)}`)));
  }

  return {
    element,
    /** @param {Keep[]} all @param {boolean} mine */
    show(all, mine) {
      rows = new Map(all.map((c) => [c.faces.join(), row(c)]));
      list.replaceChildren(...(mine ? rows.values() : []));
      element.hidden = !mine;
      asked = false;
    },
    /** @param {Keep | undefined} keep is chosen with the dice */
    chosen(keep) {
      for (const [faces, r] of rows) r.toggleAttribute("data-chosen", faces === keep?.faces.join());
    },
    /**
     * The button of an action; the list opens for it, once a position.
     * @param {number} action
     */
    at(action) {
      const found = list.querySelector(`[data-action="${action}"]`);
      if (found && !asked) [element.open, asked] = [true, true];
      return found;
    },
  };
}
