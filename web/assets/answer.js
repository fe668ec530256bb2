// Advice for people: words first, the table of numbers next to them.

import { ring } from "./chips.js";
import { h, s } from "./dom.js";
import { decimal, percent } from "./format.js";

const PLAYED = 0.005; // from this frequency on an action belongs to the agent's mix

/** A loss that is below 0 by chance is shown as none. @param {number} loss @param {number} decimals */
export const lost = (loss, decimals) => decimal(Math.max(0, loss), decimals);

/** @param {string} text */
export const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

/**
 * bar draws how much of the largest loss an action loses; the best has none.
 * @param {number} loss
 * @param {number} largest
 */
export function bar(loss, largest) {
  const width = largest > 0 ? (100 * Math.max(0, loss)) / largest : 0;
  return s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "lost", width, height: 8 }));
}

/**
 * sentences explain what stands above.
 * @param {(string | undefined)[]} texts
 */
export const sentences = (texts) => texts.filter(Boolean).map((text) => h("p", { class: "detail" }, `${text}.`));

/** @type {[string, (answer: Answer) => boolean, (a: Action) => number][]} */
const SHARES = [
  ["played", (answer) => answer.actions.filter((a) => (a.frequency ?? 0) >= PLAYED).length > 1,
    (a) => a.frequency ?? 0],
  ["risk", (answer) => new Set(answer.actions.map((a) => percent(a.risk ?? 0))).size > 1, (a) => a.risk ?? 0],
];

/** @param {Answer} answer */
function table(answer) {
  const largest = Math.max(...answer.actions.map((a) => a.loss));
  const digits = answer.decimals;
  const interval = (/** @type {Action} */ a) => (answer.exact ? ""
    : ` (${lost(a.loss_low, digits)} … ${lost(a.loss_high, digits)})`);
  const shares = SHARES.filter(([, shown]) => shown(answer));
  const rows = [...answer.actions].sort((a, b) => b.value - a.value).map((a) =>
    h("tr", { class: a.action === answer.best ? "best" : null },
      h("th", { scope: "row" }, a.name), h("td", { class: "number" }, decimal(a.value, digits)),
      h("td", { class: "number" }, lost(a.loss, digits) + interval(a)), h("td", { class: "bar" }, bar(a.loss, largest)),
      shares.map(([, , share]) => h("td", { class: "number" }, percent(share(a))))));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "What each action is worth" },
    h("table", { class: "advice" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "action"),
      h("th", { class: "number", scope: "col" }, answer.unit),
      h("th", { class: "number", scope: "col" }, answer.exact ? "loss" : "loss (95 %)"), h("td", {}),
      shares.map(([name]) => h("th", { class: "number", scope: "col" }, name === "risk" ? answer.risk ?? "" : name)))),
    h("tbody", {}, rows)));
}

/** The headline: what to do. @param {Answer} answer */
function words(answer) {
  const mix = answer.actions.filter((a) => (a.frequency ?? 0) >= PLAYED);
  const best = answer.actions.find((a) => a.action === answer.best);
  const headline = h("p", { class: "headline" }, capital(best?.name ?? ""));
  if (mix.length < 2) return [headline, h("p", { id: "reason" }, answer.reason)];
  return [
    h("p", { class: "headline" }, `Mix ${mix.map((a) => a.name).join(" and ")}`),
    ring(answer.actions.map((a) => ({ name: a.name, share: a.frequency ?? 0 }))),
    h("p", { id: "reason" }, answer.reason),
  ];
}

/**
 * drawn is the answer as elements.
 * @param {Answer} answer
 */
export function drawn(answer) {
  const how = answer.exact ? "exact" : "estimated";
  return h("div", { class: "answer" },
    h("div", { class: "advised" }, words(answer)),
    h("div", { class: "figures" }, table(answer),
      sentences([`Advice of ${answer.agent}, ${how}`, answer.unit_meaning,
        ...(answer.notes ?? []).map((note) => `Note: ${note}`)]),
      answer.line ? h("p", { class: "line" }, "Position in one line: ", h("code", {}, answer.line)) : null),
    answer.text ? h("details", {}, h("summary", {}, "The position in words"), h("pre", { tabindex: 0 }, answer.text))
      : null);
}
