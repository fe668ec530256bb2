// What a chart draws: axes, marks and curves in SVG. Nothing here depends on the crosshair.

import { s } from "./dom.js";
import { duration, ticks } from "./format.js";
import { extent, linear, logarithmic, marks, niceStep, powers, timeStep } from "./scale.js";

const LETTER = 8; // pixels, at most, of a letter of a tick
const USUAL = 7; // on average
export const HEIGHT = 216;
export const MARGIN = { top: 10, right: 14, bottom: 38, left: 64 };

/**
 * A value of the y axis, or a part of it, for people.
 * @typedef {(value: number) => string} Write
 *
 * An x axis: which part of a point it shows, and how.
 * @typedef {object} Axis
 * @property {0 | 1} at
 * @property {string} title
 * @property {(span: number, n: number) => number} step
 * @property {(step: number, largest: number) => Write} ticks
 *
 * The scales of both axes: the axis of x and its ends, the marks of y, and where values lie in
 * pixels.
 * @typedef {{ axis: Axis, x0: number, x1: number, width: number, yMarks: number[], yWrite: Write,
 *   height: number, px: (x: number) => number, py: (y: number) => number }} Scales
 *
 * @typedef {object} Line
 * @property {string} label
 * @property {number} color
 * @property {Point[]} points
 * @property {number} [solid] how many of them, from the first, are measurements; the others are first looks, and hollow
 *
 * What a chart says of itself.
 * @typedef {object} Options
 * @property {string} title
 * @property {string} unit of the y axis
 * @property {string} [note]
 * @property {boolean} [named] a curve that is alone has its name in the legend, too
 * @property {string} [waiting] shown while there are no points
 * @property {Write} [format] of a value
 * @property {Write} [ticks] of the marks of the y axis
 * @property {boolean} [zero] whether the y axis begins at zero
 * @property {number} [height] in pixels
 * @property {[low: number, high: number]} [ends] of the y axis, whatever the curves are
 * @property {{ at: number, label: string }} [parity] where nobody is better
 */

/** @satisfies {Record<string, Axis>} */
export const AXES = {
  seconds: { at: 0, title: "training time", step: timeStep, ticks: () => duration },
  samples: { at: 1, title: "training samples", step: niceStep, ticks },
  processor: { at: 0, title: "processor time", step: timeStep, ticks: () => duration },
};

// From this number of measurements on, their moving mean is drawn as well.
const MANY = 80;

// BAND is how many times the usual width of a band one may reach before the axis leaves it out.
const BAND = 2;

/**
 * reach is the range of values that an axis shows: all of the curves, and their bands as far as these are not much
 * wider than usual (the lower median of all). The first measurements of a training have intervals that are a hundred
 * times as wide as later ones, next to which nothing could be seen. What is left out is cut off, with a mark.
 * @param {Point[][]} curves
 * @returns {[low: number, high: number]}
 */
export function reach(curves) {
  const points = curves.flat();
  if (points.length === 0) return [0, 1];
  const widths = points.flatMap((p) => (p.length === 5 ? [Math.max(p[2] - p[3], p[4] - p[2])] : [])).sort(
    (a, b) => a - b);
  const most = BAND * (widths[(widths.length - 1) >> 1] ?? 0);
  return [Math.min(...points.map((p) => Math.min(p[2], Math.max(p[3] ?? p[2], p[2] - most)))),
    Math.max(...points.map((p) => Math.max(p[2], Math.min(p[4] ?? p[2], p[2] + most))))];
}

/**
 * measure finds the scales of both axes for the lines' points between x0 and x1.
 * @param {Line[]} lines
 * @param {Axis} axis
 * @param {[x0: number, x1: number]} range
 * @param {number} width
 * @param {{ log: boolean } & Options} options
 * @returns {Scales}
 */
