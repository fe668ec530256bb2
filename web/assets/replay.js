// The page on which recorded games are looked at again: step by step on the board of the game, with
// what each decision cost and what else could have been done.

import { capital, drawn } from "./answer.js";
import { boardOf } from "./board.js";
import { byId, h, runName } from "./dom.js";
import { graph } from "./graph.js";
import { allowed, costs, curveOf, dearest, lost } from "./judgement.js";
import { barsIn, largestOf } from "./outlook.js";
import { placeOf } from "./play-memory.js";
import { showLine } from "./position.js";
import { asking } from "./question.js";
import { moveOf, MOVES, PLAY } from "./replay-moves.js";
import { inParts } from "./review-parts.js";
import { drawer, settings } from "./settings.js";
import { start } from "./stream.js";
import { ask, sentence } from "./table-link.js";
import { marksOn } from "./table-marks.js";

const ALL_OPEN = -2;
const WINDOW = 200; // steps that the server shows at once
const DEAREST = 3; // moments that are listed

/**
 * @typedef {object} Opened the game that is looked at
 * @property {string} histories
 * @property {string[] | null} names
 * @property {number} game
 * @property {number} eye
 * @property {number} step
 * @property {Replay} first the newest window, which also tells of the whole game
 * @property {Map<number, Show>} shows
 * @property {Map<number, unknown>} positions
 * @property {Map<number, OpenStep | null>} open what the cards allowed
 * @property {Outlook} [outlook] what the game was worth at each step
 * @property {string} [archived] its place in the archive: "run=R&game=ID"
 */

/** @type {Opened | null} */
let now = null;
/** @type {Report | null} */
let report = null;
/** @type {MountedBoard | null} */
let mounted = null;
let mountedGame = "";
/** @type {Show | undefined} */
let shown;
let timer = 0;

const eyeField = byId("eye", HTMLSelectElement);
const gameField = byId("game-index", HTMLSelectElement);
const judgeButton = byId("judge", HTMLButtonElement);
const line = graph(byId("graph"), (step) => go(step));
const review = asking(byId("review"), (working) => { judgeButton.disabled = working; });
const alternatives = asking(byId("alternatives"));
const marks = marksOn(byId("stage"));
const bars = barsIn(byId("outlook"));

/** @param {unknown} problem */
function complain(problem) {
  const place = byId("replay-problem");
  place.hidden = !problem;
  place.textContent = problem ? sentence(problem) : "";
}

/** The game's summary. @param {Opened} o */
const game = (o) => o.first.games[o.game];

/**
 * load gets the window around a step, unless it is known.
 * @param {Opened} o
 * @param {number} step
 */
async function load(o, step) {
  if (o.shows.has(step)) return;
  const from = Math.floor(step / WINDOW) * WINDOW;
  /** @type {Replay} */
  const found = await ask("/api/replay", { histories: o.histories, game: o.game, eye: o.eye, from, count: WINDOW,
    names: o.names, open: o.eye === ALL_OPEN });
  o.first = found;
  for (const [i, show] of found.shows.entries()) {
    o.shows.set(from + i, show);
    o.positions.set(from + i, found.positions[i]);
    o.open.set(from + i, found.open?.[i] ?? null);
  }
}

/**
 * open shows games: the lines of histories, one of them seen by an eye, at a step.
 * @param {string} histories
 * @param {{game?: number, eye?: number, step?: number, names?: string[] | null, archived?: string}} [place]
 */
async function open(histories, { game: index = 0, eye = ALL_OPEN, step = 0, names = null, archived } = {}) {
  stop();
  /** @type {Opened} */
  const o = { histories, names, game: index, eye, step: 0, first: { games: [], choices: [], parts: [], from: 0,
    shows: [], positions: [] }, shows: new Map(), positions: new Map(), open: new Map(), archived };
  try {
    await load(o, Math.max(0, step));
  } catch (problem) {
    complain(problem);
    return;
  }
  complain(null);
  const other = now?.histories !== histories || now.game !== index;
  if (!other) o.outlook = now?.outlook;
  now = o;
  shown = undefined;
  byId("viewer").hidden = false;
  byId("source", HTMLDetailsElement).open = false;
  await mount(o);
  fields(o);
  if (other) {
    report = null;
    review.clear();
  }
  draw(o);
  await go(step);
  if (other) {
    assess(o);
    judge();
  }
}

