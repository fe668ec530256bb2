// The companion of a real table: a table of the tables' API at which chance is entered and one device
// decides for everybody. The seats' keys stay in the browser's storage, so that a reload continues.

import { boardOf } from "./board.js";
import { entry } from "./dice.js";
import { byId, h, runName } from "./dom.js";
import { amounts } from "./format.js";
import { showLine } from "./position.js";
import { asking } from "./question.js";
import { choicesOf, inParts } from "./review-parts.js";
import { drawer, settings } from "./settings.js";
import { keep, recall } from "./storage.js";
import { start } from "./stream.js";
import { ask, Link, sentence } from "./table-link.js";
import { marksOn } from "./table-marks.js";

const KEY = "croupier.companion";

/** @typedef {{ game: string, table: string, keys: string[], me: number }} Sitting */

const gameField = byId("companion-game", HTMLSelectElement);
const seatsField = byId("companion-seats", HTMLSelectElement);
const host = byId("board");
const marks = marksOn(host);

/** @type {PlayedGame[]} */
let games = [];
/** @type {Sitting | null} */
let sitting = null;
/** @type {Link | null} */
let link = null;
/** @type {MountedBoard | null} */
let board = null;
/** @type {Show | undefined} what the seat to move sees; where dice fall, what the owner of the device sees */
let shown;
/** @type {ReturnType<typeof entry> | null} */
let dice = null;

/** @param {string} text */
function problem(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = !text;
}

/** @param {() => Promise<void>} doing */
async function trying(doing) {
  problem("");
  try {
    await doing();
  } catch (wrong) {
    problem(sentence(wrong));
  }
}

/** @param {Sitting | null} next */
function remember(next) {
  sitting = next;
  keep(KEY, next);
}

// Laying the table.

function names() {
  const known = [...document.querySelectorAll("#names input[type=text]")].map(
    (e) => /** @type {HTMLInputElement} */ (e).value);
  byId("names").replaceChildren(...Array.from({ length: Number(seatsField.value) }, (_, seat) =>
    h("div", {}, h("label", {}, `${seat + 1}.`, h("input", { type: "text", maxlength: 40, required: true,
      value: known[seat] ?? (seat ? `Player ${seat + 1}` : "Me") })),
      h("label", { class: "me" }, h("input", { type: "radio", name: "me", value: seat, checked: seat === 0 }),
        "that is me"))));
}

function seats() {
  const game = /** @type {PlayedGame} */ (games.find((g) => g.name === gameField.value));
  const numbers = Array.from({ length: game.most - game.fewest + 1 }, (_, i) => game.fewest + i);
  seatsField.replaceChildren(...numbers.map((n) => h("option", { value: n, selected: n === game.seats }, String(n))));
  byId("seats-label").hidden = numbers.length === 1;
  names();
}

/** @param {SubmitEvent} event */
async function lay(event) {
  event.preventDefault();
  const people = [...document.querySelectorAll("#names input[type=text]")].map(
    (e) => ({ person: /** @type {HTMLInputElement} */ (e).value.trim() }));
  const me = Number(new FormData(byId("companion-form", HTMLFormElement)).get("me") ?? 0);
  const wrong = byId("lay-problem");
  wrong.hidden = true;
  try {
    /** @type {MadeTable} */
    const made = await ask("/api/tables", { game: gameField.value, run: runName(), seats: people, entered: true,
      timeout_seconds: 0, position: byId("companion-position", HTMLInputElement).value.trim() });
    remember({ game: gameField.value, table: made.table, keys: made.keys, me });
    await sit();
  } catch (refused) {
    wrong.textContent = sentence(refused);
    wrong.hidden = false;
  }
}

// At the table.

async function sit() {
  const s = /** @type {Sitting} */ (sitting);
  byId("lay").hidden = true;
  byId("table").hidden = false;
  byId("report").hidden = true;
  shown = undefined;
  const module = await boardOf(s.game);
  board?.destroy();
  board = module.mount(host, { act: (action) => act(action), settings });
  link?.close();
  link = new Link(s.table, s.keys[s.me], { show: take, state: (state) => { if (state === "gone") gone(); } });
}

/** The table is gone: it was left for long, or the server began again. */
function gone() {
  leave();
  byId("lay-problem").textContent = "The table is gone: nobody has used it for a long time, or Croupier was started again.";
  byId("lay-problem").hidden = false;
}

function leave() {
  link?.close();
  board?.destroy();
  [link, board, shown] = [null, null, undefined];
  marks.clear();
  remember(null);
  byId("lay").hidden = false;
  byId("table").hidden = true;
}

/**
 * take shows what is new. A decision of somebody else is theirs to see: with their key it is asked
 * what they may do.
 * @param {Show} show as the owner of the device sees it
 */
async function take(show) {
  const s = /** @type {Sitting} */ (sitting);
  const previous = shown;
  let now = show;
  if (show.mover >= 0 && show.mover !== s.me) {
    const theirs = await ask(/** @type {Link} */ (link).path("", s.keys[show.mover]));
    if (theirs.step !== show.step) return; // something newer is on its way
    now = { ...show, actions: theirs.actions, line: theirs.line };
  }
  shown = now;
  marks.clear();
  byId("advice").replaceChildren();
  board?.show(now, previous && previous.step < now.step ? previous : undefined);
  strip(now);
}

