// Choosing a game and who sits where: a click on the game, a click on "Sit down".

import { byId, h, runName } from "./dom.js";
import { capital } from "./format.js";
import { forgetTable, memory, personKey, placeOf, remember, rememberTable } from "./play-memory.js";
import { statistics } from "./play-person.js";
import { pace } from "./settings.js";
import { ask, sentence } from "./table-link.js";

const YOU = "you";
const HERE = "here";
const OPEN = "open";
/** @type {[number, string][]} */
const MINUTES = [[-1, "as usual"], [0, "as long as you like"], [10, "10 seconds"], [30, "30 seconds"], [60, "1 minute"],
  [300, "5 minutes"]];

/** @type {PlayedGame[]} */
let games = [];
/** @type {PlayedGame | null} */
let game = null;
/** @type {Level[]} */
let levels = [];
/** What sits on each seat: YOU, HERE, OPEN or an agent.
 * @type {string[]} */
let seats = [];
/** Names of the persons here, by seat.
 * @type {string[]} */
let names = [];

const form = () => byId("sit", HTMLFormElement);
const query = () => new URLSearchParams(location.search);

/** @param {unknown} refusal */
function complain(refusal) {
  const problem = byId("sit-problem");
  problem.hidden = refusal === null;
  problem.textContent = refusal === null ? "" : sentence(refusal);
}

/** @param {Record<string, string>} parameters */
const queryOf = (parameters) => new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));

function gameButtons() {
  byId("games").replaceChildren(...games.map((g) => h("label", { class: "game" },
    h("input", { type: "radio", name: "game", value: g.name, checked: g.name === game?.name }),
    h("span", {}, h("b", {}, g.title), h("small", {}, about(g))))));
}

/** @param {PlayedGame} chosen @param {string[]} [fixed] who sits where, from a link */
async function choose(chosen, fixed) {
  game = chosen;
  remember({ game: chosen.name });
  await find(fixed?.length ?? chosen.seats);
  if (game !== chosen) return; // another one was clicked meanwhile
  seats = fixed ?? usual(chosen, chosen.seats);
  names = [];
  byId("seating-title").textContent = chosen.title;
  byId("summary").textContent = about(chosen);
  byId("size-field").hidden = chosen.fewest === chosen.most;
  const sizes = Array.from({ length: chosen.most - chosen.fewest + 1 }, (_, i) => chosen.fewest + i);
  byId("size").replaceChildren(...sizes.map((n) => h("option", { selected: n === seats.length }, String(n))));
  seatRows();
  byId("seating").hidden = false;
}

const rules = () => byId("rules", HTMLTextAreaElement).value.trim();

// find asks who there is to play against, at a table of that many, under the rules that are given.
/** @param {number} size */
async function find(size) {
  const chosen = game;
  if (!chosen) return;
  const query = queryOf({ game: chosen.name, run: runName(), rules: rules(), seats: `${size}` });
  complain(null);
  /** @type {Level[]} */
  let found = [];
  try {
    found = (await ask(`/api/levels?${query}`)).levels;
  } catch (refusal) {
    if (game === chosen) complain(refusal);
  }
  if (game === chosen) levels = found; // else another one was clicked meanwhile
}

// refind finds them again, after a change of the rules or of the number of seats.
async function refind() {
  await find(seats.length);
  seatRows();
}

// usual has the person sit on the last seat that is a player's, against whom they chose last.
/** @param {PlayedGame} chosen @param {number} size */
function usual(chosen, size) {
  const known = levels.some((l) => l.agent === memory.levels[chosen.name]);
  const agent = known ? memory.levels[chosen.name] : levels[Math.floor(levels.length / 2)]?.agent ?? "random";
  const mine = chosen.roles ? Math.max(0, chosen.roles.lastIndexOf("player")) : 0;
  return Array.from({ length: size }, (_, i) => (i === Math.min(mine, size - 1) ? YOU : agent));
}

/** @param {PlayedGame} game @returns {string} what it is, without its name */
const about = (game) => capital(game.summary.replace(/^[^:;,]{1,30}: /, ""));

/** @param {number} seat */
const seatName = (seat) => `Seat ${seat + 1}${game?.roles ? `, ${game.roles[Math.min(seat, game.roles.length - 1)]}` : ""}`;

