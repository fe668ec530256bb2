// The crosshair of a chart: what the curves are at one place, chosen with the pointer or by keys, and
// the part of the x axis that is zoomed into. It is drawn on a layer of its own, so that the curves
// stay as they are.

import { h, s } from "./dom.js";
import { MARGIN } from "./draw.js";
import { duration, number } from "./format.js";

/** @typedef {import("./chart.js").Chart} Chart */
/** @typedef {import("./draw.js").Line & { p: Point }} Shown a line and its point at the crosshair */

const DRAGGED = 8; // pixels: less is a click

/**
 * nearest returns the point that is closest to x; the later one of equals.
 * @param {Point[]} points
 * @param {import("./draw.js").Axis} axis
 * @param {number} x
 */
export function nearest(points, { at }, x) {
  let [low, high] = [0, points.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (points[middle][at] <= x) low = middle;
    else high = middle - 1;
  }
  const next = points[low + 1];
  return next && next[at] - x < x - points[low][at] ? next : points[low];
}

export class Cursor {
  svg = s("svg", { class: "overlay", "aria-hidden": "true" });
  tip = h("div", { class: "tip", role: "status", hidden: true });
  /** @type {number | null} */
  began = null; // x in pixels at which dragging began

  /** @param {Chart} chart */
  constructor(chart) {
    this.chart = chart;
    const { svg } = chart;
    svg.addEventListener("pointermove", (e) => this.point(e));
    svg.addEventListener("pointerdown", (e) => this.press(e));
    svg.addEventListener("pointerup", (e) => this.release(e));
    svg.addEventListener("pointercancel", () => { this.began = null; });
    svg.addEventListener("pointerleave", () => this.chart.group.setCursor(null));
    svg.addEventListener("blur", () => this.chart.group.setCursor(null));
    svg.addEventListener("dblclick", () => this.chart.group.setZoom(null));
    svg.addEventListener("keydown", (e) => this.key(e));
  }

  // values are the shown lines with their points at the crosshair, or their last ones.
  values() {
    const { group, lines } = this.chart;
    const axis = group.axisShown();
    return lines.map((line) => ({ ...line, p: nearest(line.points, axis, group.cursor ?? Infinity) }));
  }

  // draw shows the crosshair where the group has it.
  draw() {
    const { group, scales } = this.chart;
    const x = group.cursor;
    this.tip.hidden = x == null || group.owner !== this.chart || !scales;
    if (!scales) {
      this.svg.replaceChildren();
      return;
    }
    const { axis, x0, x1, width, height, px, py } = scales;
    this.svg.setAttribute("width", String(width));
    const values = this.values();
    if (x == null || x < x0 || x > x1) {
      this.svg.replaceChildren();
      return;
    }
    this.svg.replaceChildren(
      s("line", { class: "cross", x1: px(x), x2: px(x), y1: MARGIN.top, y2: height - MARGIN.bottom }),
      ...values.map(({ color, p }) => s("circle", { class: `dot color-${color}`, r: 3.5, cx: px(p[axis.at]),
        cy: py(p[2]) })));
    if (group.owner !== this.chart || values.length === 0) return;
    const away = (/** @type {Shown} */ { p }) => Math.abs(p[axis.at] - x);
    this.drawTip(values, values.reduce((a, b) => (away(b) < away(a) ? b : a)).p, px(x), width);
  }

  /**
   * @param {Shown[]} values
   * @param {Point} at the nearest of them
   * @param {number} left
   * @param {number} width
   */
  drawTip(values, at, left, width) {
    const { format } = this.chart.options;
    this.tip.replaceChildren(
      h("p", {}, `${duration(at[0])} · ${number(at[1])} samples`),
      h("table", {}, values.map(({ label, color, p }) => h("tr", {},
        h("th", { scope: "row", class: `color-${color}` }, label),
        h("td", {}, format(p[2])),
        p.length === 5 && h("td", { class: "interval" }, `${format(p[3])} to ${format(p[4])}`)))));
    const room = left > width / 2 ? left - this.tip.offsetWidth - 14 : left + 14;
    this.tip.style.left = `${Math.max(0, Math.min(room, width - this.tip.offsetWidth))}px`;
  }

  /**
   * place returns where the pointer is in the chart, in pixels and as a value of the x axis.
   * @param {PointerEvent} event
   */
  place(event) {
    const left = event.clientX - this.chart.svg.getBoundingClientRect().left;
    const { x0, x1, px } = /** @type {import("./draw.js").Scales} */ (this.chart.scales);
    const value = x0 + ((left - px(x0)) / (px(x1) - px(x0))) * (x1 - x0);
    return { left, value: Math.max(x0, Math.min(x1, value)) };
  }

  /** @param {PointerEvent} event */
  point(event) {
    if (!this.chart.scales) return;
    const { left, value } = this.place(event);
    this.snap(value);
    if (this.began === null) return;
    const [from, to] = [Math.min(this.began, left), Math.max(this.began, left)];
    this.svg.append(s("rect", { class: "chosen", x: from, width: to - from, y: MARGIN.top,
      height: this.chart.options.height - MARGIN.bottom - MARGIN.top }));
  }

  // A finger scrolls the page and asks for values; only a mouse or pen marks a part.
  /** @param {PointerEvent} event */
  press(event) {
    if (!this.chart.scales) return;
    const { left, value } = this.place(event);
    if (event.pointerType !== "touch" && event.button === 0) {
      this.began = left;
      this.chart.svg.setPointerCapture(event.pointerId);
    }
    this.snap(value);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { began, chart } = this;
    this.began = null;
    if (began === null || !chart.scales) return;
    const { left, value } = this.place(event);
    if (Math.abs(left - began) < DRAGGED) return;
    const { px, x0, x1 } = chart.scales;
    const other = x0 + ((began - px(x0)) / (px(x1) - px(x0))) * (x1 - x0);
    chart.group.setZoom([Math.max(x0, Math.min(value, other)), Math.min(x1, Math.max(value, other))]);
  }

  /**
   * snap puts the crosshair on the point of any line that is nearest to x.
   * @param {number} x
   */
  snap(x) {
    const axis = this.chart.group.axisShown();
    const candidates = this.chart.lines.map((line) => nearest(line.points, axis, x)[axis.at]);
    if (candidates.length === 0) return;
    this.chart.group.setCursor(candidates.reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a)), this.chart);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { group, lines, scales } = this.chart;
    if (!scales) return;
    const { axis, x0, x1 } = scales;
    const all = [...new Set(lines.flatMap((line) => line.points.map((p) => p[axis.at])))].filter(
      (x) => x >= x0 && x <= x1).sort((a, b) => a - b);
    const now = group.cursor ?? x1;
    const here = Math.max(0, all.findLastIndex((x) => x <= now));
    const stride = event.shiftKey ? 10 : 1;
    /** @type {Record<string, number>} */
    const targets = { ArrowLeft: here - stride, ArrowRight: here + stride, Home: 0, End: all.length - 1 };
    const to = targets[event.key];
    if (event.key === "Escape") {
      if (group.cursor === null) group.setZoom(null);
      group.setCursor(null);
    } else if (event.key === "+" || event.key === "=") {
      const quarter = (x1 - x0) / 4;
      group.setZoom([Math.max(x0, now - quarter), Math.min(x1, now + quarter)]);
    } else if (event.key === "-") {
      group.setZoom(null);
    }
    if (to === undefined) return;
    event.preventDefault();
    group.setCursor(all[Math.max(0, Math.min(all.length - 1, to))] ?? x0, this.chart);
  }
}