// assess asks what the game was worth at each step.
/** @param {Opened} o */
async function assess(o) {
  try {
    const outlook = await ask("/api/outlook", { run: run(), history: lineOf(o) });
    for (const opened of [o, now]) {
      if (opened?.histories === o.histories && opened.game === o.game) opened.outlook = outlook;
    }
  } catch {
    return; // the values are a help, without which the replay is what it was
  }
  worth();
}

// worth shows what the game was worth at this step.
function worth() {
  const values = now?.outlook?.values[now.step];
  if (!now?.outlook || !shown) bars.clear();
  else bars.show(now.outlook, values, { names: shown.seats.map((s) => s.name), eye: now.eye,
    over: shown.over !== undefined, largest: largestOf(now.outlook) });
}

/** lineOf is the history of the game that is looked at. @param {Opened} o */
const lineOf = (o) => o.histories.split("\n").filter((l) => l.trim())[o.game];

/** @param {Opened} o */
async function mount(o) {
  const name = game(o).game;
  if (mounted && mountedGame === name) return;
  mounted?.destroy();
  const board = await boardOf(name);
  mounted = board.mount(byId("board"), { act: tried, settings });
  mountedGame = name;
}

/** @param {Opened} o */
function fields(o) {
  gameField.replaceChildren(...o.first.games.map((g, i) => h(
    "option", { value: i, selected: i === o.game }, `${i + 1} of ${o.first.games.length}${ended(g)}`)));
  const seats = [...o.shows.values()][0].seats;
  eyeField.replaceChildren(
    h("option", { value: ALL_OPEN }, "all cards open"), ...seats.map((seat, i) => h("option", { value: i }, seat.name)),
    h("option", { value: -1 }, "a spectator"));
  eyeField.value = String(o.eye);
  byId("opened").textContent = `${game(o).title}, ${game(o).steps} steps`;
  for (const id of ["part-back", "part-forward"]) byId(id).hidden = o.first.parts.length < 2;
}

/** @param {ReplayedGame} g */
function ended(g) {
  const won = (g.over?.results ?? []).flatMap((r, i) => (["won", "gained"].includes(r) ? [i + 1] : []));
  return won.length ? `, won by ${won.join(" and ")}` : "";
}

/**
 * go shows a step. The board is given the one before if that is what it shows, so that it can show
 * what happened as motion.
 * @param {number} to
 */
async function go(to) {
  const o = now;
  if (!o) return;
  o.step = Math.max(0, Math.min(game(o).steps, to));
  const wanted = o.step;
  try {
    await load(o, wanted);
  } catch (problem) {
    stop();
    complain(problem);
    return;
  }
  if (o !== now || wanted !== o.step) return; // another step was chosen meanwhile
  const show = /** @type {Show} */ (o.shows.get(wanted));
  mounted?.show(show, shown && o.shows.get(wanted - 1) === shown ? shown : undefined);
  shown = show;
  worth();
  const text = caption(o, wanted);
  byId("caption").textContent = text;
  showLine(byId("position-line"), show.line);
  line.move(wanted, text);
  link(o);
  mark(o);
  byId("again", HTMLButtonElement).disabled = show.mover === -2;
}

/** @param {Opened} o @param {number} step */
function caption(o, step) {
  const show = /** @type {Show} */ (o.shows.get(step));
  const part = [...o.first.parts].reverse().find((p) => p.step <= step)?.name;
  const last = show.events[show.events.length - 1];
  const happened = last && (last.player < 0 ? last.name || "a hidden card"
    : `${show.seats[last.player].name}: ${last.name || "something hidden"}`);
  return [`Step ${step} of ${game(o).steps}`, part, step > 0 && happened, show.over && "the end"].filter(Boolean)
    .join(" · ");
}

/** What was decided at the step, if the game is judged. @param {Opened} o */
const decision = (o) => report?.decisions.find((d) => d.step === o.step);