/** @param {Show} show */
function strip(show) {
  const mine = show.mover === show.eye;
  const throwing = show.mover === -1 && show.actions.length > 0;
  byId("ask").textContent = show.over ? "The game is over." : throwing ? "Which dice fell?"
    : show.mover < 0 ? "" : mine ? "Your decision: choose on the board what you did."
      : `${show.seats[show.mover].name} decides: choose on the board what was done.`;
  showLine(byId("position-line"), show.line);
  const undo = byId("undo", HTMLButtonElement);
  undo.disabled = !show.table?.undo;
  byId("hint", HTMLButtonElement).disabled = show.mover < 0;
  byId("review", HTMLButtonElement).disabled = !show.over;
  enterDice(throwing ? show.actions : []);
}

/**
 * enterDice lets the throw be entered: outcomes are named by their dice, ascending ("1-2-2").
 * @param {Choice[]} outcomes
 */
function enterDice(outcomes) {
  const had = dice?.element.contains(document.activeElement);
  byId("entry").replaceChildren();
  dice = null;
  if (outcomes.length === 0) return;
  const count = outcomes[0].name.split("-").length;
  dice = entry(byId("entry"), {
    label: "The dice that fell", count, changed(faces) {
      const name = [...faces].sort((a, b) => a - b).join("-");
      const outcome = faces.length === count && outcomes.find((o) => o.name === name);
      if (outcome) act(outcome.action);
    },
  });
  if (had) /** @type {HTMLElement | null} */ (dice.element.querySelector(".keys button"))?.focus();
}

/** @param {number} action */
function act(action) {
  return trying(async () => {
    const s = /** @type {Sitting} */ (sitting);
    const show = /** @type {Show} */ (shown);
    const seat = show.mover >= 0 ? show.mover : s.me;
    await /** @type {Link} */ (link).post("/act", { step: show.step, action }, { key: s.keys[seat] });
  });
}

function hint() {
  return trying(async () => {
    const s = /** @type {Sitting} */ (sitting);
    const show = /** @type {Show} */ (shown);
    byId("advice").replaceChildren(h("p", { class: "detail" }, "Thinking …"));
    /** @type {Answer} */
    let answer;
    try {
      answer = await /** @type {Link} */ (link).post("/hint", {}, { key: s.keys[show.mover] });
    } finally {
      byId("advice").replaceChildren();
    }
    if (show !== shown) return;
    const best = /** @type {Action} */ (answer.actions.find((a) => a.action === answer.best));
    byId("advice").replaceChildren(h("p", {}, h("b", {}, `Best: ${best.name}`)),
      h("p", { class: "detail" }, answer.reason));
    const write = amounts(answer, Math.min(3, answer.decimals));
    marks.show(answer.actions.map((a) => ({ action: a.action,
      text: a.action === answer.best ? "best" : `\u2212${write(Math.max(0, a.loss))}`,
    best: a.action === answer.best })),
      (action) => board?.element(action) ?? null);
  });
}

function review() {
  return trying(async () => {
    const { history } = await /** @type {Link} */ (link).post("/save");
    const report = byId("report");
    report.hidden = false;
    const place = h("div");
    report.replaceChildren(h("h2", {}, "Review"), place);
    report.scrollIntoView({ block: "nearest" });
    await asking(place).ask("Judging the decisions", async (signal, tell) => {
      const choices = await choicesOf(history, signal);
      return inParts({ run: runName(), agent: "", histories: history }, choices, signal, (done) =>
        tell(`Judging decision ${done + 1} of ${choices.length}`));
    }, (/** @type {Report} */ judged) => place.replaceChildren(...reported(judged, history)));
    report.scrollIntoView({ block: "nearest" });
  });
}

/** @param {Report} judged @param {string} history */
function reported(judged, history) {
  const show = /** @type {Show} */ (shown);
  const write = amounts(judged, 3);
  const rows = judged.seats.map((s) => h("tr", {}, h("th", { scope: "row" }, show.seats[s.seat].name),
    h("td", { class: "number" }, String(s.decisions)), h("td", { class: "number" }, String(s.mistakes)),
    h("td", { class: "number" }, write(Math.max(0, s.loss_per_decision)))));
  return [
    h("div", { class: "scroll" }, h("table", {}, h("thead", {},
      h("tr", {}, h("th", {}, "Player"), h("th", { class: "number" }, "Decisions"),
      h("th", { class: "number" }, "Mistakes"), h("th", { class: "number" }, "Lost per decision"))),
      h("tbody", {}, rows))),
    h("p", { class: "buttons" }, h("a", { class: "button", href: `/replay#history=${encodeURIComponent(history)}` },
      "Look back at the game"))];
}

async function begin() {
  byId("settings").append(drawer(() => { if (shown) board?.show(shown); }));
  byId("undo").addEventListener("click", () => trying(async () => { await link?.post("/undo"); }));
  byId("hint").addEventListener("click", hint);
  byId("review").addEventListener("click", review);
  byId("stop").addEventListener("click", leave);
  byId("companion-form").addEventListener("submit", lay);
  gameField.addEventListener("change", seats);
  seatsField.addEventListener("change", names);
  try {
    games = (await ask(`/api/play?run=${encodeURIComponent(runName())}`)).games.filter(
      (/** @type {PlayedGame} */ g) => g.entered);
  } catch (wrong) {
    byId("lay-problem").textContent = sentence(wrong);
    byId("lay-problem").hidden = false;
    return;
  }
  const place = new URLSearchParams(location.hash.slice(1));
  const wanted = place.get("game");
  byId("companion-position", HTMLInputElement).value = place.get("position") ?? "";
  gameField.replaceChildren(...games.map((g) => h("option", { value: g.name, selected: g.name === wanted }, g.title)));
  seats();
  sitting = recall(KEY);
  if (sitting) await sit();
}

begin();
start();
