// The page of games: those that were kept in a run, found by agent, how it ended, how long it
// took and what its most expensive mistake cost.

import { byId, empty, h, runName, s } from "./dom.js";
import { count, decimal, number } from "./format.js";
import { asking } from "./question.js";
import { start } from "./stream.js";
import { ask, sentence } from "./table-link.js";

/**
 * @typedef {{ name: string, version?: number, sha256?: string }} KeptAgent
 * @typedef {{ judge: string, loss: number, unit: string, exact: boolean, step: number, seat: number, taken: string,
 *   best: string, why?: string, mistakes: KeptMistake[] | null }} KeptReview
 * @typedef {{ loss: number, step: number, seat: number, taken: string, best: string }} KeptMistake
 * @typedef {{ id: string, purpose: string, best?: boolean, match?: string, time: string, agents: KeptAgent[],
 *   returns: number[], steps: number, review?: KeptReview }} KeptGame
 * @typedef {{ run: string, game: string, unit: string, money: boolean, games: KeptGame[], total: number,
 *   reviewed: number,
 *   damaged_blocks: number, bytes: number, limit_bytes: number, classes: { class: string, bytes: number,
 *   games: number }[],
 *   agents: string[], judging: Judging | null }} Listing
 * @typedef {{ best: string, most: number, working: boolean, trains: boolean, problem: string }} Judging
 */

const PAGE = 50; // games at a time
const FIELDS = ["agent", "against", "result", "purpose", "longer", "sort"];

let run = new URLSearchParams(location.search).get("run") ?? runName();
let asked = 0; // counts questions: only the answer to the newest is shown
/** @type {KeptGame[]} */
let shown = [];

/**
 * field returns one of the form's fields.
 * @param {string} id
 */
const field = (id) => /** @type {HTMLInputElement | HTMLSelectElement} */ (byId(id));

/** question is what the form asks, as the query of an address. */
function question() {
  const query = new URLSearchParams();
  if (run) query.set("run", run);
  for (const id of [...FIELDS, "match"]) {
    const value = id === "match" ? match : field(id).value.trim();
    if (value && !(id === "sort" && value === "newest")) query.set(id, value);
  }
  return query;
}

let match = ""; // a match whose games are shown; only links ask for one

/** fromAddress fills the form from the page's address. */
function fromAddress() {
  const query = new URLSearchParams(location.search);
  match = query.get("match") ?? "";
  for (const id of FIELDS) field(id).value = query.get(id) ?? (id === "sort" ? "newest" : "");
}

/** @param {string} text "" for none */
function complain(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = text === "";
}

/**
 * find asks for games: the first, or those after the ones that are shown.
 * @param {boolean} further
 */
async function find(further = false) {
  const mine = ++asked;
  const query = question();
  if (!further) {
    shown = [];
    history.replaceState(null, "", `?${query}`);
  }
  query.set("limit", String(PAGE));
  query.set("offset", String(shown.length));
  byId("found").setAttribute("aria-busy", "true");
  complain("");
  try {
    const listing = /** @type {Listing} */ (await ask(`/api/games?${query}`));
    if (mine === asked) show(listing);
  } catch (problem) {
    if (mine !== asked) return;
    complain(sentence(problem));
    if (!further) byId("found").replaceChildren(empty("no games to show"));
    byId("count").textContent = "";
  }
  if (mine === asked) byId("found").removeAttribute("aria-busy");
}

/** @param {Listing} listing */
function show(listing) {
  run = listing.run;
  const before = shown.length;
  shown = [...shown, ...listing.games];
  const worst = byId("sort", HTMLSelectElement).value === "worst";
  const fit = worst ? listing.reviewed : listing.total;
  told = listing;
  tell();
  byId("judge-more").hidden = !worst || listing.reviewed >= listing.total;
  byId("further").hidden = listing.games.length === 0 || shown.length >= Math.min(fit, 10000 - PAGE);
  byId("agents").replaceChildren(...listing.agents.map((name) => h("option", { value: name })));
  drawRoom(listing);
  if (shown.length === 0) {
    byId("found").replaceChildren(empty(nothing(listing)));
    return;
  }
  const rows = listing.games.map((game) => row(game, listing));
  if (before === 0) byId("found").replaceChildren(h("ul", { class: "games-found" }, rows));
  else byId("found").firstElementChild?.append(...rows);
}

