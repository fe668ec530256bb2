// The page of Banluck: choose a hand, see what each choice is worth and why, and the chart of
// all hands.

import { byId, empty, h, rooted, s } from "./dom.js";
import { number, percent } from "./format.js";
import { start } from "./stream.js";

const RANKS = [..."23456789TA"];
/** @type {Record<string, number>} */
const IN_DECK = { T: 16 };
const MOST = 5; // cards of a hand
const STRONG = 0.5; // units that make the strongest colour

/**
 * A hand with a choice: what taking and stopping are called and worth, and how often the
 * equilibrium takes.
 * @typedef {object} Hand
 * @property {string} seat
 * @property {number} against cards of the player, 0 where the dealer does not see them
 * @property {string} hand
 * @property {number} total
 * @property {boolean} soft
 * @property {string} takes
 * @property {string} stops
 * @property {number} ev_takes
 * @property {number} ev_stops
 * @property {number} share
 * @property {number} bust
 */

/** @type {Hand[]} */
let hands = [];
/** @type {string[]} */
let cards = [];

const seatField = byId("seat", HTMLSelectElement);
const againstField = byId("against", HTMLSelectElement);

const inOrder = (/** @type {string[]} */ list) => [...list].sort((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b))
  .join("-");
const seat = () => seatField.value;
const against = () => (seat() === "dealer" ? Number(againstField.value) : 0);

// The dealer is asked about a hard 15 before he sees how many cards the player will have.
const belongs = (/** @type {Hand} */ x) => x.seat === seat() && (x.against === 0 || x.against === against());
const find = () => hands.find((x) => belongs(x) && x.hand === inOrder(cards));

/** @param {string} rank */
function add(rank) {
  if (cards.length < MOST && cards.filter((c) => c === rank).length < (IN_DECK[rank] ?? 4)) cards.push(rank);
  draw();
}

/** @param {number} value */
function bar(value) {
  const x = (/** @type {number} */ v) => 50 + 50 * Math.max(-1, Math.min(1, v / 2));
  return s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: value < 0 ? "lost" : "range", x: Math.min(x(0), x(value)),
      width: Math.max(0.5, Math.abs(x(value) - x(0))), height: 8 }));
}

/**
 * @param {string} name
 * @param {number} value
 * @param {number} share
 * @param {boolean} best
 */
function row(name, value, share, best) {
  return h("tr", { class: best ? "best" : null },
    h("th", { scope: "row" }, name),
    h("td", { class: "number" }, number(value)),
    h("td", { class: "bar" }, bar(value)),
    h("td", { class: "number" }, percent(share)));
}

/**
 * reason says in words what the numbers say.
 * @param {Hand} x
 */
function reason(x) {
  const gain = x.ev_takes - x.ev_stops;
  if (Math.abs(gain) < 1e-9) return `Both are worth ${number(x.ev_takes)} units: it does not matter.`;
  const [best, other] = gain > 0 ? [x.takes, x.stops] : [x.stops, x.takes];
  const why = [];
  if (x.seat === "player" && x.total <= 15) why.push("standing on 15 or less loses for certain");
  if (x.bust > 0) why.push(`if you ${x.takes} you end with more than 21 in ${percent(x.bust)} of cases`);
  const capital = best[0].toUpperCase() + best.slice(1);
  return `${capital}: it is worth ${number(Math.abs(gain))} units more than to ${other}` +
    (why.length ? `; ${why.join(", ")}.` : ".");
}

function drawWorth() {
  const x = find();
  const hand = byId("hand");
  hand.textContent = cards.length ? inOrder(cards) + (x ? ` = ${x.soft ? "soft " : ""}${x.total}` : "") : "\u00a0";
  if (!x) {
    byId("worth").replaceChildren(empty(cards.length < 2 ? "add two cards or more"
      : "there is nothing to choose with this hand"));
    return;
  }
  byId("worth").replaceChildren(
    h("p", { id: "reason" }, reason(x)),
    h("table", { class: "advice" },
      h("thead", {}, h("tr", {}, h("th", {}, "choice"), h("th", { class: "number" }, "units"), h("th", {}),
        h("th", { class: "number" }, "how often"))),
      h("tbody", {},
        row(x.takes, x.ev_takes, x.share, x.ev_takes >= x.ev_stops),
        row(x.stops, x.ev_stops, 1 - x.share, x.ev_stops > x.ev_takes))));
}

const size = (/** @type {Hand} */ x) => x.hand.split("-").length;
const rowOf = (/** @type {Hand} */ x) => `${size(x)} ${x.soft ? "soft" : "hard"}`;

/**
 * @param {Hand[]} members
 * @param {boolean} current
 */
function cell(members, current) {
  if (members.length === 0) return h("td", {});
  const gain = members.reduce((sum, x) => sum + x.ev_takes - x.ev_stops, 0) / members.length;
  const share = `${Math.round(12 + 78 * Math.min(1, Math.abs(gain) / STRONG))}%`;
  const [x] = members;
  const button = h("button", { type: "button", class: gain > 0 ? "takes" : "stops",
    "aria-current": current ? "true" : null,
    "aria-label": `${rowOf(x)} ${x.total}: ${gain > 0 ? x.takes : x.stops}` }, gain.toFixed(2).replace("-", "\u2212"));
  button.style.setProperty("--share", share);
  button.addEventListener("click", () => choose(members));
  return h("td", {}, button);
}

/**
 * choose shows the hands of a cell, and the first of them.
 * @param {Hand[]} members
 */
function choose(members) {
  byId("members").replaceChildren(...members.map((x) => {
    const button = h("button", { type: "button" }, x.hand);
    button.addEventListener("click", () => show(x));
    return button;
  }));
  show(members[0]);
}

/** @param {Hand} x */
function show(x) {
  cards = x.hand.split("-");
  draw();
}

function drawChart() {
  const asked = hands.filter((x) => belongs(x) && x.takes === "hit");
  const totals = [...new Set(asked.map((x) => x.total))].sort((a, b) => a - b);
  const rows = [...new Set(asked.map(rowOf))].sort((a, b) => a.localeCompare(b));
  const now = find();
  byId("chart").replaceChildren(
    h("thead", {}, h("tr", {}, h("th", {}, "cards"), totals.map((t) => h("th", { scope: "col" }, String(t))))),
    h("tbody", {}, rows.map((r) => h("tr", {}, h("th", { scope: "row" }, r),
      totals.map((t) => cell(asked.filter((x) => rowOf(x) === r && x.total === t),
        now?.total === t && rowOf(now) === r))))));
}

function draw() {
  byId("against-label").hidden = seat() !== "dealer";
  drawWorth();
  drawChart();
}

for (const rank of RANKS) {
  const button = h("button", { type: "button", "aria-label": rank === "T" ? "10, J, Q or K" : rank === "A" ? "ace"
    : rank }, rank);
  button.addEventListener("click", () => add(rank));
  byId("cards").append(button);
}
byId("back").addEventListener("click", () => {
  cards.pop();
  draw();
});
byId("clear").addEventListener("click", () => {
  cards = [];
  draw();
});
for (const id of ["seat", "against"]) {
  byId(id).addEventListener("change", () => {
    byId("members").replaceChildren();
    draw();
  });
}

start();
const answer = await fetch(rooted("/api/banluck"));
if (answer.ok) {
  const tables = await answer.json();
  hands = tables.hands;
  byId("summary").textContent = `The player's expected result is ${number(tables.ev)} units a hand, the standard deviation ${number(tables.stddev)}.`;
} else {
  byId("summary").textContent = await answer.text();
}
draw();
