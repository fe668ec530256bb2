// A line chart in SVG with 95 % bands and a crosshair. Charts of a Group share the
// x axis and the crosshair.

import { h, s } from "./dom.js";
import { duration, number, ticks } from "./format.js";
import { extent, linear, marks, niceStep, timeStep } from "./scale.js";

const HEIGHT = 216;
const MARGIN = { top: 10, right: 14, bottom: 38, left: 64 };

const AXES = {
  seconds: { at: 0, title: "training time", step: timeStep, ticks: () => duration },
  samples: { at: 1, title: "training samples", step: niceStep, ticks },
};

// From this number of measurements on, their moving mean is drawn as well.
const MANY = 80;

// movingMean averages over up to reach neighbours on each side, as many on both.
function movingMean(values, reach) {
  const sums = [0];
  for (const v of values) sums.push(sums.at(-1) + v);
  return values.map((_, i) => {
    const r = Math.min(reach, i, values.length - 1 - i);
    return (sums[i + r + 1] - sums[i - r]) / (2 * r + 1);
  });
}

// Group is a set of charts with one x axis, "seconds" or "samples".
export class Group {
  constructor(axis) {
    this.charts = [];
    this.axis = axis;
    this.cursor = null; // x under the crosshair
  }
  // range is that of x over all charts, from 0 unless the beginning is far away.
  range() {
    const { at } = AXES[this.axis];
    const lines = this.charts.flatMap((chart) => chart.lines);
    const low = Math.min(...lines.map(({ points }) => points[0][at]));
    const high = Math.max(...lines.map(({ points }) => points.at(-1)[at]));
    return [low < 0.2 * high ? 0 : low, low === high ? low + 1 : high];
  }
  setAxis(axis) {
    this.axis = axis;
    this.cursor = null;
    for (const chart of this.charts) chart.redraw();
  }
  setCursor(x, owner) {
    this.cursor = x;
    this.owner = owner;
    for (const chart of this.charts) chart.redraw();
  }
}

// Chart options: title, unit (of the y axis), note, waiting (shown while there are no
// points), format (of a value), zero (whether the y axis begins at zero).
export class Chart {
  constructor(group, options) {
    this.group = group;
    this.options = { format: number, note: "", ...options };
    this.lines = []; // {label, color, points}
    this.frame = 0;
    this.build();
    group.charts.push(this);
    new ResizeObserver(() => this.redraw()).observe(this.plot);
  }

  build() {
    const { title, note } = this.options;
    this.legend = h("ul", { class: "legend" });
    this.svg = s("svg", { tabindex: 0, role: "img", height: HEIGHT });
    this.tip = h("div", { class: "tip", role: "status", hidden: true });
    this.plot = h("div", { class: "plot" }, this.svg, this.tip);
    this.element = h("figure", { class: "chart" },
      h("figcaption", {}, h("h3", {}, title), note && h("p", {}, note)), this.legend, this.plot);
    this.svg.addEventListener("pointermove", (e) => this.point(e));
    this.svg.addEventListener("pointerdown", (e) => this.point(e));
    this.svg.addEventListener("pointerleave", () => this.group.setCursor(null));
    this.svg.addEventListener("blur", () => this.group.setCursor(null));
    this.svg.addEventListener("keydown", (e) => this.key(e));
  }

  // setLines replaces the curves: [{label, color, points}], points as in the API.
  setLines(lines) {
    this.lines = lines.filter((line) => line.points.length > 0);
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
    this.svg.setAttribute("width", width);
    this.element.classList.toggle("waiting", this.lines.length === 0);
    if (this.lines.length === 0) {
      this.scales = null;
      this.svg.replaceChildren(s("text", { class: "waiting", x: width / 2, y: HEIGHT / 2 }, this.options.waiting));
      this.svg.setAttribute("aria-label", `${this.options.title}: ${this.options.waiting}`);
      this.legend.replaceChildren();
      this.tip.hidden = true;
      return;
    }
    this.scales = this.measure(width);
    this.svg.replaceChildren(...this.drawAxes(width), ...this.lines.map((line) => this.drawLine(line)));
    this.drawCursor(width);
  }

  // measure finds the scales of both axes.
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