/** @type {Listing | null} what was found last */
let told = null;

/** tell says how many games were found, and how many of them were judged. */
function tell() {
  if (!told) return;
  const { total, reviewed, damaged_blocks: damaged } = told;
  byId("count").textContent = (byId("sort", HTMLSelectElement).value === "worst"
    ? `${count(reviewed)} judged of ${games(total)}` : `${games(total)}, ${count(reviewed)} of them judged`) +
    (damaged > 0 ? `; ${count(damaged)} damaged parts of the archive could not be read` : "");
}

/** @param {number} n */
const games = (n) => `${count(n)} ${n === 1 ? "game" : "games"}`;

/**
 * nothing says why no games are shown.
 * @param {Listing} listing
 */
function nothing(listing) {
  if (listing.limit_bytes === 0) return "no games are kept in this run: its setting archive.max_bytes is 0";
  if (listing.bytes === 0) return "no games have been kept yet; the first come a few seconds after they were played";
  if (listing.total > 0) return "none of these games has been judged yet";
  return "no games fit";
}

/**
 * row shows a game.
 * @param {KeptGame} game
 * @param {Listing} listing
 */
function row(game, listing) {
  const most = Math.max(...game.returns);
  const winners = game.returns.filter((r) => r === most).length;
  const verdict = winners === 1 ? "won" : "tied";
  const players = game.agents.map((agent, seat) => h("li", { class: game.returns[seat] === most ? "won" : null },
    h("span", { class: "name" }, agent.name), agent.version ? ` (version ${agent.version})` : "",
    listing.money ? ` ${signed(game.returns[seat])} ${listing.unit}` : game.returns[seat] === most ? ` ${verdict}`
      : ""));
  const place = new URLSearchParams({ run: listing.run, game: game.id });
  if (game.review && game.review.step >= 0) place.set("step", String(game.review.step));
  const link = `/replay?${place}`;
  const mistake = h("div", { class: "about" }, costs(game));
  const judge = h("button", { type: "button" }, game.review ? "Judge again" : "Judge");
  const answers = asking(mistake, (working) => { judge.disabled = working; });
  judge.addEventListener("click", () => answers.ask("Judging", (signal) => judged(game, signal),
    () => mistake.replaceChildren(costs(game))));
  const purpose = game.purpose === "arena" ? (game.best ? "for the ladder, with the best" : "for the ladder")
    : "training";
  return h("li", {},
    h("div", {}, h("ol", { "aria-label": "Players" }, players),
      h("p", { class: "about" }, `${new Date(game.time).toLocaleString()} · ${purpose} · ${count(game.steps)} steps · `,
        h("code", {}, game.id))),
    mistake,
    h("p", { class: "do" }, judge, h("a", { href: link }, "Open")));
}

/**
 * signed writes money that was won or lost.
 * @param {number} value
 */
const signed = (value) => (value > 0 ? "+" : "") + number(value);

/**
 * costs says what a review has found: the dearest decision of all players, and whose it was.
 * @param {KeptGame} game
 */
function costs({ review, agents }) {
  if (!review) return "not judged";
  if (review.step < 0) return "there was nothing to choose";
  if (review.loss === 0) return `no mistake, says ${review.judge}`;
  return h("span", { title: `${review.judge} would have played ${review.best} instead of ${review.taken}` },
    h("span", { class: "mistake" }, `−${decimal(review.loss, 3)} ${review.unit}`),
    `, step ${review.step + 1}: `, h("span", { class: "name" }, agents[review.seat]?.name ?? `seat ${review.seat + 1}`),
    agents.filter((a) => a.name === agents[review.seat]?.name).length > 1 ? ` in seat ${review.seat + 1}` : "",
    ` chose ${review.taken} instead of ${review.best}`);
}

