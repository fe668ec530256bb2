// Chips as plain discs with numbers, and rings of frequencies.
//
//   stack(5, "5 antes")            discs of 5 and 1 with their sum next to them
//   disc("+2", "gained")           one disc with a text
//   ring([{name: "bet", share: 0.33}, …])   how often each action is taken
//
// Styles are in chips.css.

import { style } from "./board.js";
import { h, s } from "./dom.js";

const VALUES = [25, 5, 1];

/**
 * disc draws one chip with a text of at most four letters; kind "gained" or "lost" colours it.
 * @param {string} text
 * @param {"plain" | "gained" | "lost"} [kind]
 */
export function disc(text, kind = "plain") {
  style("chips.css");
  const size = text.length > 3 ? 11 : text.length > 2 ? 13 : 16;
  return s("svg", { class: `chip ${kind}`, viewBox: "0 0 40 40", "aria-hidden": "true" },
    s("circle", { class: "edge", cx: 20, cy: 20, r: 18.5 }),
    s("circle", { class: "notch", cx: 20, cy: 20, r: 16 }),
    s("circle", { class: "face", cx: 20, cy: 20, r: 13.5 }),
    s("text", { x: 20, y: 20, "font-size": size }, text));
}

/**
 * stack shows an amount as discs, the largest first, and its number. It is read as the label.
 * @param {number} amount
 * @param {string} label
 * @param {string} [key] what travels under (motion.js)
 */
export function stack(amount, label, key) {
  style("chips.css");
  /** @type {number[]} */
  const values = [];
  let rest = amount;
  for (const value of VALUES) {
    for (; rest >= value && values.length < 5; rest -= value) values.push(value);
  }
  // A disc that is covered by an equal one shows no number.
  const discs = values.map((value, i) => disc(values[i + 1] === value ? "" : String(value)));
  return h("span", { class: "stack", role: "img", "aria-label": label, "data-key": key },
    h("span", { class: "discs" }, discs), h("b", {}, String(amount)));
}

/**
 * ring draws frequencies as the parts of a ring, with a legend that also distinguishes them without
 * colour.
 * @param {{name: string, share: number}[]} parts shares of 1
 */
export function ring(parts) {
  style("chips.css");
  const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;
  const round = 2 * Math.PI * 15;
  let at = 0;
  const arcs = parts.map(({ share }, i) => {
    const from = at;
    at += share * round;
    return s("circle", {
      class: `part part-${i}`, cx: 20, cy: 20, r: 15,
      "stroke-dasharray": `${Math.max(0, share * round - 0.8)} ${round}`,
      "stroke-dashoffset": -from, transform: "rotate(-90 20 20)",
    });
  });
  const likeliest = parts.reduce((best, p) => (p.share > best.share ? p : best), parts[0]);
  return h("div", { class: "ring" },
    s("svg", { viewBox: "0 0 40 40", role: "img", "aria-label": parts.map((p) => `${p.name} ${percent(p.share)}`)
      .join(", ") },
      arcs, s("text", { x: 20, y: 20.5, "aria-hidden": "true" }, percent(likeliest?.share ?? 0))),
    h("ul", { "aria-hidden": "true" }, parts.map((p, i) =>
      h("li", {}, h("span", { class: `key part-${i}` }), `${p.name} `, h("b", {}, percent(p.share))))));
}

/** @param {string} text */
export const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