export function measure(lines, axis, [x0, x1], width, options) {
  const { height = HEIGHT } = options;
  const [low, high] = options.ends ?? reach(lines.map(
    ({ points }) => points.filter((p) => p[axis.at] >= x0 && p[axis.at] <= x1)));
  const [bottom, top] = [height - MARGIN.bottom, MARGIN.top];
  const px = linear(x0, x1, MARGIN.left, width - MARGIN.right);
  if (options.log && low > 0) {
    const yMarks = powers(low, high);
    const ends = [Math.min(low, yMarks[0]), Math.max(high, yMarks[yMarks.length - 1])];
    const yWrite = options.ticks ?? ((/** @type {number} */ v) => ticks(v, v)(v));
    return { axis, x0, x1, width, height, yMarks, yWrite, px, py: logarithmic(ends[0], ends[1], bottom, top) };
  }
  const y = extent(low, high, { zero: options.zero, parts: 5 });
  const yWrite = options.ticks ?? ticks(y.step, Math.max(Math.abs(y.low), Math.abs(y.high)));
  return { axis, x0, x1, width, height, yMarks: marks(y.low, y.high, y.step), yWrite, px,
    py: linear(y.low, y.high, bottom, top) };
}

// fit presses a text that would be longer than there is room for.
/** @param {string} text @param {number} room */
const fit = (text, room) => (USUAL * text.length > room ? { textLength: room, lengthAdjust: "spacingAndGlyphs" } : {});

/**
 * @param {Scales} scales
 * @param {string} unit
 */
export function drawAxes({ axis, x0, x1, width, height, yMarks, yWrite, px, py }, unit) {
  const bottom = height - MARGIN.bottom;
  const right = width - MARGIN.right;
  const out = [];
  for (const v of yMarks) {
    const line = { class: v === 0 ? "zero" : "grid", x1: MARGIN.left, x2: right, y1: py(v), y2: py(v) };
    const text = yWrite(v);
    const place = { class: "tick y", x: MARGIN.left - 8, y: py(v), ...fit(text, MARGIN.left - 24) }; // next to the unit
    out.push(s("line", line), s("text", place, text));
  }
  const step = axis.step(x1 - x0, Math.max(2, Math.floor((right - MARGIN.left) / 90)));
  const xTick = axis.ticks(step, x1);
  for (const v of marks(x0, x1, step)) {
    out.push(s("line", { class: "mark", x1: px(v), x2: px(v), y1: bottom, y2: bottom + 4 }));
    const text = v === 0 ? "0" : xTick(v);
    const half = (LETTER * text.length) / 2; // the last one stays in the card
    out.push(s("text", { class: "tick x", x: Math.min(px(v), width - half), y: bottom + 16 }, text));
  }
  const middle = (MARGIN.top + bottom) / 2;
  out.push(s("text", { class: "title x", x: (MARGIN.left + right) / 2, y: height - 3 }, axis.title));
  out.push(s("text", { class: "title y", transform: `translate(10 ${middle}) rotate(-90)`,
    ...fit(unit, bottom + MARGIN.top) }, unit));
  return out;
}

/**
 * drawEvents marks what happened during training.
 * @param {Scales} scales
 * @param {{ at: number[], label: string }[]} events at seconds and samples
 */
export function drawEvents({ axis, x0, x1, height, px }, events) {
  return events.filter(({ at }) => at[axis.at] >= x0 && at[axis.at] <= x1).map(({ at, label }) => {
    const x = px(at[axis.at]);
    return s("line", { class: "event", x1: x, x2: x, y1: MARGIN.top, y2: height - MARGIN.bottom },
      s("title", {}, label));
  });
}

/**
 * drawParity marks the value at which nobody is better, if it lies within the chart.
 * @param {Scales} scales
 * @param {Options["parity"]} parity
 */
export function drawParity({ width, height, px, py, x0 }, parity) {
  const y = parity ? py(parity.at) : NaN;
  if (!parity || !(y >= MARGIN.top - 1 && y <= height - MARGIN.bottom + 1)) return [];
  const above = y > MARGIN.top + 14 ? -4 : 12;
  return [
    s("line", { class: "parity", x1: px(x0), x2: width - MARGIN.right, y1: y, y2: y }),
    s("text", { class: "parity", x: width - MARGIN.right, y: y + above }, parity.label),
  ];
}

