// The live state of the run: one stream of server-sent events, kept open while the
// page is visible, resumed where it ended.

import { byId, rooted, runName } from "./dom.js";
import { duration } from "./format.js";
import { called } from "./names.js";
import { logInAgain } from "./table-link.js";

/**
 * state holds the newest of every part; null until it is known.
 * @type {{ run: Run | null, series: Series[], curves: Map<string, Point[]>, league: League | null,
 *   ladder: Ladder | null, roles: Role[] | null, rolesAt: number }}
 */
export const state = {
  run: null,
  series: [], // the curves of the learner
  curves: new Map(), // by the name of the series
  league: null,
  ladder: null,
  roles: null,
  rolesAt: 0, // performance.now() at which roles came
};

const PARTS = ["run", "series", "curves", "league", "ladder", "roles"];
const SILENCE = 25000; // ms without any event after which the connection counts as lost
const AGAIN = 2000; // ms before a refused connection is tried again

/** @typedef {(changed: Set<string>) => void} Listener */
/** @type {Listener[]} */
const listeners = [];
/** @type {EventSource | null} */
let source = null;
let position = "";
let watchdog = 0;
let retry = 0;
/** @type {Date | null} */
let since = null; // time of the last event, for people

/**
 * onChange calls listener(changed) after each update with the set of parts that changed.
 * @param {Listener} listener
 */
export function onChange(listener) {
  listeners.push(listener);
}

/** @param {Update} update */
function apply(update) {
  position = update.id;
  const changed = new Set(PARTS.filter((part) => part in update));
  if (update.full) {
    state.curves.clear();
    changed.add("curves");
  }
  for (const { series, from, points } of update.curves ?? []) {
    const known = state.curves.get(series) ?? [];
    known.length = from;
    for (const point of points) known.push(point);
    state.curves.set(series, known);
  }
  state.run = update.run ?? state.run;
  state.series = update.series ?? state.series;
  state.league = update.league ?? state.league;
  state.ladder = update.ladder ?? state.ladder;
  state.roles = update.roles ?? state.roles;
  if (update.roles) state.rolesAt = performance.now();
  for (const listener of listeners) listener(changed);
}

function alive() {
  since = new Date();
  clearTimeout(watchdog);
  watchdog = setTimeout(lost, SILENCE);
  show();
}

function open() {
  close();
  source = new EventSource(rooted("/api/events?since=") + encodeURIComponent(position));
  source.addEventListener("update", (event) => {
    apply(JSON.parse(event.data));
    alive();
  });
  source.addEventListener("ping", alive);
  source.addEventListener("error", lost);
}

function close() {
  clearTimeout(watchdog);
  clearTimeout(retry);
  source?.close();
  source = null;
}

// lost tries again for ever, and finds out what to tell.
async function lost() {
  close();
  retry = setTimeout(open, AGAIN);
  const problem = await reason();
  if (problem === "crowded") await poll();
  if (source?.readyState !== EventSource.OPEN && !document.hidden) show(problem);
}

// poll asks for every part by itself, where a stream cannot be had.
async function poll() {
  /** @param {string} path */
  const part = async (path) => (await fetch(rooted(path), { cache: "no-store" })).json();
  try {
    const curves = await part(`/api/curves?since=${encodeURIComponent(position)}`); // the others are as new, or newer
    const [run, series, league, ladder, roles] = await Promise.all(
      ["/api/run", "/api/series", "/api/league", "/api/ladder", "/api/roles"].map(part));
    since = new Date();
    apply({ ...curves, run, series, league, ladder, roles });
  } catch { // the next try finds out what is wrong
  }
}

/** @returns {Promise<Problem>} */
async function reason() {
  try {
    const { ok, status } = await fetch(rooted("/api/run"), { cache: "no-store", signal: AbortSignal.timeout(AGAIN) });
    if (status === 401) logInAgain();
    return ok ? "crowded" : status === 404 ? "gone" : "lost";
  } catch {
    return "lost";
  }
}

const asOf = () => (since ? ` What you see is as of ${since.toLocaleTimeString()}.` : "");

/** @typedef {keyof typeof MESSAGES} Problem */

const MESSAGES = {
  gone: () => `This run is no longer there.${asOf()}`,
  lost: () => `The connection to Croupier is lost; trying again.${asOf()}`,
  crowded: () => "This page receives no events (too many pages are open, or the browser blocks them); it asks for new data every few seconds instead.",
  broker: () => `Croupier has lost its connection to the broker and will reconnect by itself.${asOf()}`,
};

/**
 * show tells the state of the connection: without a problem from the link itself,
 * what the process says of its own connection counts.
 * @param {Problem | null} problem
 */
function show(problem = null) {
  problem ??= state.run && !state.run.connected ? "broker" : null;
  const link = byId("link");
  const text = problem ?? state.run?.ending?.state ?? (state.run?.caught_up ? "live" : "reading history");
  if (link.textContent !== text) link.textContent = text;
  link.dataset.state = problem ?? "live";
  const banner = byId("banner");
  const message = problem ? MESSAGES[problem]() : "";
  if (banner.textContent !== message) banner.textContent = message;
  banner.hidden = !problem;
  if (state.run) byId("game").textContent = state.run.title;
  const told = ending(state.run?.ending);
  const place = byId("ending");
  if (place.textContent !== told) place.textContent = told;
  place.hidden = !told;
}

/**
 * ending says in a sentence how a run has ended, "" while it continues.
 * @param {Ending | null} [e]
 */
function ending(e) {
  if (!e) return "";
  const at = new Date(e.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  const what = e.state === "ended" ? "Training ended" : "Training was interrupted";
  return `${what} ${at} after ${duration(e.seconds)}${e.best ? `, best ${called(e.best)}` : ", before a version became best"}.${e.note ? ` ${e.note}.` : ""}`;
}

// start opens the stream and closes it while nobody looks, because browsers allow
// only a few connections to one server. A page that is about no run has nothing to follow.
export function start() {
  if (!runName()) return;
  byId("link").hidden = false;
  const follow = () => (document.hidden ? close() : open());
  document.addEventListener("visibilitychange", follow);
  follow();
}
