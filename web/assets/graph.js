// The value of a game over time: a line, mistakes as dots by size, and a cursor that can be moved by
// pointer and keys.

import { h, s } from "./dom.js";
import { decimal } from "./format.js";

const WIDTH = 600;
const HEIGHT = 96;
const EDGE = 10;

/**
 * @typedef {object} Curve
 * @property {number} steps of the game
 * @property {[number, number][]} points step and value, ascending
 * @property {{step: number, value: number, loss: number, label: string}[]} mistakes
 * @property {number} equal the value at which nobody is ahead
 * @property {string} unit
 * @property {string} of whose value it is
 */

/**
 * graph makes a slider over the steps of a game; jump is called with the step that is chosen.
 * @param {HTMLElement} host
 * @param {(step: number) => void} jump
 */
export function graph(host, jump) {
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const dots = h("div", { class: "dots" });
  const cursor = h("div", { class: "cursor" });
  const scale = h("p", { class: "scale" });
  const slider = h("div", { class: "graph", role: "slider", tabindex: 0, "aria-label": "Step", "aria-valuemin": 0 },
    svg, dots, cursor);
  host.append(slider, scale);
  /** @type {Curve} */
  let curve = { steps: 0, points: [], mistakes: [], equal: 0, unit: "", of: "" };
  const at = (/** @type {PointerEvent} */ event) => {
    const box = slider.getBoundingClientRect();
    return Math.round(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * curve.steps);
  };
  slider.addEventListener("pointerdown", (event) => {
    slider.setPointerCapture(event.pointerId);
    jump(at(event));
  });
  slider.addEventListener("pointermove", (event) => {
    if (slider.hasPointerCapture(event.pointerId)) jump(at(event));
  });
  const share = (/** @type {number} */ step) => (curve.steps ? (100 * step) / curve.steps : 0);
  const draw = () => {
    const values = [...curve.points.map(([, v]) => v), curve.equal];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const y = (/** @type {number} */ v) => (high > low ? HEIGHT - EDGE - ((v - low) / (high - low)) * (
      HEIGHT - 2 * EDGE) : HEIGHT / 2);
    const x = (/** @type {number} */ step) => (share(step) * WIDTH) / 100;
    const path = curve.points.map(([step, v], i) => `${i ? "L" : "M"}${x(step).toFixed(1)} ${y(v).toFixed(1)}`)
      .join("");
    svg.replaceChildren(s("line", { class: "equal", x1: 0, x2: WIDTH, y1: y(curve.equal), y2: y(curve.equal) }),
      s("path", { class: "value", d: path || "M0 0" }));
    const largest = Math.max(...curve.mistakes.map((m) => m.loss), 1e-9);
    dots.replaceChildren(...curve.mistakes.map((m) => {
      const dot = h("span", { title: m.label });
      const size = 8 + 12 * Math.sqrt(m.loss / largest);
      Object.assign(dot.style, { left: `${share(m.step)}%`, top: `${(100 * y(m.value)) / HEIGHT}%`, width: `${size}px`,
        height: `${size}px` });
      return dot;
    }));
    const digits = high - low < 2 ? 2 : 0;
    scale.textContent = curve.points.length
      ? `What the game is worth to ${curve.of}: between ${decimal(low, digits)} and ${decimal(high, digits)} ${curve.unit}. The line is where nobody is ahead; dots are mistakes, larger for what cost more.`
      : "";
  };
  return {
    /** @param {Curve} next */
    show(next) {
      curve = next;
      slider.setAttribute("aria-valuemax", String(next.steps));
      draw();
    },
    /** @param {number} step @param {string} text */
    move(step, text) {
      cursor.style.left = `${share(step)}%`;
      slider.setAttribute("aria-valuenow", String(step));
      slider.setAttribute("aria-valuetext", text);
    },
    element: slider,
  };
}