// mark shows what the decision cost and its alternatives, next to the board and on it.
/** @param {Opened} o */
function mark(o) {
  alternatives.clear();
  const place = byId("alternatives");
  const d = decision(o);
  marks.clear();
  if (d && report) {
    place.append(costs(report, d));
    marks.show(d.alternatives.map((a) => ({ action: a.action, text: a.loss > 0 ? `\u2212${lost(a.loss)}` : "best",
      best: a.action === d.best })),
      (action) => mounted?.element(action) ?? null);
  } else {
    undecided(o, place);
  }
  const open = o.open.get(o.step);
  if (open && shown) place.append(allowed(open, o.first.open_unit ?? "", shown, seatName));
}

/** @param {Opened} o @param {HTMLElement} place */
function undecided(o, place) {
  const choice = o.first.choices.includes(o.step);
  if (!choice || !o.positions.get(o.step)) {
    place.append(h("p", { class: "note" }, choice ? "Judge the game to see what else could be done here."
      : "Nobody has a choice at this step."));
    return;
  }
  const button = h("button", { type: "button" }, "What should be played here?");
  button.addEventListener("click", () => advise(o));
  place.append(button);
}

/** @param {Opened} o */
function advise(o) {
  const place = byId("alternatives");
  const question = { run: run(), game: game(o).game, rules: JSON.stringify(game(o).rules), agent: agent(),
    position: o.positions.get(o.step) };
  alternatives.ask("Looking for the best move", (signal) => ask("/api/advice", question, { signal }),
    (/** @type {Answer} */ answer) => place.append(drawn(answer)));
}

/** The run whose agents are asked: the one of the address, or the page's. */
const run = () => new URLSearchParams(location.search).get("run") ?? runName();

const agent = () => byId("agent", HTMLInputElement).value.trim();

// judge has every decision of the game judged, some at a time, so that what is known is shown already.
function judge() {
  const o = now;
  if (!o) return;
  report = null;
  draw(o);
  const question = { run: run(), agent: agent(), histories: lineOf(o) };
  review.ask("Judging every decision", (signal, tell) => inParts(question, o.first.choices, signal, (done, known) => {
    report = known;
    tell(`Judging decision ${done + 1} of ${o.first.choices.length}`);
    if (now === o) draw(o);
  }), (/** @type {Report} */ made) => {
    report = made;
    if (now) draw(now);
    byId("review").replaceChildren(...dearest(made, DEAREST, seatName));
  });
}

// draw shows what is known of the game by now: its value as a line, and this step.
/** @param {Opened} o */
function draw(o) {
  line.show(curveOf(report, game(o), o.eye, seatName));
  mark(o);
}

/** @param {number} seat */
const seatName = (seat) => shown?.seats[seat].name ?? `Player ${seat + 1}`;

/** @param {number} action */
function tried(action) {
  const o = now;
  const d = o && decision(o);
  const alternative = d?.alternatives.find((a) => a.action === action);
  if (!alternative || !report) return;
  const cost = alternative.loss > 0 ? `costs ${lost(alternative.loss)} ${report.unit}` : "costs nothing";
  byId("caption").textContent = `${capital(alternative.name)} ${action === d?.taken ? "was played and" : ""} ${cost} here. “Try again from here” plays on.`;
}

// The place of the page holds the moment, so that it can be passed on.
/** @param {Opened} o */
function link(o) {
  const place = new URLSearchParams(o.archived ?? "");
  place.set("step", String(o.step));
  place.set("eye", String(o.eye));
  if (!o.archived) {
    place.set("index", String(o.game));
    place.set("history", o.histories);
  }
  byId("moment", HTMLAnchorElement).href = o.archived ? `/replay?${place}` : `/replay#${place}`;
}

// Moving about.

function stop() {
  clearInterval(timer);
  timer = 0;
  const button = byId("play");
  button.textContent = "Play";
  button.setAttribute("aria-pressed", "false");
}

function play() {
  const o = now;
  if (!o) return;
  if (timer) {
    stop();
    return;
  }
  if (o.step === game(o).steps) go(0);
  const every = 1000 / Number(byId("speed", HTMLSelectElement).value);
  timer = setInterval(() => {
    if (!now || now.step >= game(now).steps) stop();
    else go(now.step + 1);
  }, every);
  byId("play").textContent = "Pause";
  byId("play").setAttribute("aria-pressed", "true");
}

/** @param {string} name */
function move(name) {
  if (!now) return;
  stop();
  go(MOVES[name](game(now).steps, now.step, now.first));
}

