// The page of all runs below a directory.

import { ordered } from "./ask.js";
import { byId, empty, h } from "./dom.js";
import { bytes, count, decimal, duration } from "./format.js";
import { called } from "./names.js";
import { rename } from "./naming.js";
import * as trainings from "./trainings.js";

const AGAIN = 3000; // ms between looks at the list

/** @type {RunSummary[]} */
let runs = [];
let known = ""; // what was drawn, as JSON
/** @type {Set<string>} */
const ticked = new Set();
/** @type {{ by: string, up: boolean }} */
const order = { by: "created", up: false };

/**
 * @typedef {object} Column
 * @property {string} key
 * @property {string} title
 * @property {boolean} [number]
 * @property {(run: RunSummary) => string | number} value to sort by
 * @property {(run: RunSummary) => Child} [shown]
 */

/**
 * when writes a time of this year without the year.
 * @param {string} [time]
 */
function when(time) {
  if (!time) return "–";
  const date = new Date(time);
  const year = date.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
  return date.toLocaleString(undefined, { year, month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** @param {RunSummary} run */
function stateCell(run) {
  const title = run.state === "running" ? `it is ${run.kind ? "played" : "training"} now` : `since ${when(run.ended)}`;
  return h("span", { class: `badge ${run.state}`, title }, run.state);
}

/** @param {RunSummary} run */
function ratingCell({ rating }) {
  if (!rating) return "–";
  const title = `${decimal(rating.low, rating.decimals)} to ${decimal(rating.high, rating.decimals)} ${rating.unit}; 0 is ${rating.zero}`;
  return h("span", { title }, decimal(rating.value, rating.decimals), h("small", {}, ` ${rating.unit}`));
}

/** @type {Column[]} */
const COLUMNS = [
  { key: "id", title: "Run", value: (r) => (r.name ?? r.id).toLowerCase(), shown: nameCell },
  { key: "game", title: "Game", value: (r) => r.title, shown: (r) => (r.kind ? `${r.title} ${r.kind}` : r.title) },
  { key: "state", title: "State", value: (r) => r.state, shown: stateCell },
  { key: "created", title: "Begun", value: (r) => r.created ?? "", shown: (r) => when(r.created) },
  { key: "trained", title: "Trained", number: true, value: (r) => r.seconds_trained,
    shown: (r) => (r.kind ? "–" : duration(r.seconds_trained)) },
  { key: "games", title: "Games", number: true, value: (r) => r.games, shown: (r) => count(r.games) },
  { key: "best", title: "Best", value: (r) => r.best ?? "", shown: bestCell },
  { key: "rating", title: "Rating", number: true, value: (r) => r.rating?.value ?? -Infinity, shown: ratingCell },
  { key: "bytes", title: "Size", number: true, value: (r) => r.bytes, shown: (r) => bytes(r.bytes) },
];

/** @param {RunSummary} run */
function bestCell({ best }) {
  return best ? h("span", { title: best }, called(best)) : "–";
}

/** @param {RunSummary} run */
function nameCell(run) {
  return [h("a", { href: `${run.root}/` }, run.name ?? run.id), run.name && [" ", h("small", {}, run.id)],
    run.note && h("p", { class: "remark" }, run.note), run.problem && h("p", { class: "problem" }, run.problem)];
}

/** @param {RunSummary} run */
function found(run) {
  const words = byId("search", HTMLInputElement).value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [run.id, run.name, run.note, run.game, run.title, run.kind, run.state, run.best].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function sorted() {
  const { value } = COLUMNS.find(({ key }) => key === order.by) ?? COLUMNS[0];
  return runs.filter(found).sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    return (x < y ? -1 : x > y ? 1 : 0) * (order.up ? 1 : -1) || (a.id < b.id ? -1 : 1);
  });
}

/** @param {Column} column */
function heading({ key, title, number }) {
  const sort = key === order.by ? (order.up ? "ascending" : "descending") : "none";
  const button = h("button", { type: "button", class: "sort", "data-sort": key }, title);
  return h("th", { scope: "col", class: number ? "number" : null, "aria-sort": sort }, button);
}

/** @param {RunSummary} run */
function row(run) {
  const tick = h("input", { type: "checkbox", "data-tick": run.id, "aria-label": `compare ${run.id}`,
    checked: ticked.has(run.id) });
  const actions = [
    run.stoppable && h("button", { type: "button", "data-stop": run.id, "aria-label": `stop ${run.id}` }, "Stop"),
    run.resumable && h("button", { type: "button", "data-resume": run.id, "aria-label": `resume ${run.id}` }, "Resume…"),
    run.nameable && h("button", { type: "button", "data-name": run.id, "aria-label": `name ${run.id}` }, "Name…"),
    run.deletable && h("button", { type: "button", "data-delete": run.id, "aria-label": `delete ${run.id}` }, "Delete"),
    run.export && exportLink(run, run.export),
  ];
  return h("tr", { "data-run": run.id }, h("td", {}, tick),
    COLUMNS.map((c) => h(c.key === "id" ? "th" : "td", { scope: c.key === "id" ? "row" : null,
      class: c.number ? "number" : null, "data-label": c.title },
      c.shown ? c.shown(run) : String(c.value(run)))),
    h("td", {}, h("div", { class: "actions" }, actions)));
}

/**
 * exportLink downloads the best version.
 * @param {RunSummary} run
 * @param {string} file
 */
function exportLink(run, file) {
  const title = `the best version of ${run.id} as ${file}: the network with its game and rules, for file:PATH wherever an agent is named`;
  return h("a", { class: "button", href: `/api/runs/${encodeURIComponent(run.id)}/export`, download: file, title,
    "data-export": run.id, "aria-label": `export best of ${run.id}, ${file}` },
    "Export best", h("small", {}, ` .${file.split(".").at(-1)}`));
}

function draw() {
  const list = sorted();
  byId("tools").hidden = runs.length === 0;
  const running = runs.filter((r) => r.state === "running").length;
  const all = `${runs.length} run${runs.length === 1 ? "" : "s"}${running ? `, ${running} running` : ""}`;
  byId("summary").textContent = runs.length === 0 ? "" : list.length === runs.length ? all : `${list.length} of ${all}`;
  if (runs.length === 0) {
    byId("runs").replaceChildren(h("p", { class: "empty" }, "There are no runs here yet. ",
      trainings.trains() ? "“Train…”" : h("code", {}, "croupier train bank"),
    " begins one; this page will show it. You can play and ask for advice without a run."));
    return;
  }
  const focus = document.activeElement instanceof HTMLElement ? { ...document.activeElement.dataset } : {};
  byId("runs").replaceChildren(list.length === 0 ? empty("no run matches") : h("table", { class: "runs" },
    h("thead", {}, h("tr", {}, h("td", {}), COLUMNS.map(heading), h("td", {}))), h("tbody", {}, list.map(row))));
  for (const [name, value] of Object.entries(focus)) {
    const again = [...byId("runs").querySelectorAll("button, input, a")].find(
      (e) => e instanceof HTMLElement && e.dataset[name] === value);
    if (again instanceof HTMLElement) again.focus();
  }
  drawChosen();
}

function drawChosen() {
  for (const id of ticked) if (!runs.some((r) => r.id === id)) ticked.delete(id);
  const link = byId("compare", HTMLAnchorElement);
  link.href = "/compare?" + new URLSearchParams([...ticked].map((id) => ["run", id]));
  link.setAttribute("aria-disabled", String(ticked.size < 2));
  byId("chosen").textContent = ticked.size === 0 ? "tick runs to compare them" : `${ticked.size} ticked`;
}

async function look() {
  try {
    const response = await fetch("/api/runs", { cache: "no-store" });
    const text = await response.text();
    if (!response.ok) throw new Error(JSON.parse(text).error);
    byId("banner").hidden = true;
    if (text !== known) {
      known = text;
      runs = JSON.parse(text);
      draw();
    }
  } catch (problem) {
    tell(problem instanceof TypeError ? "The connection to Croupier is lost; trying again."
      : /** @type {Error} */ (problem).message);
  }
}

/** @param {string} text */
function tell(text) {
  byId("banner").textContent = text;
  byId("banner").hidden = false;
}

/**
 * confirmed asks in the dialog, and waits for the answer. An answer counts for the question that was open when it
 * was given: closing is reported later, when the next one may be open.
 * @param {string} question
 * @param {string} no
 * @param {string} yes
 */
async function confirmed(question, no, yes) {
  const dialog = byId("confirm", HTMLDialogElement);
  byId("confirm-text").textContent = question;
  byId("confirm-no").textContent = no;
  byId("confirm-yes").textContent = yes;
  dialog.showModal();
  const done = new AbortController();
  /** @type {boolean} */
  const answer = await new Promise((resolve) => {
    dialog.addEventListener("submit", ({ submitter }) => resolve(submitter?.getAttribute("value") === "yes"),
      { signal: done.signal });
    dialog.addEventListener("close", () => { if (!dialog.open) resolve(false); }, { signal: done.signal });
  });
  done.abort();
  return answer;
}

/** @param {string} id */
async function remove(id) {
  const run = runs.find((r) => r.id === id);
  const question = `Delete run ${id} (${bytes(run?.bytes ?? 0)})? Its versions, ladder, curves and games cannot be restored.`;
  if (!(await confirmed(question, "Keep it", "Delete for ever"))) return;
  const response = await fetch("/api/runs/" + encodeURIComponent(id), { method: "DELETE" });
  await look();
  if (!response.ok) tell((await response.json()).error);
}

/** @param {string} id */
async function stop(id) {
  const question = `Stop the training of run ${id}? Everything is saved, and Resume continues it.`;
  if (!(await confirmed(question, "Let it train", "Stop it"))) return;
  try {
    await ordered(`/api/runs/${encodeURIComponent(id)}/stop`, {});
    await look();
  } catch (problem) {
    await look();
    tell(/** @type {Error} */ (problem).message);
  }
}

function listen() {
  byId("search").addEventListener("input", draw);
  byId("runs").addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    const { sort, delete: gone, stop: stopped, resume, name } = target.dataset;
    if (sort) {
      order.up = order.by === sort ? !order.up : sort === "id" || sort === "game" || sort === "state";
      order.by = sort;
      draw();
    }
    if (gone) remove(gone);
    if (stopped) stop(stopped);
    if (resume) trainings.show(resume);
    const named = runs.find((r) => r.id === name);
    if (named) rename(named, look);
  });
  byId("runs").addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.dataset.tick) return;
    if (target.checked) ticked.add(target.dataset.tick);
    else ticked.delete(target.dataset.tick);
    drawChosen();
  });
  byId("compare").addEventListener("click", (event) => { if (ticked.size < 2) event.preventDefault(); });
}

listen();
if (trainings.trains()) trainings.listen();
await look();
setInterval(() => { if (!document.hidden) look(); }, AGAIN);
