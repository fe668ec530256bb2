// The page of advice: a position and what each action is worth there; the history of a
// game and what each decision has cost.

import { byId, empty, h, rooted, runName, s } from "./dom.js";
import { decimal, percent } from "./format.js";
import { onChange, start, state } from "./stream.js";

/** @type {Advised[]} */
let games = [];

const gameField = byId("advised-game", HTMLSelectElement);
const agentField = byId("agent", HTMLInputElement);
const rulesField = byId("rules", HTMLInputElement);
const positionField = byId("position", HTMLTextAreaElement);
const historiesField = byId("histories", HTMLTextAreaElement);

const chosen = () => games.find((g) => g.name === gameField.value);

/** Refusal is what the server has against a question, and which field is at fault. */
class Refusal extends Error {
  /**
   * @param {string} message
   * @param {string} [field]
   */
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

/**
 * post asks a question.
 * @param {string} path
 * @param {string} question
 */
async function post(path, question) {
  const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: question });
  const answer = await response.json();
  if (!response.ok) throw new Refusal(answer.error, answer.field);
  return answer;
}

/**
 * busy keeps a button from being pressed again while something is done.
 * @param {string} id
 * @param {() => Promise<void>} doing
 */
async function busy(id, doing) {
  const button = byId(id, HTMLButtonElement);
  button.disabled = true;
  try {
    await doing();
  } finally {
    button.disabled = false;
  }
}

/**
 * @param {string} id
 * @param {HTMLTextAreaElement} area
 * @param {unknown} problem
 */
function complain(id, area, problem) {
  const place = byId(id);
  place.textContent = problem instanceof Error ? problem.message : "";
  place.hidden = !problem;
  area.toggleAttribute("aria-invalid", Boolean(problem));
}

/**
 * select marks the field that is at fault in the text.
 * @param {HTMLTextAreaElement} area
 * @param {string} [field]
 */
function select(area, field) {
  const name = field?.match(/([A-Za-z_]+)[^A-Za-z_]*$/)?.[1];
  const at = area.value.indexOf(`"${name}"`);
  if (!name || at < 0) return;
  area.focus();
  area.setSelectionRange(at, at + name.length + 2);
}

/**
 * bar draws how much of the largest loss an action loses; the best has none.
 * @param {number} loss
 * @param {number} largest
 */
function bar(loss, largest) {
  const width = largest > 0 ? (100 * Math.max(0, loss)) / largest : 0;
  return s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "lost", width, height: 8 }));
}

const LOSS_DECIMALS = 4; // of losses in a review

// A loss that is below 0 by chance is shown as none.
const lost = (/** @type {number} */ loss, decimals = LOSS_DECIMALS) => decimal(Math.max(0, loss), decimals);

const how = (/** @type {boolean} */ exact) => (exact ? "exact" : "estimated");

/**
 * sentences explain what stands above.
 * @param {(string | undefined)[]} texts
 */
const sentences = (texts) => texts.filter(Boolean).map((text) => h("p", { class: "detail" }, `${text}.`));

/** @type {[string, (answer: Answer) => boolean, (a: Action) => number][]} */
const SHARES = [
  ["played", (answer) => answer.actions.filter((a) => (a.frequency ?? 0) >= 0.005).length > 1, (a) => a.frequency ?? 0],
  ["risk", (answer) => new Set(answer.actions.map((a) => percent(a.risk ?? 0))).size > 1, (a) => a.risk ?? 0],
];

/** @param {Answer} answer */
function drawAnswer(answer) {
  const largest = Math.max(...answer.actions.map((a) => a.loss));
  const digits = answer.decimals;
  const interval = (/** @type {Action} */ a) => (answer.exact ? "" : ` (${lost(a.loss_low, digits)} … ${lost(a.loss_high, digits)})`);
  const shares = SHARES.filter(([, shown]) => shown(answer));
  const rows = [...answer.actions].sort((a, b) => b.value - a.value).map((a) =>
    h("tr", { class: a.action === answer.best ? "best" : null },
      h("th", { scope: "row" }, a.name), h("td", { class: "number" }, decimal(a.value, digits)),
      h("td", { class: "number" }, lost(a.loss, digits) + interval(a)), h("td", { class: "bar" }, bar(a.loss, largest)),
      shares.map(([, , share]) => h("td", { class: "number" }, percent(share(a))))));
  byId("answer").replaceChildren(
    h("p", { id: "reason" }, answer.reason),
    h("div", { class: "scroll" }, h("table", { class: "advice" },
      h("thead", {}, h("tr", {}, h("th", {}, "action"), h("th", { class: "number" }, answer.unit),
        h("th", { class: "number" }, answer.exact ? "loss" : "loss (95 %)"), h("th", {}),
        shares.map(([name]) => h("th", { class: "number" }, name === "risk" ? answer.risk ?? "" : name)))),
      h("tbody", {}, rows))),
    h("div", {}, sentences([`Advice of ${answer.agent}, ${how(answer.exact)}`, answer.unit_meaning, ...(answer.notes ?? []).map((note) => `Note: ${note}`)])),
    answer.text ? h("pre", {}, answer.text) : "");
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (e) {
    throw new Error(`The position is not JSON: ${/** @type {Error} */ (e).message}`);
  }
}

