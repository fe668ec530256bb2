// Fields of the editors of positions: numbers, choices and lists, each with a name under which the
// server may complain about it ("totals[1]").

import { style } from "./board.js";
import { h } from "./dom.js";

let next = 0; // numbers the elements' ids

/**
 * fields makes the frame of an editor.
 * @param {HTMLElement} host
 * @param {() => void} changed
 */
export function fields(host, changed) {
  style("fields.css");
  const element = h("div", { class: "editor" });
  host.append(element);
  /** @type {Map<string, HTMLElement>} */
  const named = new Map();

  /** Takes all complaints away. */
  function clear() {
    for (const problem of element.querySelectorAll(".problem")) problem.remove();
    for (const field of element.querySelectorAll("[data-wrong]")) {
      field.removeAttribute("data-wrong");
      for (const input of inputs(field)) {
        input.removeAttribute("aria-invalid");
        input.removeAttribute("aria-describedby");
      }
    }
  }

  /** @param {Element} field */
  const inputs = (field) => field.querySelectorAll("input, select");

  function edited() {
    clear();
    changed();
  }

  /**
   * part adds a part with a heading, into which the fields of a group go.
   * @param {string} title
   */
  function part(title) {
    const group = h("fieldset", { class: "part" }, h("legend", {}, title));
    element.append(group);
    return group;
  }

  /**
   * place puts content under a name for complaints.
   * @param {HTMLElement} into
   * @param {string} name
   * @param {...Child} content
   */
  function place(into, name, ...content) {
    const field = h("div", { class: "field" }, ...content);
    named.set(name, field);
    into.append(field);
    return field;
  }

  /**
   * number adds a field for a whole number, with steps for thumbs.
   * @param {HTMLElement} into
   * @param {string} name
   * @param {string} label
   * @param {{ min?: number, max?: number, step?: number }} [range]
   */
  function number(into, name, label, { min = 0, max = 1e12, step = 1 } = {}) {
    const id = `field-${next++}`;
    const input = h("input", { id, type: "number", inputmode: "numeric", min, max, step: "any" });
    input.value = String(min);
    /** @param {number} by */
    const stepper = (by) => {
      const sign = by < 0 ? "\u2212" : "+";
      const button = h("button", { type: "button",
        "aria-label": `${label} ${by < 0 ? "less" : "more"} by ${Math.abs(by)}` }, sign);
      button.addEventListener("click", () => {
        input.value = String(Math.min(max, Math.max(min, (Number(input.value) || 0) + by)));
        edited();
      });
      return button;
    };
    input.addEventListener("input", edited);
    place(into, name, h("label", { for: id }, label), h("span", { class: "stepper" }, stepper(-step), input,
      stepper(step)));
    return { get: () => Math.round(Number(input.value)) || 0,
      set: (/** @type {number} */ value) => { input.value = String(value); } };
  }

  /**
   * choice adds a field for one of several values.
   * @template {string | number} T
   * @param {HTMLElement} into
   * @param {string} name
   * @param {string} label
   * @param {[T, Child][]} values what each is shown as
   */
  function choice(into, name, label, values) {
    const group = `field-${next++}`;
    const radios = values.map(([, text], i) => {
      const input = h("input", { type: "radio", name: group, value: i });
      input.addEventListener("change", edited);
      return { input, label: h("label", { class: "option" }, input, h("span", {}, text)) };
    });
    radios[0].input.checked = true;
    place(into, name, h("span", { class: "label", id: group }, label),
      h("span", { class: "options", role: "radiogroup", "aria-labelledby": group }, radios.map((r) => r.label)));
    return {
      get: () => values[radios.findIndex((r) => r.input.checked)][0],
      set: (/** @type {T} */ value) => {
        const i = values.findIndex(([v]) => v === value);
        if (i >= 0) radios[i].input.checked = true;
      },
    };
  }

  /**
   * check adds a box.
   * @param {HTMLElement} into
   * @param {string} name
   * @param {string} label
   */
  function check(into, name, label) {
    const input = h("input", { type: "checkbox" });
    input.addEventListener("change", edited);
    place(into, name, h("label", { class: "option" }, input, h("span", {}, label)));
    return { get: () => input.checked, set: (/** @type {boolean} */ value) => { input.checked = value; } };
  }

  return {
    element, part, place, number, choice, check, clear, edited,
    /**
     * complain marks the field that the server names, or the nearest one above it.
     * @param {string} field
     * @param {string} problem
     */
    complain(field, problem) {
      clear();
      const names = [...named.keys()].filter((n) => field === n || field.startsWith(n) &&
        /^[.[]/.test(field.slice(n.length)));
      const name = names.sort((a, b) => b.length - a.length)[0];
      const sentence = h("p", { class: "problem", role: "alert", id: `field-${next++}` }, problem);
      const at = name === undefined ? undefined : named.get(name);
      if (!at) {
        element.prepend(sentence);
        return;
      }
      at.setAttribute("data-wrong", "");
      at.append(sentence);
      for (const input of inputs(at)) {
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", sentence.id);
      }
    },
    destroy: () => element.remove(),
  };
}