function seatRows() {
  byId("seats").replaceChildren(...seats.map((who, seat) => {
    const named = [...levels.map((l) => l.agent), YOU, HERE, OPEN].includes(who) ? []
      : [h("option", { value: who, selected: true }, who)];
    const select = h("select", { "data-seat": seat, "aria-label": seatName(seat) },
      h("option", { value: YOU, selected: who === YOU }, "You"),
      h("optgroup", { label: "Agents" }, levels.map((l) => h(
        "option", { value: l.agent, selected: l.agent === who }, capital(l.name))), named),
      h("option", { value: HERE, selected: who === HERE }, "Another person, at this device"),
      h("option", { value: OPEN, selected: who === OPEN }, "Another person, at their own"));
    const level = levels.find((l) => l.agent === who);
    const about = who === OPEN ? "joins by link or code" : capital(
      [level?.about, level?.strength].filter(Boolean).join("; "));
    return h("li", {}, h("span", {}, seatName(seat)), select,
      seats.includes(HERE) && (who === YOU || who === HERE) ? nameField(seat) : h("small", {}, about));
  }));
  const caution = levels.find((l) => l.caution)?.caution ?? "";
  byId("caution").hidden = !caution;
  byId("caution").textContent = caution && `${capital(caution)}.`;
  byId("sit-down").textContent = seats.includes(YOU) || seats.includes(HERE) ? "Sit down" : seats.includes(OPEN) ? "Open the table" : "Watch";
}

// nameOf names a person at this device: as typed, as before, or by the seat.
/** @param {number} seat @returns {string} */
function nameOf(seat) {
  const others = seats.slice(0, seat).filter((who) => who === HERE).length;
  const before = seats[seat] === YOU ? memory.name : memory.here[others];
  return names[seat]?.trim() || before || `Player ${seat + 1}`;
}

/** @param {number} seat */
function nameField(seat) {
  const field = h("input", { "data-name": seat, value: nameOf(seat), maxlength: 24, spellcheck: false, autocomplete: "off",
    "aria-label": `Name in ${seatName(seat).toLowerCase()}` });
  field.addEventListener("input", () => { names[seat] = field.value; });
  return field;
}

/** @param {number} seat @param {string} who */
function occupy(seat, who) {
  const before = seats[seat];
  if (who === YOU) seats = seats.map((other) => (other === YOU ? before : other));
  seats[seat] = who;
  if (game && ![YOU, HERE, OPEN].includes(who)) remember({ levels: { ...memory.levels, [game.name]: who } });
  seatRows();
  /** @type {HTMLElement | null} */ (document.querySelector(`[data-seat="${seat}"]`))?.focus();
}

/** @param {number} size */
function resize(size) {
  if (!game) return;
  const more = usual(game, size).map((who) => (who === YOU ? OPEN : who));
  const agent = seats.find((who) => ![YOU, HERE, OPEN].includes(who));
  seats = Array.from({ length: size }, (_, i) => seats[i] ?? agent ?? more[i]);
  if (!seats.includes(YOU) && size > 0) seats[0] = YOU;
  refind();
}

/** @returns {NewTable} */
function asked() {
  const name = (seats.includes(HERE) && names[seats.indexOf(YOU)]?.trim()) || byId("name", HTMLInputElement).value.trim();
  remember({ name });
  if (seats.includes(HERE)) {
    const typed = seats.flatMap((who, seat) => (who === HERE ? [nameOf(seat)] : []));
    remember({ here: typed.map((other) => (/^Player \d$/.test(other) ? "" : other)) });
  }
  const timeout = Number(byId("timeout", HTMLSelectElement).value);
  const seed = byId("seed", HTMLInputElement).value.trim();
  return {
    game: game?.name ?? "",
    ...(runName() && { run: runName() }),
    ...(rules() && { rules: rules() }),
    ...(seed && { seed }),
    ...(timeout >= 0 && { timeout_seconds: timeout }),
    pace: pace(),
    undo: true,
    seats: seats.map((who, seat) => {
      if (who === OPEN) return { open: true };
      if (who === HERE) return { person: nameOf(seat), shared: true };
      if (who !== YOU) return { agent: who };
      const bet = memory.bets[game?.name ?? ""];
      const person = name || (seats.includes(OPEN) || seats.includes(HERE) ? nameOf(seat) : "You");
      return { person, person_key: personKey(), shared: seats.includes(HERE), ...(bet && { bet }) };
    }),
  };
}

