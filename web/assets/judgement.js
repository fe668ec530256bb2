// What a review says of a game, for the page that shows it on the board.

import { bar, capital } from "./answer.js";
import { ring } from "./chips.js";
import { h } from "./dom.js";
import { decimal, number } from "./format.js";

/** A loss that is below 0 by chance is shown as none. @param {number} loss */
export const lost = (loss) => number(Math.max(0, loss));

/**
 * costs lists the alternatives of a decision with their costs.
 * @param {Report} report
 * @param {Decision} d
 */
export function costs(report, d) {
  const largest = Math.max(...d.alternatives.map((a) => a.loss));
  const mixed = d.alternatives.filter((a) => (a.frequency ?? 0) >= 0.005).length > 1;
  const rows = [...d.alternatives].sort((a, b) => a.loss - b.loss).map((a) =>
    h("tr", { class: [a.action === d.best && "best", a.action === d.taken && "done"].filter(Boolean)
      .join(" ") || null },
      h("th", { scope: "row" }, a.name), h("td", { class: "number" }, lost(a.loss)),
      h("td", { class: "bar" }, bar(a.loss, largest))));
  return h("div", {},
    h("p", { class: "headline" }, verdict(report, d)),
    mixed ? ring(d.alternatives.map((a) => ({ name: a.name, share: a.frequency ?? 0 }))) : null,
    h("table", { class: "costs" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "action"),
      h("th", { scope: "col", class: "number" }, `costs (${report.unit})`), h("td", {}))), h("tbody", {}, rows)),
    h("p", { class: "detail" }, d.reason));
}

/** @param {Report} report @param {Decision} d */
function verdict(report, d) {
  const taken = capital(d.taken_name);
  if (d.taken === d.best) return `${taken}, the best`;
  if (d.loss <= 0) return `${taken}, as good as ${d.best_name}`;
  const cost = `${report.exact ? "" : "about "}${lost(d.loss)} ${report.unit}`;
  return d.mistake ? `${taken} instead of ${d.best_name}: a mistake, it cost ${cost}`
    : `${taken} instead of ${d.best_name} seems to cost ${cost}`;
}

/**
 * curveOf is the value of a game over time to a seat: the eye's, or the first one's.
 * @param {Report | null} report
 * @param {ReplayedGame} game
 * @param {number} eye
 * @param {(seat: number) => string} name
 * @returns {import("./graph.js").Curve}
 */
export function curveOf(report, game, eye, name) {
  const seat = Math.max(0, eye);
  const seats = game.over?.returns.length ?? 2;
  const shares = report?.unit === "win probability";
  const equal = shares ? 1 / seats : 0;
  /** @type {import("./graph.js").Curve} */
  const curve = { steps: game.steps, points: [], mistakes: [], equal, unit: report?.unit ?? "", of: name(seat) };
  if (!report) return curve;
  // What two seats have is a constant sum, so that what is good for one is as bad for the other.
  const turned = (/** @type {number} */ v) => (shares ? 1 - v : -v);
  for (const d of report.decisions) {
    if (d.seat !== seat && seats > 2) continue;
    const own = (/** @type {number} */ v) => (d.seat === seat ? v : turned(v));
    curve.points.push([d.step, own(d.value + Math.max(0, d.loss))], [d.step + 1, own(d.value)]);
    if (d.mistake) curve.mistakes.push({ step: d.step + 1, value: own(d.value), loss: d.loss,
      label: `${name(d.seat)}: ${d.taken_name}, cost ${lost(d.loss)}` });
  }
  if (game.over && !shares && report.unit === game.over.unit) curve.points.push([game.steps, game.over.returns[seat]]);
  return curve;
}

/**
 * dearest reports how the seats decided, and which moments cost most.
 * @param {Report} report
 * @param {number} count
 * @param {(seat: number) => string} name
 */
export function dearest(report, count, name) {
  const moments = report.decisions.filter((d) => d.loss > 0 && d.taken !== d.best)
    .sort((a, b) => Number(b.mistake) - Number(a.mistake) || b.loss - a.loss).slice(0, count);
  /** @type {[string, (seat: SeatReview) => string][]} */
  const measures = [
    ["decisions", (seat) => String(seat.decisions)], ["mistakes", (seat) => String(seat.mistakes)],
    [`${report.unit} lost per decision`, (seat) => number(seat.loss_per_decision)],
    ["accuracy", (seat) => decimal(seat.accuracy, 1)],
  ];
  if (!report.exact) measures.splice(3, 0, ["95 % interval of that",
    (seat) => `${number(seat.loss_low)} … ${number(seat.loss_high)}`]);
  const rows = measures.map(([title, of]) => h("tr", {}, h("th", { scope: "row" }, title),
    report.seats.map((seat) => h("td", { class: "number" }, of(seat)))));
  const how = report.exact ? "exact" : "estimated";
  return [
    h("p", {}, `Judged by ${report.agent} (${how}).`),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "How the seats decided" },
      h("table", { id: "seats" },
      h("thead", {}, h("tr", {}, h("td", {}), report.seats.map(
        (seat) => h("th", { scope: "col", class: "number" }, name(seat.seat))))), h("tbody", {}, rows))),
    moments.length ? h("h3", {}, "What cost most in this game")
      : h("p", { class: "note" }, "No decision of this game had a measurable cost."),
    h("ol", { class: "moments" }, moments.map((d) => h("li", {},
      h("span", {}, h("b", {}, `${name(d.seat)}: ${d.taken_name}`),
        ` for ${d.best_name}, ${lost(d.loss)} ${report.unit}${d.mistake ? "" : " (not certain)"}`),
      h("button", { type: "button", "data-step": d.step }, "Show")))),
    ...(report.notes ?? []).map((note) => h("p", { class: "detail" }, `Note: ${note}.`)),
    report.unit_meaning ? h("p", { class: "detail" }, `${report.unit_meaning}.`) : null,
  ].filter((part) => part !== null);
}

/**
 * allowed tells what the cards allowed if all of them had been open, and what each action leads to.
 * @param {OpenStep} open
 * @param {string} unit
 * @param {Show} show
 * @param {(seat: number) => string} name
 */
export function allowed(open, unit, show, name) {
  const leader = open.leads.indexOf(Math.max(...open.leads));
  const lead = open.leads[leader];
  const names = new Map(show.actions.map((a) => [a.action, a.name]));
  return h("details", { class: "allowed", open: true }, h("summary", {}, "What the open cards allowed"),
    h("p", {}, lead > 0 ? `${name(leader)} ends ${number(lead)} ${unit} ahead if both play their best.`
      : `Nobody is ahead if both play their best (${unit}).`),
    open.moves.length > 1 && h("ul", { class: "chips-list" },
      open.moves.map((m) => h("li", {}, `${names.get(m.action) ?? m.action} `, h("b", {}, number(m.lead))))),
    h("p", { class: "detail" }, "This is not advice: no player could know it."));
}