/**
 * frame returns the part of the chart in which curves are drawn; what lies outside is cut off.
 * @param {Scales} scales
 * @param {Element[]} curves
 */
export function frame({ width, height: all }, curves) {
  const [x, y] = [MARGIN.left - 4, MARGIN.top - 4];
  const [w, height] = [width - MARGIN.right - x + 4, all - MARGIN.bottom - y + 4];
  return s("svg", { class: "frame", x, y, width: Math.max(1, w), height,
    viewBox: `${x} ${y} ${Math.max(1, w)} ${height}` }, curves);
}

/**
 * drawLine returns the line with its band or, where there are many measurements without
 * intervals, faint measurements with their moving mean. Of points with equal x the last counts.
 * @param {Scales} scales
 * @param {Line} line
 * @param {number} smoothing the part of the points over which the mean is taken; 0: no mean
 */
export function drawLine(scales, { color, points: all, solid = all.length }, smoothing) {
  const { axis, px, py } = scales;
  const points = all.slice(0, solid);
  const group = s("g", { class: `curve color-${color}` });
  drawLooks(group, scales, all.slice(Math.max(0, solid - 1)), solid > 0);
  if (solid === 0) return group;
  const shown = points.filter((p, i) => i + 1 === points.length || points[i + 1][axis.at] > p[axis.at]);
  const path = (/** @type {number[]} */ values) => "M" + values.map(
    (v, i) => `${px(shown[i][axis.at]).toFixed(1)} ${py(v).toFixed(1)}`).join("L");
  const values = shown.map((p) => p[2]);
  const last = shown[shown.length - 1];
  if (shown.every((p) => p.length === 5)) {
    const lower = path(shown.map((p) => p[3] ?? p[2])).slice(1).split("L").reverse().join("L");
    group.append(s("path", { class: "band", d: `${path(shown.map((p) => p[4] ?? p[2]))}L${lower}Z` }),
      ...cuts(shown, scales));
  }
  const smooth = smoothing > 0 && shown.length > MANY && last.length === 3;
  if (smooth) group.append(s("path", { class: "line mean", d: path(
    movingMean(values, Math.round((values.length * smoothing) / 2))) }));
  group.prepend(s("path", { class: smooth ? "line faint" : "line", d: path(values) }));
  group.append(s("circle", { class: "end", r: 3, cx: px(last[axis.at]), cy: py(last[2]) }));
  return group;
}

/**
 * drawLooks draws first looks: hollow points, joined to the last measurement by a dashed line.
 * @param {SVGElement} group
 * @param {Scales} scales
 * @param {Point[]} points
 * @param {boolean} after the first of them is that measurement
 */
function drawLooks(group, { axis, px, py }, points, after) {
  const places = points.map((p) => [px(p[axis.at]).toFixed(1), py(p[2]).toFixed(1)]);
  const hollow = places.slice(after ? 1 : 0);
  if (hollow.length === 0) return;
  if (places.length > 1) group.append(s("path", { class: "line look", d: "M" + places.map((at) => at.join(" "))
    .join("L") }));
  group.append(...hollow.map(([cx, cy]) => s("circle", { class: "look", r: 4, cx, cy })));
}

const EDGE = 1; // pixels by which a band may leave the chart without a mark

/**
 * cuts marks where a band leaves the chart: an arrow at the edge for each stretch that does.
 * @param {Point[]} points
 * @param {Scales} scales
 */
function cuts(points, { axis, height, px, py }) {
  const edges = /** @type {const} */ ([[3, height - MARGIN.bottom, 1], [4, MARGIN.top, -1]]);
  return edges.flatMap(([end, edge, down]) => {
    const beyond = points.map((p) => down * (py(p[end] ?? p[2]) - edge) > EDGE);
    return points.flatMap((p, i) => {
      if (!beyond[i] || beyond[i - 1]) return [];
      const x = px(p[axis.at]).toFixed(1);
      return [s("path", { class: "cut", d: `M${x} ${edge}l-4 ${-6 * down}h8Z` },
        s("title", {}, "the interval continues beyond the chart"))];
    });
  });
}

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
