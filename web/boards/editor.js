// Parts of editors: fieldsets in which a value is chosen by tapping.

import { style } from "./board.js";
import { h } from "./dom.js";

/**
 * picker is a titled group; complain marks it.
 * @param {string} title
 * @param {...(Node | string)} inside
 */
export function picker(title, ...inside) {
  style("poker.css");
  const wrong = h("p", { class: "wrong", role: "alert", hidden: true });
  const element = h("fieldset", { class: "picker" }, h("legend", {}, title), inside, wrong);
  return {
    element,
    /** @param {string} problem "" takes the mark away */
    complain(problem) {
      element.toggleAttribute("data-wrong", problem !== "");
      wrong.hidden = problem === "";
      wrong.textContent = problem;
    },
  };
}

let groups = 0;

/**
 * radio lets one of several be chosen. Options are what is shown of each, a text or an element with
 * a label.
 * @param {string} title
 * @param {{value: string, shown: Node | string, label?: string}[]} options
 * @param {(value: string) => void} chosen
 */
export function radio(title, options, chosen) {
  const name = `picker-${++groups}`;
  const inputs = options.map(({ value, label }) => {
    const input = h("input", { type: "radio", name, value, "aria-label": label });
    input.addEventListener("change", () => chosen(value));
    return input;
  });
  const row = h("div", { class: "options" }, options.map(({ shown }, i) =>
    h("label", { class: shown instanceof Node ? "carded" : null }, inputs[i], shown)));
  return {
    ...picker(title, row),
    /** @param {string} value */
    set(value) {
      for (const input of inputs) input.checked = input.value === value;
    },
  };
}

/**
 * @typedef {ReturnType<typeof picker>} Picker
 */

/**
 * marks tells the pickers of an editor what is wrong: the one whose field the name begins with.
 * @param {Record<string, Picker>} pickers by field
 */
export function marks(pickers) {
  return {
    clear: () => { for (const p of Object.values(pickers)) p.complain(""); },
    /** @param {string} field @param {string} problem */
    complain(field, problem) {
      for (const [name, p] of Object.entries(pickers)) p.complain(field.startsWith(name) ? problem : "");
    },
  };
}
