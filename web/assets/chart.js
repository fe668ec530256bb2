// A line chart in SVG with 95 % bands. Charts of a Group share the x axis, the part of it that is
// zoomed into, the smoothing and the crosshair.

import { Cursor } from "./cursor.js";
import { h, s } from "./dom.js";
import { AXES, HEIGHT, drawAxes, drawEvents, drawLine, drawParity, frame, measure } from "./draw.js";
import { number } from "./format.js";
import { likes, like } from "./likes.js";
import { save } from "./save.js";

/**
 * @typedef {import("./draw.js").Line} Line
 * @typedef {import("./draw.js").Options} Options
 * @typedef {keyof typeof AXES} AxisName
 */

// Group is a set of charts with one x axis, "seconds" or "samples".
export class Group {
  /** @type {Chart[]} */
  charts = [];
  /** @type {number | null} */
  cursor = null; // x under the crosshair
  /** @type {Chart | undefined} */
  owner; // where the crosshair was set
  /** @type {[x0: number, x1: number] | null} */
  zoom = null; // the part of the x axis that is shown, null for all of it

  changed = () => {}; // called when the axis, the zoom or the smoothing is another one

  /**
   * @param {AxisName} axis
   * @param {number} smoothing see drawLine
   */
  constructor(axis, smoothing = 0.05) {
    this.axis = axis;
    this.smoothing = smoothing;
  }
  axisShown() {
    return AXES[this.axis];
  }
  /**
   * range is that of x over all charts, from 0 unless the beginning is far away, or what is zoomed into.
   * @returns {[number, number]}
   */
  range() {
    if (this.zoom) return this.zoom;
    const { at } = this.axisShown();
    const lines = this.charts.flatMap((chart) => chart.all);
    const low = Math.min(...lines.map(({ points }) => points[0][at]));
    const high = Math.max(...lines.map(({ points }) => points[points.length - 1][at]));
    return [low < 0.2 * high ? 0 : low, low === high ? low + 1 : high];
  }
  redraw() {
    for (const chart of this.charts) chart.redraw();
  }
  /** @param {AxisName} axis */
  setAxis(axis) {
    this.axis = axis;
    this.cursor = null;
    this.zoom = null;
    this.changed();
    this.redraw();
  }
  /** @param {[x0: number, x1: number] | null} zoom */
  setZoom(zoom) {
    if (zoom && !(zoom[1] > zoom[0])) return;
    this.zoom = zoom;
    this.cursor = null;
    this.changed();
    this.redraw();
  }
  /** @param {number} smoothing */
  setSmoothing(smoothing) {
    this.smoothing = smoothing;
    this.changed();
    this.redraw();
  }
  /**
   * @param {number | null} x
   * @param {Chart} [owner]
   */
  setCursor(x, owner) {
    this.cursor = x;
    this.owner = owner;
    for (const chart of this.charts) chart.follow();
  }
}

export class Chart {
  /** @type {Line[]} */
  all = []; // the curves that have points
  /** @type {Line[]} */
  lines = []; // those of them that are shown
  /** @type {{ at: number[], label: string }[]} */
  events = []; // at seconds and samples
  /** @type {import("./draw.js").Scales | null} */
  scales = null; // of what is drawn
  width = 0; // of the plot, as the observer of its size tells it: to ask for it would have the page laid out
  frame = 0; // requested for drawing curves
  following = 0; // requested for drawing the crosshair
  drawn = 0; // how often the curves were drawn
  legend = h("ul", { class: "legend" });
  svg = s("svg", { tabindex: 0, role: "img" });
  cursor = new Cursor(this);
  plot = h("div", { class: "plot" }, this.svg, this.cursor.svg, this.cursor.tip);
  whole = h("button", { type: "button", class: "whole", hidden: true }, "Whole range");

  /**
   * @param {Group} group
   * @param {Options} options
   */
  constructor(group, options) {
    const { title, note, height = HEIGHT } = options;
    this.group = group;
    this.options = { format: number, waiting: "", ...options, height };
    for (const svg of [this.svg, this.cursor.svg]) svg.setAttribute("height", String(height));
    this.svg.setAttribute("aria-label", title); // until it is drawn: in a fold that is closed it has no width
    this.element = h("figure", { class: "chart" },
      h("figcaption", {}, h("h3", {}, title), note && h("p", {}, note), this.whole, this.menu()), this.legend,
      this.plot);
    this.legend.addEventListener("click", (e) => this.toggle(e));
    this.whole.addEventListener("click", () => group.setZoom(null));
    group.charts.push(this);
    new ResizeObserver(([{ contentRect }]) => {
      this.width = contentRect.width;
      this.redraw();
    }).observe(this.plot);
  }