async function ask() {
  await busy("ask", async () => {
    try {
      parsed(positionField.value);
      // As text, so that what JSON.parse passes over (a repeated field) is found.
      const asked = JSON.stringify({ run: runName(), game: gameField.value, agent: agentField.value.trim(), rules: rulesField.value.trim() });
      const body = `${asked.slice(0, -1)},"position":${positionField.value}}`;
      const answer = await post("/api/advice", body);
      complain("position-problem", positionField, null);
      drawAnswer(answer);
    } catch (problem) {
      complain("position-problem", positionField, problem);
      if (problem instanceof Refusal) select(positionField, problem.field);
      byId("answer").replaceChildren(empty("no answer"));
    }
  });
}

// The place of the page holds the question, so that it can be passed on.
function link() {
  const place = new URLSearchParams({
    game: gameField.value, agent: agentField.value.trim(), rules: rulesField.value.trim(), position: positionField.value,
  });
  byId("share", HTMLAnchorElement).href = "#" + place;
}

/**
 * @param {string} game
 * @param {string} position
 */
function show(game, position) {
  gameField.value = game;
  positionField.value = position;
  agents();
  link();
}

/** @param {unknown} value */
const pretty = (value) => {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : JSON.stringify(value, null, 1).replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inner) => `[${inner.replace(/\s+/g, " ")}]`);
};

function example() {
  const game = chosen();
  if (game) show(game.name, pretty(game.example));
}

// agents offers who can be asked: also the versions of the run, about its game.
function agents() {
  const versions = state.run?.game === chosen()?.name ? (state.league?.population ?? []).map((m) => m.name) : [];
  byId("agents").replaceChildren(...[...(chosen()?.agents ?? []), ...versions].map((name) => h("option", { value: name })));
}

function fromPlace() {
  const place = new URLSearchParams(location.hash.slice(1));
  const game = games.find((g) => g.name === place.get("game"));
  if (!game) return false;
  agentField.value = place.get("agent") ?? "";
  rulesField.value = place.get("rules") ?? "";
  show(game.name, place.get("position") ?? pretty(game.example));
  return true;
}

// Reviews.

/** @type {Report | null} */
let report = null;
let current = 0;

/**
 * seatTable tells how the seats decided, in the numbers of the terminal.
 * @param {Report} report
 */
