// A line chart in SVG with 95 % bands and a crosshair. Charts of a Group share the
// x axis and the crosshair.

import { h, s } from "./dom.js";
import { duration, number, ticks } from "./format.js";
import { extent, linear, marks, niceStep, timeStep } from "./scale.js";

const HEIGHT = 216;
const MARGIN = { top: 10, right: 14, bottom: 38, left: 64 };

/**
 * A value of the y axis, or a part of it, for people.
 * @typedef {(value: number) => string} Write
 *
 * @typedef {object} Line
 * @property {string} label
 * @property {number} color
 * @property {Point[]} points
 *
 * @typedef {object} Options
 * @property {string} title
 * @property {string} unit of the y axis
 * @property {string} [note]
 * @property {string} [waiting] shown while there are no points
 * @property {Write} [format] of a value
 * @property {Write} [ticks] of the marks of the y axis
 * @property {boolean} [zero] whether the y axis begins at zero
 *
 * @typedef {Line & { p: Point }} Shown a line and its point at the crosshair
 *
 * @typedef {keyof typeof AXES} AxisName
 *
 * The scales of both axes: the axis of x and its ends, the extent of y, and where values
 * lie in pixels.
 * @typedef {{ axis: Axis, x0: number, x1: number, y: ReturnType<typeof extent>,
 *   px: (x: number) => number, py: (y: number) => number }} Scales
 *
 * An x axis: which part of a point it shows, and how.
 * @typedef {object} Axis
 * @property {0 | 1} at
 * @property {string} title
 * @property {(span: number, n: number) => number} step
 * @property {(step: number, largest: number) => Write} ticks
 */

/** @satisfies {Record<string, Axis>} */
const AXES = {
  seconds: { at: 0, title: "training time", step: timeStep, ticks: () => duration },
  samples: { at: 1, title: "training samples", step: niceStep, ticks },
};

// From this number of measurements on, their moving mean is drawn as well.
const MANY = 80;

/**
 * movingMean averages over up to reach neighbours on each side, as many on both.
 * @param {number[]} values
 * @param {number} reach
 */
function movingMean(values, reach) {
  const sums = [0];
  for (const [i, v] of values.entries()) sums.push(sums[i] + v);
  return values.map((_, i) => {
    const r = Math.min(reach, i, values.length - 1 - i);
    return (sums[i + r + 1] - sums[i - r]) / (2 * r + 1);
  });
}

// Group is a set of charts with one x axis, "seconds" or "samples".
export class Group {
  /** @type {Chart[]} */
  charts = [];
  /** @type {number | null} */
  cursor = null; // x under the crosshair
  /** @type {Chart | undefined} */
  owner; // where the crosshair was set

  /** @param {AxisName} axis */
  constructor(axis) {
    this.axis = axis;
  }
  // range is that of x over all charts, from 0 unless the beginning is far away.
  range() {
    const { at } = AXES[this.axis];
    const lines = this.charts.flatMap((chart) => chart.lines);
    const low = Math.min(...lines.map(({ points }) => points[0][at]));
    const high = Math.max(...lines.map(({ points }) => points[points.length - 1][at]));
    return [low < 0.2 * high ? 0 : low, low === high ? low + 1 : high];
  }
  /** @param {AxisName} axis */
  setAxis(axis) {
    this.axis = axis;
    this.cursor = null;
    for (const chart of this.charts) chart.redraw();
  }
  /**
   * @param {number | null} x
   * @param {Chart} [owner]
   */
  setCursor(x, owner) {
    this.cursor = x;
    this.owner = owner;
    for (const chart of this.charts) chart.redraw();
  }
}

export class Chart {
  /** @type {Line[]} */
  lines = [];
  /** @type {{ at: number[], label: string }[]} */
  events = []; // at seconds and samples
  /** @type {Scales | null} */
  scales = null; // of what is drawn
  frame = 0;
  legend = h("ul", { class: "legend" });
  svg = s("svg", { tabindex: 0, role: "img", height: HEIGHT });
  tip = h("div", { class: "tip", role: "status", hidden: true });
  plot = h("div", { class: "plot" }, this.svg, this.tip);

  /**
   * @param {Group} group
   * @param {Options} options
   */
  constructor(group, options) {
    const { title, note } = options;
    this.group = group;
    this.options = { format: number, waiting: "", ...options };
    this.element = h("figure", { class: "chart" },
      h("figcaption", {}, h("h3", {}, title), note && h("p", {}, note)), this.legend, this.plot);
    this.listen();
    group.charts.push(this);
    new ResizeObserver(() => this.redraw()).observe(this.plot);
  }

  listen() {
    this.svg.addEventListener("pointermove", (e) => this.point(e));
    this.svg.addEventListener("pointerdown", (e) => this.point(e));
    this.svg.addEventListener("pointerleave", () => this.group.setCursor(null));
    this.svg.addEventListener("blur", () => this.group.setCursor(null));
    this.svg.addEventListener("keydown", (e) => this.key(e));
  }

