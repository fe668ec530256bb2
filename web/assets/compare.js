// The page on which runs are compared: all their curves over one another, differences of the settings, and a
// tournament between agents of the runs.

import { complain, get } from "./ask.js";
import { Chart, Group } from "./chart.js";
import { byId, empty, h, s } from "./dom.js";
import { AXES } from "./draw.js";
import { decimal, rating } from "./format.js";
import { rename } from "./naming.js";
import { addressOf, chartsOf, curvesOf, groupsOf, meanOf, placeOf, scaleOf, titlesOf } from "./workbench.js";

const COLORS = 8;
const BEST = 3; // agents of a run that are offered without asking
const SMALL = ["win_share/", "mean_return/", "rating/best"]; // the small curve of a run is of the first that it has

const place = placeOf(location.search);
const ids = place.runs;
const group = new Group(place.axis, place.smoothing);
group.zoom = place.zoom;
group.changed = remember;
/** @type {Map<string, Chart>} */
const charts = new Map();
/** @type {Comparison | null} */
let comparison = null;
/**
 * The curves of each run, by name.
 * @type {Map<string, Point[]>[]}
 */
let curves = [];
/** @type {Series[]} */
let declared = [];
/** @type {Ladder[]} */
let ladders = [];
/** @type {AbortController | null} */
let playing = null;

// remember keeps in the address what the page shows, so that it can be passed on.
function remember() {
  Object.assign(place, { axis: group.axis, smoothing: group.smoothing, zoom: group.zoom });
  history.replaceState(null, "", addressOf(place));
}

// Curves.

/** @param {number} run */
const colorOf = (run) => (run + 1) % COLORS;

// linesOf returns what a chart shows: a line for each run that is shown, or for each group of them.
/** @param {string} series */
function linesOf(series) {
  const groups = groupsOf(comparison?.settings ?? [], ids.length, place.by);
  const shown = curvesOf(series, ids, curves).filter(({ run }) => !place.hidden.includes(run));
  if (!place.by) {
    const titles = titlesOf(comparison?.runs ?? []);
    return shown.map(({ run, agent, points }) => ({ label: [titles.get(run) ?? run, agent].filter(Boolean).join(", "),
      color: agent ? (colorOf(ids.indexOf(run)) + ids.length) % COLORS : colorOf(ids.indexOf(run)), points }));
  }
  const names = [...new Set(groups)];
  /** @type {Map<string, { color: number, curves: Point[][] }>} */
  const found = new Map();
  for (const { run, agent, points } of shown) {
    const name = groups[ids.indexOf(run)];
    const label = agent ? `${name}, ${agent}` : name;
    if (!found.has(label)) found.set(label, { color: colorOf(names.indexOf(name)), curves: [] });
    found.get(label)?.curves.push(points);
  }
  return [...found].map(([label, { color, curves: all }]) => ({ label: all.length > 1 ? `${label} (${all.length} runs)`
    : label, color, points: meanOf(all, AXES[group.axis].at) }));
}

// offerCharts makes a chart for each curve that the runs have.
function offerCharts() {
  const { compared, apart } = chartsOf(curves);
  for (const [id, names] of /** @type {[string, string[]][]} */ ([["charts", compared], ["apart-charts", apart]])) {
    byId(id).replaceChildren(...names.map((name) => {
      const chart = new Chart(group, { title: name.replaceAll("_", " "), ...scaleOf(name, declared, ladders) });
      chart.element.dataset.series = name;
      charts.set(name, chart);
      return chart.element;
    }));
  }
  if (compared.length + apart.length === 0) byId("charts").replaceChildren(empty("these runs have no curves yet"));
  byId("apart").hidden = apart.length === 0;
  const meanings = new Set(ladders.map(({ scale }) => scale?.unit_meaning ?? "").filter(Boolean));
  byId("meaning").textContent = [...meanings].map((m) => `${m}.`).join(" ");
  byId("meaning").hidden = meanings.size === 0;
  drawCurves();
}

function drawCurves() {
  for (const [name, chart] of charts) chart.setLines(linesOf(name));
}

// Runs.

// again shows the names of runs as they are now.
async function again() {
  const now = await get("/api/compare?" + new URLSearchParams(ids.map((id) => ["run", id])));
  comparison = now;
  offerRuns(now);
  drawSettings(now);
  drawCurves();
  for (const legend of byId("agents").querySelectorAll("legend[data-run]")) {
    legend.textContent = titlesOf(now.runs).get(legend.getAttribute("data-run") ?? "") ?? legend.textContent;
  }
}

