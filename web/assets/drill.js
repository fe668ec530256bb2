// The page of drills: a position at which a rule of thumb often goes wrong, on the game's board. You
// move, then you are shown what each move is worth.

import { boardOf } from "./board.js";
import { byId, empty, h, runName, tile } from "./dom.js";
import { amounts } from "./format.js";
import { drawer, settings } from "./settings.js";
import { keep, recall } from "./storage.js";
import { start } from "./stream.js";
import { ask, Refused, sentence } from "./table-link.js";
import { marksOn } from "./table-marks.js";

/**
 * @typedef {{ name: string, title: string, rules: string, about: string }} Game
 * @typedef {{ show: Show, answer: Answer, rule: string, help: string, obvious: number, right: number[], seed: number,
 *   position: any }} Dealt
 * @typedef {{ decisions: number, best: number, streak: number, longest: number, lost: number }} Score
 */

const gameField = byId("drill-game", HTMLSelectElement);
const difficultyField = byId("difficulty", HTMLSelectElement);
const host = byId("board");
const situation = byId("situation");
const verdict = byId("verdict");
const marks = marksOn(host);

/** @type {Game[]} */
let games = [];
/** @type {Dealt | null} */
let dealt = null;
/** @type {Promise<Dealt> | null} the next one, which is looked for while this one is thought about */
let coming = null;
/** @type {MountedBoard | null} */
let board = null;
let mounted = ""; // the game of the board
let answered = false;
let asked = 0; // counts what was asked for, so that an answer that comes too late is not shown

const KEY = "croupier.drill";

/** @type {Record<string, Score>} by game */
const scores = recall(KEY) ?? {};

const score = () => (scores[gameField.value] ??= { decisions: 0, best: 0, streak: 0, longest: 0, lost: 0 });

/** @param {Answer} a */
const writer = (a) => amounts(a, Math.min(a.decimals, 3));

function drawScore() {
  const s = score();
  const unit = dealt ? writer(dealt.answer) : String;
  byId("score").replaceChildren(
    tile("Decisions", String(s.decisions), s.decisions ? `${s.best} of them the best` : "on this device"),
    tile("Streak", String(s.streak), s.longest ? `longest ${s.longest}` : null),
    tile("Lost per decision", s.decisions ? unit(s.lost / s.decisions) : "nothing yet", null));
}

/** @param {string} [position] to decide in, instead of one that is dealt @returns {Promise<Dealt>} */
function deal(position) {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0];
  const game = /** @type {Game} */ (games.find((g) => g.name === gameField.value));
  return ask("/api/drill", { run: runName(), game: game.name, rules: game.rules, difficulty: difficultyField.value,
    seed, position });
}

async function next() {
  const mine = ++asked;
  const wanted = coming ?? deal();
  coming = null;
  marks.clear();
  verdict.hidden = true;
  situation.textContent = "Looking for a position …";
  try {
    const found = await wanted;
    if (mine !== asked) return;
    await present(found);
    if (mine === asked) coming = deal();
    coming?.catch(() => { coming = null; });
  } catch (problem) {
    if (mine !== asked) return;
    situation.textContent = "";
    verdict.replaceChildren(h("p", { class: "problem", role: "alert" }, sentence(problem)), nextButton("Try again"));
    verdict.hidden = false;
  }
}

// own deals the position that was typed; what cannot be asked about is reported next to the field, and the board stays.
/** @param {Event} event */
async function own(event) {
  event.preventDefault();
  const field = byId("own-position", HTMLInputElement);
  const problem = byId("own-problem");
  const mine = ++asked;
  try {
    if (!field.value.trim()) throw new Refused({ error: "type or paste a position; boards have one to copy" }, 400);
    const found = await deal(field.value.trim());
    if (mine !== asked) return;
    problem.hidden = true;
    marks.clear();
    verdict.hidden = true;
    await present(found);
    host.scrollIntoView({ block: "nearest" });
  } catch (refusal) {
    if (mine !== asked) return;
    problem.textContent = sentence(refusal);
    problem.hidden = false;
  }
  field.setAttribute("aria-invalid", String(!problem.hidden));
}

/** @param {Dealt} found */
async function present(found) {
  [dealt, answered] = [found, false];
  if (mounted !== found.show.game) {
    board?.destroy();
    const module = await boardOf(found.show.game);
    board = module.mount(host, { act: (action) => judge(action), settings });
    mounted = found.show.game;
  }
  board?.show(found.show);
  const game = games.find((g) => g.name === found.show.game);
  situation.textContent = `You are to move. What is best?${game?.about ? ` (${game.title}: ${game.about})` : ""}`;
  drawScore();
}