function seatTable(report) {
  const head = ["seat", "decisions", "mistakes", `lost per decision (${report.unit})`, "accuracy", ...(report.exact ? [] : ["95 % interval of the loss"])];
  const rows = report.seats.map((seat) => [
    `${seat.seat}`, `${seat.decisions}`, `${seat.mistakes}`, decimal(seat.loss_per_decision, LOSS_DECIMALS), decimal(seat.accuracy, 1),
    ...(report.exact ? [] : [`${decimal(seat.loss_low, LOSS_DECIMALS)} … ${decimal(seat.loss_high, LOSS_DECIMALS)}`]),
  ]);
  return h("div", { class: "scroll" }, h("table", { class: "advice", id: "seats" },
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { class: "number" }, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", { class: "number" }, cell)))))));
}

/** @param {Report} report */
function drawReport(report) {
  const largest = Math.max(...report.decisions.map((d) => d.loss), 0);
  const marks = report.decisions.map((d, i) => h("button", {
    type: "button", class: "moment", "data-index": i, "aria-label": `decision ${i + 1}: ${d.taken_name}, loss ${lost(d.loss)}${d.mistake ? ", a mistake" : ""}`,
  }, s("svg", { viewBox: "0 0 8 40", "aria-hidden": "true" },
    s("rect", { class: d.mistake ? "lost" : "at", width: 8, y: 38 - (largest > 0 ? (36 * Math.max(0, d.loss)) / largest : 0), height: 40 }))));
  byId("report").replaceChildren(
    h("p", {}, `${report.games} game${report.games === 1 ? "" : "s"} of ${report.game}, judged by ${report.agent} (${how(report.exact)}):`),
    seatTable(report),
    h("div", {}, sentences([report.unit_meaning, ...(report.notes ?? []).map((note) => `Note: ${note}`)])),
    report.decisions.length === 0 ? empty("there was nothing to decide") : h("div", { class: "moments", role: "group", "aria-label": "Decisions" }, marks),
    h("p", { class: "buttons" },
      h("button", { type: "button", id: "previous" }, "Previous"), h("button", { type: "button", id: "next" }, "Next"),
      h("button", { type: "button", id: "worst" }, "Worst")),
    h("div", { id: "decision", "aria-live": "polite" }));
  if (report.decisions.length > 0) step(report, 0);
}

/**
 * verdict compares what was done with the best.
 * @param {Report} report
 * @param {Decision} d
 */
function verdict(report, d) {
  if (d.taken === d.best) return ", the best.";
  if (d.loss <= 0) return h("span", {}, ", as good as ", h("b", {}, d.best_name), ".");
  const cost = `${report.exact ? "" : "about "}${lost(d.loss)} ${report.unit}`;
  return h("span", {}, " instead of ", h("b", {}, d.best_name), d.mistake ? `: a mistake, which cost ${cost}.` : `, which seems to have cost ${cost}, but is not called a mistake.`);
}

/**
 * step shows a decision, and its position above.
 * @param {Report} report
 * @param {number} to
 */
function step(report, to) {
  current = Math.max(0, Math.min(report.decisions.length - 1, to));
  const d = report.decisions[current];
  for (const [i, mark] of document.querySelectorAll(".moment").entries()) mark.toggleAttribute("aria-current", i === current);
  byId("decision").replaceChildren(
    h("p", {}, `Decision ${current + 1} of ${report.decisions.length} (game ${d.game_index}, step ${d.step}), seat ${d.seat}: `,
      h("b", {}, d.taken_name), verdict(report, d)),
    h("p", { class: "detail" }, d.reason));
  if (d.position && games.some((g) => g.name === report.game)) {
    rulesField.value = JSON.stringify(report.rules);
    show(report.game, pretty(d.position));
  }
}

async function judge() {
  await busy("judge", async () => {
    try {
      const made = await post("/api/review", JSON.stringify({ run: runName(), agent: agentField.value.trim(), histories: historiesField.value }));
      complain("review-problem", historiesField, null);
      report = made;
      drawReport(made);
    } catch (problem) {
      complain("review-problem", historiesField, problem);
      byId("report").replaceChildren();
    }
  });
}

/**
 * worse puts mistakes before what may have lost nothing.
 * @param {Decision} a
 * @param {Decision} b
 */
const worse = (a, b) => (a.mistake === b.mistake ? a.loss > b.loss : a.mistake);

/**
 * move goes to the decision that belongs to what was pressed.
 * @param {Report} report
 * @param {Element} target
 */
function move(report, target) {
  const { decisions } = report;
  /** @type {HTMLElement | null} */
  const mark = target.closest(".moment");
  if (mark) step(report, Number(mark.dataset.index));
  else if (target.id === "previous") step(report, current - 1);
  else if (target.id === "next") step(report, current + 1);
  else if (target.id === "worst") step(report, decisions.reduce((worst, d, i) => (worse(d, decisions[worst]) ? i : worst), 0));
}

function listen() {
  byId("question").addEventListener("submit", (event) => { event.preventDefault(); ask(); });
  byId("review").addEventListener("submit", (event) => { event.preventDefault(); judge(); });
  byId("example").addEventListener("click", example);
  gameField.addEventListener("change", () => { agentField.value = rulesField.value = ""; example(); });
  byId("question").addEventListener("input", link);
  const fileField = byId("file", HTMLInputElement);
  fileField.addEventListener("change", async () => {
    const file = fileField.files?.[0]; // none where the choice was cancelled
    if (file) historiesField.value = await file.text();
  });
  byId("report").addEventListener("click", ({ target }) => {
    if (report && target instanceof Element) move(report, target);
  });
  addEventListener("hashchange", () => { if (fromPlace()) ask(); });
}

async function begin() {
  games = await (await fetch("/api/advice?run=" + runName())).json();
  gameField.replaceChildren(...games.map((g) => h("option", {}, g.name)));
  listen();
  if (fromPlace()) {
    ask();
    return;
  }
  const run = runName() && (await (await fetch(rooted("/api/run"))).json()).game;
  if (games.some((g) => g.name === run)) gameField.value = run;
  example();
}

onChange((changed) => { if (changed.has("run") || changed.has("league")) agents(); });
begin();
start();
