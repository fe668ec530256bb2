// A value and its interval on an axis, as a cell of a table.

import { h } from "./dom.js";

/** @typedef {(value: number) => string} Write */

/**
 * The axis of the intervals: where a value lies on it, in percent of its width, and which are marked.
 * @typedef {{ x: (value: number) => number, marks: number[], zero: number }} Axis a mark at zero is stronger
 */

/**
 * intervalCell draws a value and its interval; an arrow says that it continues beyond the axis.
 * @param {Interval} of
 * @param {Axis} axis
 * @param {Write} write
 */
export function intervalCell(of, { x, marks: all, zero }, write) {
  const [low, high] = [of.low, of.high].map((v) => Math.max(0, Math.min(100, x(v))));
  const line = h("span", { class: "range" }, x(of.low) < -1 && h("i", { class: "before" }, "◂"),
    x(of.high) > 101 && h("i", { class: "after" }, "▸"));
  line.style.left = `${low}%`;
  line.style.width = `${high - low}%`;
  const at = h("span", { class: "at" });
  at.style.left = `${x(of.value)}%`;
  const grid = [...new Set([...all, zero])].filter((v) => x(v) >= 0 && x(v) <= 100).map((v) => {
    const mark = h("span", { class: v === zero ? "zero" : "mark" });
    mark.style.left = `${x(v)}%`;
    return mark;
  });
  const interval = `${write(of.low)} to ${write(of.high)}`;
  return h("td", { class: "bar", title: interval },
    h("div", { class: "forest", role: "img", "aria-label": interval }, grid, line, at));
}