/** @param {Map<string, Point[]>} of */
function small(of) {
  const found = SMALL.map((b) => [...of].find(([name, p]) => name.startsWith(b) && p.length > 1)?.[1]);
  const points = found.find(Boolean) ?? [];
  const values = points.map((p) => p[2]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const last = points[points.length - 1]?.[0] || 1;
  const path = points.map((p) => `${(78 * p[0]) / last + 1},${19 - (18 * (p[2] - low)) / (high - low || 1)}`).join(" ");
  return s("svg", { class: "small", viewBox: "0 0 80 20", width: 80, height: 20, "aria-hidden": "true" },
    s("polyline", { points: path }));
}

/** @param {Comparison} c */
function offerRuns({ runs, settings }) {
  const titles = titlesOf(runs);
  byId("compared").replaceChildren(...runs.map((run, i) => {
    const tick = h("input", { type: "checkbox", "data-run": run.id, checked: !place.hidden.includes(run.id) });
    tick.addEventListener("change", () => {
      place.hidden = tick.checked ? place.hidden.filter((id) => id !== run.id) : [...place.hidden, run.id];
      remember();
      drawCurves();
    });
    const name = run.nameable && h("button", { type: "button", "data-name": run.id, "aria-label": `name ${run.id}` }, "name…");
    if (name) name.addEventListener("click", () => rename(run, again));
    return h("li", { class: `color-${colorOf(i)}` }, h("label", {}, tick, h("span", { class: "swatch" }),
      h("span", { class: "name" }, titles.get(run.id) ?? run.id)), small(curves[i]), name,
    h("a", { href: `${run.root}/`, "aria-label": `open ${run.id}` }, "open"),
    run.note && h("p", { class: "remark" }, run.note));
  }));
  const keys = settings.map((setting) => setting.key);
  const by = byId("by", HTMLSelectElement);
  by.replaceChildren(...[["", "no groups"], ["*", "all settings but the seed"], ...keys.map((key) => [key, key])].map(
    ([value, text]) => h("option", { value, selected: value === place.by }, text)));
}

// Settings.

/** @param {Comparison} c */
function drawSettings({ runs, settings }) {
  byId("settings").replaceChildren(settings.length === 0 ? empty("there are none: these runs have the same settings")
    : h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Setting"),
      runs.map((r) => h("th", { scope: "col" }, h("a", { href: `${r.root}/` }, titlesOf(runs).get(r.id) ?? r.id))))),
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
    return h("fieldset", {}, h("legend", { "data-run": run.id }, titlesOf(runs).get(run.id) ?? run.id), strongest.length === 0 ? empty("nothing is rated yet")
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
    h("p", { class: "note" }, `Ratings in ${scale?.unit}; 0 is ${scale?.zero}. `,
      scale?.unit_meaning && `${scale.unit_meaning}. `, "Intervals are at 95\u202f%."),
  h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Agent"),
      ["Rating", "95 % interval", "Games"].map((title) => h("th", { scope: "col", class: "number" }, title)))),
    h("tbody", {}, ranked.map((a) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, a.name)),
      h("td", { class: "number" }, write(a.rating)),
      h("td", { class: "number" }, `${write(a.low)} to ${write(a.high)}`),
      h("td", { class: "number" }, decimal(a.games, 0)))))));
}

function listen() {
  byId("by").addEventListener("change", () => {
    place.by = byId("by", HTMLSelectElement).value;
    remember();
    drawCurves();
  });
  /** @type {NodeListOf<HTMLInputElement>} */
  const axes = document.querySelectorAll("#axis input");
  for (const input of axes) input.checked = input.value === group.axis;
  byId("axis").addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    group.setAxis(target.value === "samples" ? "samples" : "seconds");
    drawCurves(); // means are over the other axis
  });
  const smoothing = byId("smoothing", HTMLInputElement);
  smoothing.value = String(100 * group.smoothing);
  smoothing.addEventListener("input", () => group.setSmoothing(smoothing.valueAsNumber / 100));
  byId("tournament").addEventListener("submit", (event) => { event.preventDefault(); play(); });
  byId("stop").addEventListener("click", () => playing?.abort());
}

async function begin() {
  listen();
  if (ids.length === 0) {
    byId("main").replaceChildren(h("p", { class: "empty" }, "Tick the runs to compare on the page ",
      h("a", { href: "/" }, "Runs"), "."));
    return;
  }
  try {
    const found = await get("/api/compare?" + new URLSearchParams(ids.map((id) => ["run", id])));
    comparison = found;
    drawSettings(found);
    offerAgents(found);
    const ofEach = (/** @type {string} */ path) =>
      Promise.all(found.runs.map((/** @type {ComparedRun} */ run) => get(run.root + path)));
    /** @type {{ curves: Curve[] }[]} */
    const answers = await ofEach("/api/curves");
    curves = answers.map((answer) => new Map(answer.curves.map((c) => [c.series, c.points])));
    ladders = await ofEach("/api/ladder");
    declared = (await ofEach("/api/series")).flat();
    offerRuns(found);
    offerCharts();
  } catch (problem) {
    complain(problem);
  }
}

begin();