/** @param {KeyboardEvent} event */
function typed(event) {
  const pressed = now && moveOf(event);
  if (!pressed) return;
  event.preventDefault();
  if (pressed === PLAY) play();
  else move(pressed);
}

// again opens a table at this moment: the person takes the seat whose eyes these are, or that is to
// move, the others are played by the best that there is.
async function again() {
  const o = now;
  if (!o || !shown) return;
  stop();
  try {
    const { levels } = await ask(`/api/levels?${new URLSearchParams({ game: game(o).game, run: run(), rules: JSON.stringify(game(o).rules) })}`);
    const best = levels[levels.length - 1].agent;
    const own = o.eye >= 0 ? o.eye : Math.max(0, shown.mover);
    const seats = shown.seats.map((_, i) => (i === own ? { person: "You" } : { agent: best }));
    const history = lineOf(o);
    /** @type {MadeTable} */
    const made = await ask("/api/tables", { game: game(o).game, rules: JSON.stringify(game(o).rules), run: run(), seats,
      undo: true, from: { history, step: o.step } });
    location.href = `/play${placeOf({ table: made.table, key: made.keys[own], host: made.host })}`;
  } catch (problem) {
    complain(problem);
  }
}

/** Opens what the address names. */
async function fromAddress() {
  const query = new URLSearchParams(location.search);
  const hash = new URLSearchParams(location.hash.slice(1));
  const number = (/** @type {URLSearchParams} */ p, /** @type {string} */ name, usual = 0) =>
    Number(p.get(name) ?? usual) || 0;
  const histories = hash.get("history");
  if (histories) {
    byId("histories", HTMLTextAreaElement).value = histories;
    await open(histories, { game: number(hash, "index"), eye: number(hash, "eye", ALL_OPEN),
      step: number(hash, "step") });
  } else if (query.get("game")) {
    await fromArchive(query, number(query, "eye", ALL_OPEN), number(query, "step"));
  }
}

/** @param {URLSearchParams} query @param {number} eye @param {number} step */
async function fromArchive(query, eye, step) {
  const place = new URLSearchParams({ run: query.get("run") ?? "", game: query.get("game") ?? "" });
  try {
    const kept = await ask(`/api/games/${encodeURIComponent(place.get("game") ?? "")}?run=${encodeURIComponent(place.get("run") ?? "")}`);
    await open(kept.history, { names: kept.agents.map(nameOf), eye, step, archived: String(place) });
  } catch (problem) {
    complain(problem);
  }
}

/** @param {{name: string, version?: number}} agent of a kept game */
const nameOf = ({ name, version }) => (version ? `${name}@${version}` : name);

function listen() {
  for (const name of Object.keys(MOVES)) byId(name).addEventListener("click", () => move(name));
  byId("play").addEventListener("click", play);
  byId("speed").addEventListener("change", () => { if (timer) { stop(); play(); } });
  addEventListener("keydown", typed);
  gameField.addEventListener("change", () => { if (now) open(
    now.histories, { ...now, game: Number(gameField.value), step: 0 }); });
  eyeField.addEventListener("change", () => { if (now) open(now.histories, { ...now, eye: Number(eyeField.value) }); });
  judgeButton.addEventListener("click", judge);
  byId("agent").addEventListener("input", () => { review.clear(); alternatives.clear(); report = null; if (now) draw(
    now); });
  byId("again").addEventListener("click", again);
  byId("review").addEventListener("click", ({ target }) => {
    const button = target instanceof Element && target.closest("button[data-step]");
    if (button instanceof HTMLElement) { stop(); go(Number(button.dataset.step)); byId("board")
      .scrollIntoView({ block: "nearest" }); }
  });
  byId("open").addEventListener("submit", (event) => {
    event.preventDefault();
    open(byId("histories", HTMLTextAreaElement).value);
  });
  const file = byId("file", HTMLInputElement);
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0]; // none where the choice was called off
    if (!chosen) return;
    byId("histories", HTMLTextAreaElement).value = await chosen.text();
    open(byId("histories", HTMLTextAreaElement).value);
  });
  addEventListener("hashchange", fromAddress);
  byId("settings").append(drawer(() => { if (now) go(now.step); }));
}

listen();
fromAddress();
start();
