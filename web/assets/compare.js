// The page on which runs are compared: curves over one another, differences of the settings, and a
// tournament between agents of the runs.

import { complain, get } from "./ask.js";
import { Chart, Group } from "./chart.js";
import { byId, empty, h } from "./dom.js";
import { decimal, rating } from "./format.js";
import { chartOf } from "./series.js";

const FIRST = ["rating/best", "rating/newest"]; // the curves to begin with
const COLORS = 8;
const BEST = 3; // agents of a run that are offered without asking

const ids = new URLSearchParams(location.search).getAll("run");
const group = new Group("seconds");
/** @type {Chart | null} */
let chart = null;
/** @type {Comparison | null} */
let comparison = null;
/**
 * The curves of each run, by name.
 * @type {Map<string, Point[]>[]}
 */
let curves = [];
/** @type {AbortController | null} */
let playing = null;

// Curves.

function offerSeries() {
  const names = [...new Set(curves.flatMap((c) => [...c.keys()].map((name) => chartOf(name).series)))].filter(
    (name) => !name.startsWith("probe/")).sort();
  const select = byId("series", HTMLSelectElement);
  select.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
  select.value = FIRST.find((name) => names.includes(name)) ?? names[0] ?? "";
  drawCurve();
}

function drawCurve() {
  const name = byId("series", HTMLSelectElement).value;
  const found = (comparison?.runs ?? []).flatMap((run, i) => [...(curves[i] ?? [])].flatMap(([curve, points]) => {
    const { series, agent } = chartOf(curve);
    return series === name && points.length > 0 ? [{ run: run.id, agent, points }] : [];
  }).sort((a, b) => (a.agent < b.agent ? -1 : 1)));
  const lines = found.map(({ run, agent, points }, i) => ({ label: agent ? `${run}, ${agent}` : run,
    color: (i + 1) % COLORS, points }));
  if (lines.length === 0) {
    byId("chart").replaceChildren(empty("these runs have no curves yet"));
    return;
  }
  group.charts.length = 0;
  chart = new Chart(group, { title: name, unit: "" });
  byId("chart").replaceChildren(chart.element);
  chart.setLines(lines);
}

// Settings.

/** @param {Comparison} c */
function drawSettings({ runs, settings }) {
  byId("settings").replaceChildren(settings.length === 0 ? empty("there are none: these runs have the same settings")
    : h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Setting"),
      runs.map((r) => h("th", { scope: "col" }, h("a", { href: `${r.root}/` }, r.id))))),
    h("tbody", {}, settings.map((s) => h("tr", {}, h("th", { scope: "row" }, s.key),
      s.values.map((v) => h("td", {}, v || "–")))))));
}

// Tournament.

/**
 * @param {string} run
 * @param {string} agent
 * @param {boolean} checked
 */
function choice(run, agent, checked) {
  return h("label", {}, h("input", { type: "checkbox", "data-run": run, "data-agent": agent, checked }), ` ${agent}`);
}

/** @param {Comparison} c */
function offerAgents({ runs, references, apart }) {
  byId("play", HTMLButtonElement).disabled = Boolean(apart);
  if (apart) {
    byId("agents").replaceChildren(h("p", { class: "problem" }, `Agents of these runs cannot meet: ${apart}.`));
    return;
  }
  byId("agents").replaceChildren(...runs.map((run) => {
    const best = run.best ?? run.agents[0];
    const strongest = run.agents.filter((a) => a === best).concat(run.agents.filter((a) => a !== best));
    const more = strongest.slice(BEST);
    return h("fieldset", {}, h("legend", {}, run.id), strongest.length === 0 ? empty("nothing is rated yet")
      : strongest.slice(0, BEST).map((a) => choice(run.id, a, a === best)),
      more.length > 0 && h("details", {}, h("summary", {}, `${more.length} more`),
        more.map((a) => choice(run.id, a, false))));
  }), h("fieldset", {}, h("legend", {}, "Bots"), references.map((a) => choice("", a, false))));
}