/** @param {(made: MadeTable, seat: number) => void} [go] goes to the table */
async function sit(go = enter) {
  const button = byId("sit-down", HTMLButtonElement);
  button.disabled = true;
  try {
    const made = await ask("/api/tables", asked());
    complain(null);
    go(made, seats.findIndex((who) => who === YOU || who === HERE));
  } catch (refusal) {
    complain(refusal);
  }
  button.disabled = false;
}

/**
 * enter goes to a table that was made here.
 * @param {MadeTable} made
 * @param {number} seat -1 for nobody's
 */
export function enter(made, seat) {
  location.hash = remembered(made, seat);
}

// arrive goes to a table that an address asked for. The address goes: back, or reloading, must not lay another one.
/** @param {MadeTable} made @param {number} seat */
function arrive(made, seat) {
  location.replace(`/play?${queryOf({ run: runName(), game: game?.name ?? "" })}${remembered(made, seat)}`);
}

/** @param {MadeTable} made @param {number} seat @returns {string} the fragment of the table, which is remembered */
function remembered(made, seat) {
  const table = {
    table: made.table, key: made.keys[seat] ?? "", watch: made.watch, host: made.host,
    game: game?.name ?? "", title: game?.title ?? "", at: Date.now(),
  };
  rememberTable(table);
  return placeOf(table);
}

function knownTables() {
  byId("going").hidden = memory.tables.length === 0;
  byId("tables").replaceChildren(...memory.tables.map((known) => {
    const drop = h("button", { type: "button", "aria-label": `Forget the table of ${known.title}` }, "Forget");
    drop.addEventListener("click", () => { forgetTable(known.table); knownTables(); });
    return h("li", {}, h("a", { href: placeOf(known) }, known.title || "A table"),
      ` ${new Date(known.at).toLocaleString()} `, drop);
  }));
}

/** @param {AbortSignal} signal */
function listen(signal) {
  const on = (/** @type {string} */ id, /** @type {string} */ type, /** @type {(event: Event) => void} */ act) =>
    byId(id).addEventListener(type, act, { signal });
  form().addEventListener("submit", (event) => { event.preventDefault(); sit(); }, { signal });
  on("games", "change", ({ target }) => {
    const chosen = games.find((g) => g.name === /** @type {HTMLInputElement} */ (target).value);
    if (chosen) choose(chosen).then(() => byId("seating").scrollIntoView({ block: "nearest" }));
  });
  on("seats", "change", ({ target }) => {
    if (target instanceof HTMLSelectElement) occupy(Number(target.dataset.seat), target.value); // and not a name
  });
  on("size", "change", () => resize(Number(byId("size", HTMLSelectElement).value)));
  on("timeout", "change", () => remember({ timeout: Number(byId("timeout", HTMLSelectElement).value) }));
  const file = byId("rules-file", HTMLInputElement);
  on("rules-file", "change", async () => {
    if (file.files?.[0]) byId("rules", HTMLTextAreaElement).value = await file.files[0].text();
    refind();
  });
  on("rules", "change", refind);
}

/** choosing shows the games; it returns what ends it. */
export function choosing() {
  const abort = new AbortController();
  document.title = "Play · Croupier";
  listen(abort.signal);
  byId("name", HTMLInputElement).value = memory.name;
  byId("timeout").replaceChildren(...MINUTES.map(([value, text]) =>
    h("option", { value, selected: value === memory.timeout }, text)));
  knownTables();
  begin(abort.signal);
  return () => abort.abort();
}

/** @param {AbortSignal} signal */
async function begin(signal) {
  try {
    games = (await ask(`/api/play?${queryOf({ run: runName() })}`)).games;
  } catch (refusal) {
    byId("games").replaceChildren(h("p", { class: "empty" }, sentence(refusal)));
    return;
  }
  statistics(games, signal);
  const place = query();
  const chosen = games.find((g) => g.name === place.get("game"));
  game = null;
  byId("seating").hidden = true;
  byId("rules", HTMLTextAreaElement).value = place.get("rules") ?? "";
  byId("more", HTMLDetailsElement).open = rules() !== "";
  const fixed = place.getAll("seat");
  if (chosen) await choose(chosen, fixed.length > 0 ? fixed : undefined);
  gameButtons();
  if (chosen && fixed.length > 0 && ![YOU, HERE, OPEN].some((who) => fixed.includes(who))) await sit(arrive);
}