  /**
   * setLines replaces the curves.
   * @param {Line[]} lines
   */
  setLines(lines) {
    this.lines = lines.filter((line) => line.points.length > 0);
    this.redraw();
  }

  /**
   * setEvents replaces the marks of what happened during training.
   * @param {{ at: number[], label: string }[]} events
   */
  setEvents(events) {
    this.events = events;
    this.redraw();
  }

  redraw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const width = this.plot.clientWidth;
    if (width === 0) return;
    this.svg.setAttribute("width", String(width));
    this.element.classList.toggle("waiting", this.lines.length === 0);
    if (this.lines.length === 0) {
      this.scales = null;
      this.svg.replaceChildren(s("text", { class: "waiting", x: width / 2, y: HEIGHT / 2 }, this.options.waiting));
      this.svg.setAttribute("aria-label", `${this.options.title}: ${this.options.waiting}`);
      this.legend.replaceChildren();
      this.tip.hidden = true;
      return;
    }
    const scales = this.measure(width);
    this.scales = scales;
    this.svg.replaceChildren(...this.drawAxes(scales, width), ...this.drawEvents(scales), ...this.lines.map((line) => this.drawLine(scales, line)));
    this.drawCursor(scales, width);
  }

  /**
   * measure finds the scales of both axes.
   * @param {number} width
   * @returns {Scales}
   */
  measure(width) {
    const axis = AXES[this.group.axis];
    const [x0, x1] = this.group.range();
    let [y0, y1] = [Infinity, -Infinity];
    for (const { points } of this.lines) {
      for (const p of points) {
        y0 = Math.min(y0, p[3] ?? p[2]);
        y1 = Math.max(y1, p[4] ?? p[2]);
      }
    }
    const y = extent(y0, y1, { zero: this.options.zero, parts: 5 });
    return {
      axis, x0, x1, y,
      px: linear(x0, x1, MARGIN.left, width - MARGIN.right),
      py: linear(y.low, y.high, HEIGHT - MARGIN.bottom, MARGIN.top),
    };
  }

  /**
   * @param {Scales} scales
   * @param {number} width
   */
  drawAxes({ axis, x0, x1, y, px, py }, width) {
    const bottom = HEIGHT - MARGIN.bottom;
    const right = width - MARGIN.right;
    const out = [];
    const yTick = this.options.ticks ?? ticks(y.step, Math.max(Math.abs(y.low), Math.abs(y.high)));
    for (const v of marks(y.low, y.high, y.step)) {
      const line = { class: Math.abs(v) < y.step / 1e6 ? "zero" : "grid", x1: MARGIN.left, x2: right, y1: py(v), y2: py(v) };
      out.push(s("line", line), s("text", { class: "tick y", x: MARGIN.left - 8, y: py(v) }, yTick(v)));
    }
    const step = axis.step(x1 - x0, Math.max(2, Math.floor((right - MARGIN.left) / 80)));
    const xTick = axis.ticks(step, x1);
    for (const v of marks(x0, x1, step)) {
      out.push(s("line", { class: "mark", x1: px(v), x2: px(v), y1: bottom, y2: bottom + 4 }));
      out.push(s("text", { class: "tick x", x: px(v), y: bottom + 16 }, v === 0 ? "0" : xTick(v)));
    }
    const middle = (MARGIN.top + bottom) / 2;
    out.push(s("text", { class: "title x", x: (MARGIN.left + right) / 2, y: HEIGHT - 3 }, axis.title));
    out.push(s("text", { class: "title y", transform: `translate(10 ${middle}) rotate(-90)` }, this.options.unit));
    return out;
  }

  /** @param {Scales} scales */
  drawEvents({ axis, x0, x1, px }) {
    return this.events.filter(({ at }) => at[axis.at] >= x0 && at[axis.at] <= x1).map(({ at, label }) => {
      const x = px(at[axis.at]);
      return s("line", { class: "event", x1: x, x2: x, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }, s("title", {}, label));
    });
  }

  /**
   * drawLine returns the line with its band or, where there are many measurements
   * without intervals, faint measurements with their moving mean. Of points with
   * equal x the last counts.
   * @param {Scales} scales
   * @param {Line} line
   */
  drawLine({ axis, px, py }, { color, points }) {
    const shown = points.filter((p, i) => i + 1 === points.length || points[i + 1][axis.at] > p[axis.at]);
    const path = (/** @type {number[]} */ values) => "M" + values.map((v, i) => `${px(shown[i][axis.at]).toFixed(1)} ${py(v).toFixed(1)}`).join("L");
    const values = shown.map((p) => p[2]);
    const last = shown[shown.length - 1];
    const group = s("g", { class: `curve color-${color}` });
    if (shown.every((p) => p.length === 5)) {
      const lower = path(shown.map((p) => p[3])).slice(1).split("L").reverse().join("L");
      group.append(s("path", { class: "band", d: `${path(shown.map((p) => p[4]))}L${lower}Z` }));
    }
    const smooth = shown.length > MANY && last.length === 3;
    if (smooth) group.append(s("path", { class: "line mean", d: path(movingMean(values, Math.round(values.length / 40))) }));
    group.prepend(s("path", { class: smooth ? "line faint" : "line", d: path(values) }));
    group.append(s("circle", { class: "end", r: 3, cx: px(last[axis.at]), cy: py(last[2]) }));
    return group;
  }

  /**
   * nearest returns the point of a line that is closest to x; the later one of equals.
   * @param {Point[]} points
   * @param {Axis} axis
   * @param {number} x
   */
  nearest(points, { at }, x) {
    let [low, high] = [0, points.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (points[middle][at] <= x) low = middle;
      else high = middle - 1;
    }
    const next = points[low + 1];
    return next && next[at] - x < x - points[low][at] ? next : points[low];
  }

  /**
   * @param {Scales} scales
   * @param {number} width
   */
  drawCursor({ axis, x0, x1, px, py }, width) {
    const x = this.group.cursor;
    const mine = this.group.owner === this;
    const values = this.lines.map((line) => ({ ...line, p: this.nearest(line.points, axis, x ?? Infinity) }));
    this.drawLegend(values);
    this.svg.setAttribute("aria-label", this.describe(values, axis));
    this.tip.hidden = x == null || !mine;
    if (x == null || x < x0 || x > x1) return;
    this.svg.append(s("line", { class: "cross", x1: px(x), x2: px(x), y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
    for (const { color, p } of values) {
      this.svg.append(s("circle", { class: `dot color-${color}`, r: 3.5, cx: px(p[axis.at]), cy: py(p[2]) }));
    }
    if (!mine) return;
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
    this.tip.replaceChildren(
      h("p", {}, `${duration(at[0])} · ${number(at[1])} samples`),
      h("table", {}, values.map(({ label, color, p }) => h("tr", {},
        h("th", { scope: "row", class: `color-${color}` }, label),
        h("td", {}, this.options.format(p[2])),
        p.length === 5 && h("td", { class: "interval" }, `[${this.options.format(p[3])}, ${this.options.format(p[4])}]`)))));
    const room = left > width / 2 ? left - this.tip.offsetWidth - 14 : left + 14;
    this.tip.style.left = `${Math.max(0, Math.min(room, width - this.tip.offsetWidth))}px`;
  }

  /** @param {Shown[]} values */
  drawLegend(values) {
    this.legend.replaceChildren(...values.map(({ label, color, p }) =>
      h("li", { class: `color-${color}` }, values.length > 1 && h("span", {}, label), h("b", {}, this.options.format(p[2])))));
  }

  /**
   * @param {Shown[]} values
   * @param {Axis} axis
   */
  describe(values, axis) {
    const { title, unit } = this.options;
    const parts = values.map(({ label, p }) => `${label} ${this.options.format(p[2])}`);
    return `${title} (${unit}) against ${axis.title}: ${parts.join(", ")}. Arrow keys move the crosshair.`;
  }

  /** @param {PointerEvent} event */
  point(event) {
    if (!this.scales) return;
    const { axis, px, x0, x1 } = this.scales;
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    const value = x0 + ((x - px(x0)) / (px(x1) - px(x0))) * (x1 - x0);
    this.snap(axis, Math.max(x0, Math.min(x1, value)));
  }

  /**
   * snap puts the crosshair on the point of any line that is nearest to x.
   * @param {Axis} axis
   * @param {number} x
   */
  snap(axis, x) {
    const candidates = this.lines.map((line) => this.nearest(line.points, axis, x)[axis.at]);
    this.group.setCursor(candidates.reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a)), this);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.scales) return;
    const { axis, x0, x1 } = this.scales;
    const all = [...new Set(this.lines.flatMap((line) => line.points.map((p) => p[axis.at])))].sort((a, b) => a - b);
    const now = this.group.cursor ?? x1;
    const here = Math.max(0, all.findLastIndex((x) => x <= now));
    const stride = event.shiftKey ? 10 : 1;
    /** @type {Record<string, number>} */
    const targets = { ArrowLeft: here - stride, ArrowRight: here + stride, Home: 0, End: all.length - 1 };
    const to = targets[event.key];
    if (event.key === "Escape") this.group.setCursor(null);
    if (to === undefined) return;
    event.preventDefault();
    this.group.setCursor(all[Math.max(0, Math.min(all.length - 1, to))] ?? x0, this);
  }
}