  // menu offers what is done with a chart now and then.
  menu() {
    const log = h("input", { type: "checkbox", checked: this.isLog() });
    log.addEventListener("change", () => {
      const others = likes.log.filter((title) => title !== this.options.title);
      like({ log: log.checked ? [...others, this.options.title] : others });
      this.redraw();
    });
    const formats = /** @type {const} */ (["csv", "png", "svg"]).map((format) => {
      const button = h("button", { type: "button" }, format.toUpperCase());
      button.addEventListener("click", () => save(this, format));
      return button;
    });
    return h("details", { class: "menu" }, h("summary", { "aria-label": `Options of ${this.options.title}` }, "⋯"),
      h("div", {}, h("label", {}, log, " logarithmic"), h("span", {}, "Save as"), formats));
  }

  isLog() {
    return likes.log.includes(this.options.title);
  }

  /**
   * key names a curve among those that are hidden.
   * @param {Line} line
   */
  key(line) {
    return `${this.options.title}/${line.label}`;
  }

  /**
   * setLines replaces the curves.
   * @param {Line[]} lines
   */
  setLines(lines) {
    this.all = lines.filter((line) => line.points.length > 0);
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

  // follow draws the crosshair alone.
  follow() {
    this.following ||= requestAnimationFrame(() => {
      this.following = 0;
      this.cursor.draw();
      this.tell();
    });
  }

  draw() {
    const { width } = this;
    if (width === 0) return;
    this.drawn++;
    this.svg.setAttribute("width", String(width));
    this.lines = this.all.filter((line) => !likes.hidden.includes(this.key(line)));
    this.whole.hidden = this.group.zoom === null;
    this.element.classList.toggle("waiting", this.lines.length === 0);
    this.drawLegend();
    if (this.lines.length === 0) {
      const text = this.all.length > 0 ? "all curves are hidden" : this.options.waiting;
      this.scales = null;
      this.svg.replaceChildren(s("text", { class: "waiting", x: width / 2, y: this.options.height / 2 }, text));
      this.svg.setAttribute("aria-label", `${this.options.title}: ${text}`);
      this.cursor.draw();
      return;
    }
    const scales = measure(this.lines, this.group.axisShown(), this.group.range(), width,
      { ...this.options, log: this.isLog() });
    this.scales = scales;
    this.svg.replaceChildren(...drawAxes(scales, this.options.unit), ...drawEvents(scales, this.events),
      ...drawParity(scales, this.options.parity),
      frame(scales, this.lines.map((line) => drawLine(scales, line, this.group.smoothing))));
    this.cursor.draw();
    this.tell();
  }

  // drawLegend lists the curves, each a button that hides and shows it where there are several.
  drawLegend() {
    const focused = this.legend.contains(document.activeElement) ? document.activeElement?.getAttribute("data-label")
      : null;
    this.legend.replaceChildren(...this.all.map((line) => {
      const value = h("b", { "data-value": line.label });
      if (this.all.length === 1) return h("li", { class: `color-${line.color}` },
        this.options.named && h("span", {}, line.label, " "), value);
      const shown = this.lines.includes(line);
      return h("li", { class: `color-${line.color}` },
        h("button", { type: "button", "aria-pressed": String(shown), "data-label": line.label },
          h("span", {}, line.label), value));
    }));
    if (focused == null) return;
    const again = [...this.legend.querySelectorAll("button")].find((b) => b.dataset.label === focused);
    again?.focus();
  }

  // tell writes the values at the crosshair, or the newest ones, into the legend and for screen readers.
  tell() {
    const values = this.cursor.values();
    for (const place of this.legend.querySelectorAll("[data-value]")) {
      const found = values.find(({ label }) => label === place.getAttribute("data-value"));
      place.textContent = found ? this.options.format(found.p[2]) : "";
    }
    if (values.length === 0) return;
    const { title, unit } = this.options;
    const parts = values.map(({ label, p }) => `${label} ${this.options.format(p[2])}`);
    this.svg.setAttribute("aria-label",
      `${title} (${unit}) against ${this.group.axisShown().title}: ${parts.join(", ")}. Arrow keys move the crosshair, + and - zoom.`);
  }

  /** @param {Event} event */
  toggle({ target }) {
    const button = target instanceof Element ? target.closest("button") : null;
    const line = this.all.find(({ label }) => label === button?.dataset.label);
    if (!line) return;
    const key = this.key(line);
    const others = likes.hidden.filter((k) => k !== key);
    like({ hidden: others.length === likes.hidden.length ? [...others, key] : others });
    this.redraw();
  }
}