function chosenAgents() {
  /** @type {NodeListOf<HTMLInputElement>} */
  const ticked = byId("agents").querySelectorAll("input:checked");
  return [...ticked].map(({ dataset }) => ({ run: dataset.run ?? "", agent: dataset.agent ?? "" }));
}

/** @param {string} text */
function tell(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = !text;
}

async function play() {
  tell("");
  playing = new AbortController();
  byId("play", HTMLButtonElement).disabled = true;
  byId("stop").hidden = false;
  byId("progress").hidden = false;
  byId("done").textContent = "the first games…";
  byId("bar", HTMLProgressElement).value = 0;
  try {
    const body = JSON.stringify({ agents: chosenAgents(), games: Number(byId("games", HTMLInputElement).value) });
    const response = await fetch("/api/tournament", { method: "POST", headers: { "Content-Type": "application/json" },
      body, signal: playing.signal });
    if (!response.ok || !response.body) throw new Error((await response.json()).error);
    await read(response.body);
  } catch (problem) {
    tell(playing.signal.aborted ? "It was stopped." : problem instanceof TypeError
      ? "The connection to Croupier is lost." : /** @type {Error} */ (problem).message);
  }
  byId("play", HTMLButtonElement).disabled = false;
  byId("stop").hidden = true;
  byId("progress").hidden = true;
}

/**
 * read follows the lines of a tournament.
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 */
async function read(body) {
  const began = performance.now();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (text + value).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const { played, matches, ladder, error } = JSON.parse(line);
      if (error) throw new Error(error);
      if (ladder) drawLadder(ladder);
      else {
        byId("bar", HTMLProgressElement).value = played / matches;
        const left = ((performance.now() - began) / 1000) * (matches / played - 1);
        byId("done").textContent = `${Math.floor((100 * played) / matches)}\u202f%, about ${Math.ceil(left)}\u202fs left`;
      }
    }
  }
}

/** @param {Ladder} ladder */
function drawLadder({ agents, scale }) {
  const write = rating(scale);
  const ranked = [...agents].sort((a, b) => b.rating - a.rating);
  byId("ladder").replaceChildren(
    h("p", { class: "note" }, `Ratings in ${scale?.unit}; 0 is ${scale?.zero}. Intervals are at 95\u202f%.`),
  h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Agent"),
      ["Rating", "95 % interval", "Games"].map((title) => h("th", { scope: "col", class: "number" }, title)))),
    h("tbody", {}, ranked.map((a) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, a.name)),
      h("td", { class: "number" }, write(a.rating)),
      h("td", { class: "number" }, `${write(a.low)} to ${write(a.high)}`),
      h("td", { class: "number" }, decimal(a.games, 0)))))));
}

function listen() {
  byId("series").addEventListener("change", drawCurve);
  byId("axis").addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement) group.setAxis(target.value === "samples" ? "samples" : "seconds");
  });
  byId("tournament").addEventListener("submit", (event) => { event.preventDefault(); play(); });
  byId("stop").addEventListener("click", () => playing?.abort());
}

async function begin() {
  listen();
  if (ids.length === 0) {
    byId("main").replaceChildren(h("p", { class: "empty" }, "Which runs? Tick them on the page ",
      h("a", { href: "/" }, "Runs"), "."));
    return;
  }
  try {
    const found = await get("/api/compare?" + new URLSearchParams(ids.map((id) => ["run", id])));
    comparison = found;
    drawSettings(found);
    offerAgents(found);
    /** @type {{ curves: Curve[] }[]} */
    const answers = await Promise.all(found.runs.map((/** @type {ComparedRun} */ run) =>
      get(run.root + "/api/curves")));
    curves = answers.map((answer) => new Map(answer.curves.map((c) => [c.series, c.points])));
    offerSeries();
  } catch (problem) {
    complain(problem);
  }
}

begin();