/**
 * judged has a game judged.
 * @param {KeptGame} game
 * @param {AbortSignal} signal
 */
async function judged(game, signal) {
  const before = game.review;
  game.review = await ask(`/api/games/${game.id}/review?${new URLSearchParams({ run })}`, {}, { signal });
  if (!before && told) told.reviewed++;
  tell();
}

const AT_ONCE = 10; // games that are judged by one click

const more = asking(byId("judging"), (working) => { byId("judge-more", HTMLButtonElement).disabled = working; });

/** judgeMore has the newest games judged that were not yet, and shows all that are judged. */
function judgeMore() {
  more.ask("Looking for games", async (signal, say) => {
    /** @type {KeptGame[]} */
    const chosen = [];
    for (let offset = 0; chosen.length < AT_ONCE && offset < 10000; offset += 500) {
      const query = question();
      query.set("sort", "newest");
      query.set("limit", "500");
      query.set("offset", String(offset));
      const { games: found, total } = /** @type {Listing} */ (await ask(`/api/games?${query}`, undefined, { signal }));
      chosen.push(...found.filter((game) => !game.review).slice(0, AT_ONCE - chosen.length));
      if (offset + found.length >= total || found.length === 0) break;
    }
    for (const [i, game] of chosen.entries()) {
      say(`Judging game ${i + 1} of ${chosen.length}`);
      await judged(game, signal);
    }
  }, () => find(), () => find());
}

/**
 * size writes a number of bytes.
 * @param {number} bytes
 */
const size = (bytes) => (bytes < 2 ** 20 ? `${decimal(bytes / 2 ** 10, 0)} KiB`
  : `${decimal(bytes / 2 ** 20, bytes < 100 * 2 ** 20 ? 1 : 0)} MiB`);

const CLASSES = { training: "training games, which go first", arena: "games of the ladder",
  best: "games with the best, which go last" };

/**
 * drawRoom shows how full the archive is.
 * @param {Listing} listing
 */
function drawRoom({ bytes, limit_bytes: limit, classes }) {
  byId("fullness").textContent = limit > 0 ? `${size(bytes)} of at most ${size(limit)} in use` : "no games are kept";
  const share = limit > 0 ? Math.min(1, bytes / limit) : 0;
  byId("classes").replaceChildren(
    s("svg", { class: "fullness", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "at", width: 100 * share, height: 10 })),
    h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Kept"),
      h("th", { scope: "col", class: "number" }, "Games"), h("th", { scope: "col", class: "number" }, "Size"))),
    h("tbody", {}, classes.map((c) => h("tr", {}, h("th", { scope: "row" },
      CLASSES[/** @type {keyof CLASSES} */ (c.class)]),
      h("td", { class: "number" }, count(c.games)), h("td", { class: "number" }, size(c.bytes)))))));
}

/** offerRuns lets one of several runs be chosen. */
async function offerRuns() {
  /** @type {{ id: string, name?: string, title: string }[]} */
  const runs = await ask("/api/runs");
  if (!run && runs.length > 0) run = runs[0].id;
  byId("run").replaceChildren(...runs.map((r) => h("option", { value: r.id, selected: r.id === run },
    `${r.name ? `${r.name}, ` : ""}${r.id} (${r.title})`)));
  byId("run-field").hidden = false;
}

byId("which").addEventListener("submit", (event) => {
  event.preventDefault();
  match = "";
  find();
});
byId("run").addEventListener("change", () => {
  run = field("run").value;
  find();
});
byId("anything").addEventListener("click", () => {
  match = "";
  for (const id of FIELDS) field(id).value = id === "sort" ? "newest" : "";
  find();
});
byId("further").addEventListener("click", () => find(true));
byId("judge-more").addEventListener("click", judgeMore);

fromAddress();
start();
if (!runName()) await offerRuns(); // the server is about no run
find();