/** @param {number} action */
function judge(action) {
  if (!dealt || answered) return;
  const { answer } = dealt;
  const taken = answer.actions.find((a) => a.action === action);
  if (!taken) {
    situation.textContent = "That is not possible here.";
    return;
  }
  answered = true;
  const lost = Math.max(0, taken.loss);
  const right = dealt.right.includes(action);
  const s = score();
  s.decisions++;
  s.lost += lost;
  s.best += right ? 1 : 0;
  s.streak = right ? s.streak + 1 : 0;
  s.longest = Math.max(s.longest, s.streak);
  keep(KEY, scores);
  drawScore();
  settings.sound(right ? "win" : "lose");
  tell(dealt, taken, right);
}

/** @param {Dealt} d @param {Action} taken @param {boolean} right */
function tell(d, taken, right) {
  const write = writer(d.answer);
  const best = /** @type {Action} */ (d.answer.actions.find((a) => a.action === d.answer.best));
  const obvious = d.answer.actions.find((a) => a.action === d.obvious);
  const heading = taken.action === d.answer.best ? "The best move" : right
    ? "As good as the best, within the error of its value" : `It loses ${write(taken.loss)}`;
  situation.textContent = right ? "" : `${best.name} is better.`;
  verdict.replaceChildren(
    h("h2", { class: right ? "right" : "wrong" }, heading),
    h("p", {}, d.answer.reason),
    h("p", { class: "detail" }, `${d.rule} (${d.help}) would ${obvious?.name}: `,
      obvious && !d.right.includes(d.obvious) ? `it loses ${write(obvious.loss)}.`
        : "it is right here."),
    table(d.answer, taken.action),
    h("p", { class: "buttons" }, nextButton("Next position"),
      d.position && h("a", { class: "button", href: adviceLink(d) }, "Change the position and ask")));
  verdict.hidden = false;
  marks.show(d.answer.actions.map((a) => ({ action: a.action,
    text: a.action === d.answer.best ? "best" : `\u2212${write(Math.max(0, a.loss))}`,
  best: a.action === d.answer.best })),
    (action) => board?.element(action) ?? null);
  /** @type {HTMLElement | null} */ (verdict.querySelector(".next"))?.focus();
}

/** Where the position can be changed and asked about. @param {Dealt} d */
function adviceLink(d) {
  const rules = games.find((g) => g.name === d.show.game)?.rules ?? "";
  return `/advice#${new URLSearchParams({ game: d.show.game, rules, position: JSON.stringify(d.position) })}`;
}

/** @param {string} text */
function nextButton(text) {
  const button = h("button", { type: "button", class: "next" }, text);
  button.addEventListener("click", next);
  return button;
}

/** @param {Answer} answer @param {number} yours */
function table(answer, yours) {
  const write = writer(answer);
  const rows = [...answer.actions].sort((a, b) => b.value - a.value).slice(0, 12).map((a) =>
    h("tr", { class: a.action === yours ? "yours" : null },
      h("th", { scope: "row" }, a.name, a.action === yours && " (you)"),
      h("td", { class: "number" }, write(a.value)),
      h("td", { class: "number" }, a.action === answer.best ? "best" : `\u2212${write(Math.max(0, a.loss))}`)));
  return h("table", { class: "moves" }, h("thead", {}, h("tr", {}, h("th", {}, "Move"),
    h("th", { class: "number" }, "Worth"), h("th", { class: "number" }, "Lost"))),
    h("tbody", {}, rows));
}

function changed() {
  coming = null;
  dealt = null;
  history.replaceState(null, "", `#game=${gameField.value}`);
  drawScore();
  next();
}

async function begin() {
  byId("settings").append(drawer(() => { if (dealt) board?.show(dealt.show); }));
  try {
    games = await ask(`/api/drill?run=${encodeURIComponent(runName())}`);
  } catch (problem) {
    host.append(empty(sentence(problem)));
    return;
  }
  gameField.replaceChildren(...games.map((g) => h("option", { value: g.name }, g.title)));
  const place = new URLSearchParams(location.hash.slice(1));
  const [wanted, position] = [place.get("game"), place.get("position")];
  if (games.some((g) => g.name === wanted)) gameField.value = /** @type {string} */ (wanted);
  gameField.addEventListener("change", changed);
  difficultyField.addEventListener("change", changed);
  drawScore();
  byId("own-form", HTMLFormElement).addEventListener("submit", own);
  if (position) {
    byId("own", HTMLDetailsElement).open = true;
    byId("own-position", HTMLInputElement).value = position;
    coming = deal(position);
  }
  await next();
}

begin();
start();
