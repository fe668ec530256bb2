// The page of the sweeps: curves of the candidates over processor time, and a table for each round.

import { complain, get } from "./ask.js";
import { Chart, Group } from "./chart.js";
import { byId, empty, h } from "./dom.js";

const REFRESH = 10_000; // milliseconds between two looks at a sweep that is going on

const group = new Group("processor");
/** @type {Chart | null} */
let chart = null; // of the curve that chartOf names
let chartOf = "";
const select = byId("sweep", HTMLSelectElement);

/**
 * @param {number} value
 * @param {boolean} signed
 */
function write(value, signed) {
  return (signed && value > 0 ? "+" : "") + Number(value.toPrecision(4));
}

/**
 * cells are a number and its interval.
 * @param {SweepEstimate | undefined} e
 * @param {boolean} signed
 */
function cells(e, signed) {
  const interval = e?.low === undefined || e.high === undefined ? ""
    : `${write(e.low, signed)} to ${write(e.high, signed)}`;
  return [h("td", { class: "number" }, e ? write(e.value, signed) : ""), h("td", { class: "number" }, interval)];
}

/** @param {SweepRow} row */
function drawRow(row) {
  const settings = row.settings.map((s) => `${s.name}=${s.value}`).join("\n");
  return h("tr", {},
    h("th", { scope: "row", title: settings }, row.candidate),
    cells(row.value, false), cells(row.difference, true),
    h("td", { class: "number" }, String(row.runs), row.reached < row.runs && ` (${row.reached} reached it)`,
      row.failed > 0 && ` (${row.failed} failed)`),
    h("td", { class: "number" }, row.processor_seconds.toFixed(1)));
}

/**
 * @param {SweepRound} round
 * @param {number} i
 * @param {number | undefined} games of training of a run, in place of a budget
 */
function drawRound(round, i, games) {
  const heads = ["Candidate", "IQM", "95 %", "To base", "95 %", "Runs", "Processor s"];
  const title = round.report ? "Report" : `Tuning ${i + 1}`;
  return h("section", { class: "card" }, h("h2", {}, title),
    h("p", { class: "note" }, `${games ? `${games} training games` : `${round.budget_seconds} s of processor time`} for a run, ${round.seeds.length} seeds from ${round.seeds[0]} on, ${round.played} of ${round.runs} runs played.`),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
      h("table", {}, h("thead", {}, h("tr", {}, heads.map((text, i) =>
        h("th", { scope: "col", class: i > 0 && "number" }, text)))), h("tbody", {}, round.rows.map(drawRow)))));
}

/** leftOut says what damaged results mean. @param {number} damaged */
const leftOut = (damaged) => `${damaged === 1 ? "1 result is damaged" : `${damaged} results are damaged`} and left out: the same sweep, called again, plays such runs again.`;

/** @param {ShownSweep} shown */
function draw({ table, bands, damaged = 0 }) {
  const better = table.smaller ? "the smaller, the better" : "the greater, the better";
  const alone = table.rounds.length === 1 && table.rounds[0].rows.length === 1;
  const verdict = !table.winner ? "It is not over yet." : alone ? "Nothing else was compared." :
    `The ${table.rounds.length > 1 ? "winner" : "best"} is ${table.winner}.`;
  byId("tables").replaceChildren(
    h("p", {}, `${table.game}: ${table.objective}; ${better}. ${verdict}`),
    damaged > 0 ? h("p", { class: "problem" }, leftOut(damaged)) : "",
    h("p", { class: "note" }, "IQM is the interquartile mean of the runs of a candidate. The difference to the base is the mean over the seeds that both have."),
    ...table.rounds.map((round, i) => drawRound(round, i, table.games)).reverse());
  byId("curves").hidden = bands.length === 0;
  if (!chart || chartOf !== table.curve) {
    group.charts.length = 0;
    chart = new Chart(group, { title: table.curve, unit: "" });
    chartOf = table.curve;
    byId("chart").replaceChildren(chart.element);
  }
  chart.setLines(bands.map((band, i) => ({
    label: band.candidate, color: i + 1,
    points: band.points.map(([x, value, low, high]) => /** @type {Point} */ ([x, 0, value, low, high])),
  })));
}

async function show() {
  const name = select.value;
  try {
    /** @type {ShownSweep} */
    const shown = await get(`/api/sweeps/${encodeURIComponent(name)}`);
    if (name !== select.value) return;
    byId("banner").hidden = true;
    draw(shown);
    if (!shown.table.winner) setTimeout(() => { if (name === select.value) show(); }, REFRESH);
  } catch (problem) {
    complain(problem);
  }
}

async function start() {
  /** @type {string[]} */
  const names = await get("/api/sweeps");
  byId("none").hidden = names.length > 0;
  select.disabled = names.length === 0;
  select.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
  const wanted = new URLSearchParams(location.search).get("sweep");
  if (wanted && names.includes(wanted)) select.value = wanted;
  select.addEventListener("change", () => {
    history.replaceState(null, "", `?sweep=${encodeURIComponent(select.value)}`);
    show();
  });
  if (names.length > 0) await show();
  else byId("tables").replaceChildren(empty("nothing to show"));
}

start().catch(complain);
