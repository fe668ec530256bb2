// The page of advice: a position, put together by tapping, and what each action is worth there.

import { drawn } from "./answer.js";
import { boardOf } from "./board.js";
import { byId, h, rooted, runName } from "./dom.js";
import { asking } from "./question.js";
import { settings } from "./settings.js";
import { onChange, start, state } from "./stream.js";
import { Refused, ask, sentence } from "./table-link.js";

/** @type {Advised[]} */
let games = [];

const gameField = byId("advised-game", HTMLSelectElement);
const agentField = byId("agent", HTMLInputElement);
const rulesField = byId("rules", HTMLInputElement);
const positionField = byId("position", HTMLTextAreaElement);
const textBox = byId("as-text", HTMLDetailsElement);
const askButton = byId("ask", HTMLButtonElement);
const answers = asking(byId("answer"), (working) => { askButton.disabled = working; });

/** @type {MountedEditor | null} */
let editor = null;
let edited = 0; // counts editors: only the newest is mounted

const chosen = () => games.find((g) => g.name === gameField.value);

/** The run whose rules and agents count: the one of the address, or the page's. */
const run = () => new URLSearchParams(location.search).get("run") ?? runName();

/** @param {unknown} problem */
function complain(problem) {
  const place = byId("position-problem");
  place.textContent = problem ? sentence(problem) : "";
  place.hidden = !problem;
  positionField.toggleAttribute("aria-invalid", Boolean(problem));
}

/**
 * select marks the field that is at fault in the text.
 * @param {string} [field]
 */
function select(field) {
  const name = field?.match(/([A-Za-z_]+)[^A-Za-z_]*$/)?.[1];
  const at = positionField.value.indexOf(`"${name}"`);
  if (!name || at < 0) return;
  positionField.focus();
  positionField.setSelectionRange(at, at + name.length + 2);
}

/**
 * isLine reports whether a text is a position in one line, and not JSON.
 * @param {string} text
 */
const isLine = (text) => /^\s*[^\s{[]/.test(text);

/**
 * asJSON is a position as a question has it: text, so that what JSON.parse passes over (a repeated field) is found.
 * @param {string} text
 */
function asJSON(text) {
  if (isLine(text)) return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text;
  } catch (e) {
    throw new Refused({ error: `The position is not JSON: ${/** @type {Error} */ (e).message}` }, 0);
  }
}

// The question has changed: the answer is of another one.
function changed() {
  complain(null);
  answers.clear();
  byId("answer").replaceChildren(h("p", { class: "empty" }, "ask about this position"));
  link();
}

async function question() {
  complain(null);
  await answers.ask("Looking for the best move", async (signal) => {
    const position = asJSON(positionField.value);
    const asked = JSON.stringify({ run: run(), game: gameField.value, agent: agentField.value.trim(),
      rules: rulesField.value.trim() });
    const body = `${asked.slice(0, -1)},"position":${position}}`;
    return askText(body, signal);
  }, (/** @type {Answer} */ answer) => {
    byId("answer").replaceChildren(drawn(answer));
    if (!isLine(positionField.value)) return;
    positionField.value = pretty(answer.position);
    edit();
  }, refused);
}

/** @param {string} body @param {AbortSignal} signal */
const askText = (body, signal) =>
  ask("/api/advice", undefined, { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });

/** @param {unknown} problem */
function refused(problem) {
  byId("answer").replaceChildren(h("p", { class: "empty" }, "no answer"));
  complain(problem);
  const field = problem instanceof Refused ? problem.field : undefined;
  if (editor && field) editor.complain(field, sentence(problem));
  if (textBox.open) select(field);
}

// The place of the page holds the question, so that it can be passed on.
function link() {
  const place = new URLSearchParams({
    game: gameField.value, agent: agentField.value.trim(), rules: rulesField.value.trim(),
    position: positionField.value,
  });
  byId("share", HTMLAnchorElement).href = "#" + place;
}

/** All rules of the chosen game: the usual ones, or those that the field says. */
async function rules() {
  const text = rulesField.value.trim();
  const usual = chosen()?.rules ?? {};
  if (!text) return usual;
  try {
    return (await ask("/api/rules", { game: gameField.value, rules: text })).rules;
  } catch { // the question itself will say what is wrong with them
    return usual;
  }
}

/** Mounts the editor of the chosen game at the position, if there is one that can be read. */
async function edit() {
  const own = ++edited;
  const [board, all] = await Promise.all([boardOf(gameField.value), rules()]);
  if (own !== edited) return;
  editor?.destroy();
  editor = null;
  byId("editor").replaceChildren();
  textBox.open ||= !board.editor;
  if (!board.editor || isLine(positionField.value)) return;
  editor = board.editor(byId("editor"), {
    rules: all, position: JSON.parse(positionField.value), settings,
    changed(position) {
      positionField.value = pretty(position);
      changed();
    },
  });
}

/**
 * show puts a question on the page.
 * @param {string} game
 * @param {string} position
 */
async function show(game, position) {
  gameField.value = game;
  positionField.value = position;
  agents();
  changed();
  try {
    asJSON(position);
    await edit();
  } catch (problem) {
    complain(problem);
    textBox.open = true;
  }
}

/** @param {unknown} value */
const pretty = (value) => {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : JSON.stringify(value, null, 1)
    .replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inner) => `[${inner.replace(/\s+/g, " ")}]`);
};

async function example() {
  const game = chosen();
  if (game) await show(game.name, pretty(game.example));
}

// agents offers who can be asked: also the versions of the run, about its game.
function agents() {
  const versions = state.run?.game === chosen()?.name ? (state.league?.population ?? []).map((m) => m.name) : [];
  byId("agents").replaceChildren(...[...(chosen()?.agents ?? []), ...versions].map(
    (name) => h("option", { value: name })));
}

async function fromPlace() {
  const place = new URLSearchParams(location.hash.slice(1));
  const game = games.find((g) => g.name === place.get("game"));
  if (!game) return false;
  agentField.value = place.get("agent") ?? "";
  rulesField.value = place.get("rules") ?? "";
  await show(game.name, place.get("position") ?? pretty(game.example));
  await question();
  return true;
}

function listen() {
  byId("question").addEventListener("submit", (event) => { event.preventDefault(); question(); });
  byId("example").addEventListener("click", example);
  gameField.addEventListener("change", () => { agentField.value = rulesField.value = ""; example(); });
  agentField.addEventListener("input", changed);
  rulesField.addEventListener("change", () => { changed(); edit(); });
  positionField.addEventListener("input", () => {
    changed();
    try {
      editor?.set(JSON.parse(positionField.value));
    } catch { // not finished yet
    }
  });
  addEventListener("hashchange", fromPlace);
}

async function begin() {
  games = await (await fetch("/api/advice?run=" + encodeURIComponent(run()))).json();
  gameField.replaceChildren(...games.map((g) => h("option", {}, g.name)));
  listen();
  if (await fromPlace()) return;
  const played = runName() && (await (await fetch(rooted("/api/run"))).json()).game;
  if (games.some((g) => g.name === played)) gameField.value = played;
  await example();
}

onChange((parts) => { if (parts.has("run") || parts.has("league")) agents(); });
begin();
start();