  drawAxes(width) {
    const { axis, x0, x1, y, px, py } = this.scales;
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

  // drawLine returns the line with its band or, where there are many measurements
  // without intervals, faint measurements with their moving mean. Of points with
  // equal x the last counts.
  drawLine({ color, points }) {
    const { axis, px, py } = this.scales;
    const shown = points.filter((p, i) => i + 1 === points.length || points[i + 1][axis.at] > p[axis.at]);
    const path = (values) => "M" + values.map((v, i) => `${px(shown[i][axis.at]).toFixed(1)} ${py(v).toFixed(1)}`).join("L");
    const values = shown.map((p) => p[2]);
    const last = shown[shown.length - 1];
    const group = s("g", { class: `curve color-${color}` });
    if (shown.every((p) => p.length > 3)) {
      const lower = path(shown.map((p) => p[3])).slice(1).split("L").reverse().join("L");
      group.append(s("path", { class: "band", d: `${path(shown.map((p) => p[4]))}L${lower}Z` }));
    }
    const smooth = shown.length > MANY && last.length === 3;
    if (smooth) group.append(s("path", { class: "line mean", d: path(movingMean(values, Math.round(values.length / 40))) }));
    group.prepend(s("path", { class: smooth ? "line faint" : "line", d: path(values) }));
    group.append(s("circle", { class: "end", r: 3, cx: px(last[axis.at]), cy: py(last[2]) }));
    return group;
  }

  // nearest returns the point of a line that is closest to x; the later one of equals.
  nearest(points, x) {
    const at = this.scales.axis.at;
    let [low, high] = [0, points.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (points[middle][at] <= x) low = middle;
      else high = middle - 1;
    }
    const next = points[low + 1];
    return next && next[at] - x < x - points[low][at] ? next : points[low];
  }

  drawCursor(width) {
    const x = this.group.cursor;
    const mine = this.group.owner === this;
    const values = this.lines.map((line) => ({ ...line, p: x == null ? line.points.at(-1) : this.nearest(line.points, x) }));
    this.drawLegend(values);
    this.svg.setAttribute("aria-label", this.describe(values));
    this.tip.hidden = x == null || !mine;
    if (x == null || x < this.scales.x0 || x > this.scales.x1) return;
    const { axis, px, py } = this.scales;
    this.svg.append(s("line", { class: "cross", x1: px(x), x2: px(x), y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
    for (const { color, p } of values) {
      this.svg.append(s("circle", { class: `dot color-${color}`, r: 3.5, cx: px(p[axis.at]), cy: py(p[2]) }));
    }
    if (mine) this.drawTip(values, px(x), width);
  }

  drawTip(values, left, width) {
    const at = values.reduce((a, b) => (this.distance(b.p) < this.distance(a.p) ? b : a)).p;
    this.tip.replaceChildren(
      h("p", {}, `${duration(at[0])} · ${number(at[1])} samples`),
      h("table", {}, values.map(({ label, color, p }) => h("tr", {},
        h("th", { scope: "row", class: `color-${color}` }, label),
        h("td", {}, this.options.format(p[2])),
        p.length > 3 && h("td", { class: "interval" }, this.interval(p))))));
    const room = left > width / 2 ? left - this.tip.offsetWidth - 14 : left + 14;
    this.tip.style.left = `${Math.max(0, Math.min(room, width - this.tip.offsetWidth))}px`;
  }

  distance(p) {
    return Math.abs(p[this.scales.axis.at] - this.group.cursor);
  }

  interval(p) {
    return `[${this.options.format(p[3])}, ${this.options.format(p[4])}]`;
  }

  drawLegend(values) {
    this.legend.replaceChildren(...values.map(({ label, color, p }) =>
      h("li", { class: `color-${color}` }, values.length > 1 && h("span", {}, label), h("b", {}, this.options.format(p[2])))));
  }

  describe(values) {
    const { title, unit } = this.options;
    const parts = values.map(({ label, p }) => `${label} ${this.options.format(p[2])}`);
    return `${title} (${unit}) against ${this.scales.axis.title}: ${parts.join(", ")}. Arrow keys move the crosshair.`;
  }

  point(event) {
    if (!this.scales) return;
    const { px, x0, x1 } = this.scales;
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    const value = x0 + ((x - px(x0)) / (px(x1) - px(x0))) * (x1 - x0);
    this.snap(Math.max(x0, Math.min(x1, value)));
  }

  // snap puts the crosshair on the point of any line that is nearest to x.
  snap(x) {
    const at = this.scales.axis.at;
    const candidates = this.lines.map((line) => this.nearest(line.points, x)[at]);
    this.group.setCursor(candidates.reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a)), this);
  }

  key(event) {
    if (!this.scales) return;
    const { axis, x0, x1 } = this.scales;
    const all = [...new Set(this.lines.flatMap((line) => line.points.map((p) => p[axis.at])))].sort((a, b) => a - b);
    const now = this.group.cursor ?? x1;
    const here = Math.max(0, all.findLastIndex((x) => x <= now));
    const stride = event.shiftKey ? 10 : 1;
    const to = { ArrowLeft: here - stride, ArrowRight: here + stride, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") this.group.setCursor(null);
    if (to === undefined) return;
    event.preventDefault();
    this.group.setCursor(all[Math.max(0, Math.min(all.length - 1, to))] ?? x0, this);
  }
}
