// The page of the league: ladder, payoff matrix, population, matchmaking.

import { byId, empty, h, runName, s } from "./dom.js";
import { reach } from "./draw.js";
import { count, decimal, difference, duration, label, number, percent, rating } from "./format.js";
import { intervalCell } from "./interval.js";
import { drawTables } from "./league-tables.js";
import { called } from "./names.js";
import { extent, linear, marks } from "./scale.js";
import { standing } from "./standing.js";
import { keep, recall } from "./storage.js";
import { onChange, start, state } from "./stream.js";

/** @typedef {(value: number) => string} Write */

/**
 * @typedef {import("./interval.js").Axis} Axis
 *
 * A column: its title, what its cell shows, and whether it is shown only when chosen.
 * @typedef {object} Column
 * @property {string} title
 * @property {string} [class]
 * @property {string} [help]
 * @property {string} [choice] under which it is chosen
 * @property {(agent: Agent) => HTMLElement} cell
 * @property {() => Node} [head] instead of the title
 */

const KEY = "croupier.ladder";
/** @type {string[]} the columns that a person has chosen */
let chosen = recall(KEY) ?? [];

/** Groups of the ladder, each a part of the table. @type {((agent: Agent) => boolean)[]} */
const GROUPS = [
  (a) => a.kind === "network" && a.name.includes("@"),
  (a) => a.kind !== "solver" && !(a.kind === "network" && a.name.includes("@")),
  (a) => a.kind === "solver",
];

function drawLadder() {
  const agents = [...(state.ladder?.agents ?? [])].sort((a, b) => b.rating - a.rating);
  if (agents.length === 0) {
    byId("ladder").replaceChildren(empty("waiting for the first rated version…"));
    return;
  }
  const scale = state.ladder?.scale;
  byId("verdict").textContent = standing(state.ladder);
  byId("scale").textContent = `Ratings in ${scale?.unit}; 0 is ${scale?.zero}.` +
    (scale?.unit_meaning ? ` ${scale.unit_meaning}.` : "") +
    (scale?.kind === "money" ? " The difference of two ratings says what the one wins per game alone among copies of the other." : "");
  const all = columns(agents, axisOf(agents));
  offerColumns(all);
  const shown = (/** @type {Column} */ { choice }) => !choice || chosen.includes(choice);
  byId("ladder").replaceChildren(h("table", { class: "ladder" },
    h("thead", {}, h("tr", {}, all.map((c) => h("th", { class: c.class, scope: "col", title: c.help, hidden: !shown(c) },
      c.head?.() ?? c.title)))),
    GROUPS.map((belongs) => agents.filter(belongs)).filter((group) => group.length > 0).map((group) => h("tbody", {},
      group.map((agent) => h("tr", { class: agent.best ? "best" : null, "data-agent": agent.name }, all.map((c) => {
        const cell = c.cell(agent);
        cell.hidden = !shown(c);
        return cell;
      })))))));
}

/**
 * axisOf fits the axis to the ratings, and to their intervals as far as these are not much wider than usual.
 * @param {Agent[]} agents
 * @returns {Axis}
 */
function axisOf(agents) {
  const [from, to] = reach([agents.map((a) => [0, 0, a.rating, a.low, a.high])]);
  const { low, high, step } = extent(from, to, { parts: 4 });
  return { x: linear(low, high, 0, 100), marks: marks(low, high, step), zero: 0 };
}

/**
 * columns lists those of the ladder.
 * @param {Agent[]} agents
 * @param {Axis} axis
 * @returns {Column[]}
 */
function columns(agents, axis) {
  const scale = state.ladder?.scale;
  const write = rating(scale);
  const names = agents.map((a) => a.name);
  const figures = (state.ladder?.figures ?? []).filter((f) => agents.some((a) => a.figures?.[f.name]));
  const number = (/** @type {string | Node} */ text) => h("td", { class: "number" }, text);
  const apart = (/** @type {Interval | undefined} */ d) => number(d ? difference(d, scale) : "");
  return [
    { title: "Place", class: "number", help: "possible ranks at 95 % confidence",
      cell: (a) => h("td", { class: "number rank" }, places(a)) },
    { title: "Agent", cell: (a) => agentCell(a, names) },
    { title: "Rating", class: "number", cell: (a) => number(write(a.rating)) },
    { title: "95 % interval", class: "bar", head: () => axisHead(axis, write),
      cell: (a) => intervalCell({ ...a, value: a.rating }, axis, write) },
    { title: "To the best", class: "number", choice: "differences", cell: (a) => apart(a.to_best) },
    { title: "To the one before", class: "number", choice: "differences", cell: (a) => apart(a.to_previous) },
    { title: "Games", class: "number less", cell: (a) => h("td", { class: "number less" },
      h("a", { href: gamesOf({ agent: a.name }), title: `games of ${a.name}` }, count(a.games))) },
    { title: "At a table", cell: (a) => watchCell(a, agents.find((other) => other !== a)) },
    ...figures.map((f) => ({ title: label(f.name), class: "number", help: `${f.help} (${f.unit} per ${f.per})`,
      choice: "figures", cell: (/** @type {Agent} */ a) => figureCell(f, a.figures?.[f.name]) })),
  ];
}

/**
 * offerColumns lets those be chosen that are not shown at first.
 * @param {Column[]} all
 */
function offerColumns(all) {
  const choices = [...new Set(all.flatMap(({ choice }) => choice ?? []))];
  const place = byId("columns");
  if (place.dataset.choices === choices.join()) return;
  place.dataset.choices = choices.join();
  place.replaceChildren("Columns:", ...choices.map((choice) => {
    const box = h("input", { type: "checkbox", checked: chosen.includes(choice) });
    box.addEventListener("change", () => {
      chosen = chosen.filter((c) => c !== choice).concat(box.checked ? [choice] : []);
      keep(KEY, chosen);
      drawLadder();
    });
    return h("label", {}, box, ` ${choice}`);
  }));
}

/**
 * agentCell names an agent for people, and as commands do on pointing.
 * @param {Agent} agent
 * @param {string[]} names
 */
function agentCell(agent, names) {
  const name = called(agent.name, names);
  return h("th", { scope: "row", title: agent.name },
    h("span", { class: name === agent.name ? "name" : null, "data-name": agent.name }, name),
    (agent.role || name === agent.name) && h("span", { class: `badge ${kindClass(agent.kind)}` },
      agent.role?.replaceAll("_", " ") ?? agent.kind),
    agent.best && h("span", { class: "badge crown" }, "best"));
}

/** @param {Agent} agent @param {Agent | undefined} rival the strongest other one */
function watchCell(agent, rival) {
  return h("td", {}, rival && h("a", { href: watchOf(agent.name, rival.name),
    "aria-label": `watch ${agent.name} against ${rival.name}` }, "watch"));
}

/**
 * axisHead marks ratings above the intervals.
 * @param {Axis} axis
 * @param {Write} write
 */
function axisHead(axis, write) {
  const whole = axis.marks.every(Number.isInteger) ? (/** @type {number} */ v) => decimal(v, 0) : write;
  return h("div", { class: "forest axis" }, h("span", { class: "hidden" }, "95 % interval"), axis.marks.map((v) => {
    const mark = h("span", { class: v === 0 ? "origin" : "" }, whole(v));
    mark.style.left = `${axis.x(v)}%`;
    return mark;
  }));
}

/**
 * places writes the places that are open: "2", or "2–4".
 * @param {Agent} agent
 */
function places({ places: open }) {
  if (!open) return "";
  const { first, last } = open;
  return first === last ? String(first) : `${first}–${last}`;
}

/**
 * figureCell shows a figure of the game, and its interval on pointing.
 * @param {Figure} figure
 * @param {Interval} [value]
 */
function figureCell(figure, value) {
  if (!value) return h("td", { class: "number" }, "–");
  const write = figure.unit === "share" ? percent : number;
  const title = `${write(value.low)} to ${write(value.high)} (${figure.unit} per ${figure.per})`;
  return h("td", { class: "number", title }, write(value.value));
}

/** @param {string} kind */
const kindClass = (kind) => (["network", "bot", "solver"].includes(kind) ? kind : "bot");

// Tournaments, in which nobody learns.

function drawTournament() {
  const { format, rounds, test } = state.ladder ?? {};
  byId("tournament").hidden = !format;
  for (const section of document.querySelectorAll(".of-run")) /** @type {HTMLElement} */ (section).hidden = Boolean(
    format);
  if (!format) return;
  byId("tournament-note").textContent = test ? verdict(test)
    : rounds ? `${format}: points, and by round + won, = level, - lost, against whose place in this table.` : format;
  byId("rounds").hidden = !rounds;
  if (rounds) byId("rounds").replaceChildren(roundsTable(rounds));
}

/** @param {SequentialTest} test */
function verdict(test) {
  const said = test.verdict === "passed" ? `${test.a} is better than ${test.b}`
    : test.verdict === "failed" ? `${test.a} was not found to be better than ${test.b}`
      : `it is not decided whether ${test.a} is better than ${test.b}`;
  return `Test: ${said}, after ${count(test.sets)} of at most ${count(test.most_sets)} sets. Better means by ${test.gain} ` +
    `standard deviations of a set; either verdict is wrong in at most ${percent(test.error)} of cases.`;
}

/**
 * roundsTable has a row for each agent, by falling points and rating, with its results round by round.
 * @param {Meeting[][]} rounds
 */
function roundsTable(rounds) {
  /** @type {Map<string, {points: number, cells: (() => string)[]}>} */
  const rows = new Map((state.ladder?.agents ?? []).map((a) => [a.name, { points: 0, cells: [] }]));
  /** @type {Map<string, number>} */
  const place = new Map();
  const note = (/** @type {number} */ round, /** @type {string} */ agent, /** @type {string | undefined} */ other,
    /** @type {number} */ got) => {
    const row = rows.get(agent) ?? { points: 0, cells: [] };
    rows.set(agent, row);
    row.points += got;
    const sign = got === 1 ? "+" : got === 0 ? "-" : "=";
    row.cells[round] = () => `${sign}${other ? place.get(other) : ""}`;
  };
  rounds.forEach((meetings, round) => {
    for (const m of meetings) {
      note(round, m.a, m.b, m.points_a);
      if (m.b) note(round, m.b, m.a, 1 - m.points_a);
    }
  });
  const sorted = [...rows].sort(([, a], [, b]) => b.points - a.points);
  sorted.forEach(([name], i) => place.set(name, i + 1));
  const column = (/** @type {string | number} */ title) => h("th", { scope: "col", class: "number" }, `${title}`);
  return h("table", {},
    h("thead", {}, h("tr", {}, column(""), h("th", { scope: "col" }, "Agent"), column("Points"),
      rounds.map((_, i) => column(i + 1)))),
    h("tbody", {}, sorted.map(([name, { points, cells }], i) => h("tr", {},
      h("td", { class: "number" }, `${i + 1}`), h("th", { scope: "row" }, h("span", { class: "name" }, name)),
      h("td", { class: "number" }, `${points}`), rounds.map((_, r) =>
        h("td", { class: "number" }, cells[r]?.() ?? ""))))));
}

// Promotions.

function drawPromotions() {
  const promotions = [...(state.ladder?.promotions ?? [])].reverse();
  if (promotions.length === 0) {
    byId("promotions").replaceChildren(empty("waiting for the first version…"));
    return;
  }
  byId("gain-unit").textContent = `(${state.ladder?.scale?.unit})`;
  const measured = promotions.some(({ exploitability }) => exploitability !== undefined);
  byId("promotions").replaceChildren(h("table", {},
    h("thead", {}, h("tr", {},
      ["Best", "Over"].map((title) => h("th", { scope: "col" }, title)),
      ["Trained", "Sets of the gate", "Gain", "95 % interval", "Games", measured ? "Exploitability" : []].flat().map(
        (title) => h("th", { scope: "col", class: "number" }, title)))),
    h("tbody", {}, promotions.map((promotion) => promotionRow(promotion, measured)))));
  const gate = state.ladder?.gate;
  if (gate) byId("promotions").append(
    h("p", {}, `${gate.agent} is at the gate: ${gate.sets} of at most ${gate.max_sets} sets`));
  for (const { agent, number: times, member, why } of state.ladder?.resets ?? []) {
    byId("promotions").append(h("p", {},
      `${agent} has begun again, ${times === 1 ? "once" : `${times} times`} so far, last after ${member}: ${why}`));
  }
  const held = state.ladder?.held_back;
  if (held) {
    byId("promotions").append(h("p", {},
      `${held.agent} beats ${held.over} but does not become best: an opponent that knows it wins ` +
      `${number(held.exploitability)} a game, of ${held.over} only ${number(held.exploitability_of_best)}`));
  }
}

/**
 * @param {Promotion} promotion
 * @param {boolean} measured whether there is a column of what a best response wins
 */
function promotionRow({ agent, over, seconds, gate_sets: sets, gain, exploitability }, measured) {
  const write = rating(state.ladder?.scale);
  const unbounded = gain && gain.high <= gain.value; // every game was won
  const cell = (/** @type {string} */ text) => h("td", { class: "number" }, text);
  return h("tr", {},
    h("th", { scope: "row" }, h("span", { class: "name" }, agent)),
    h("td", {}, over ? h("span", { class: "name" }, over) : "nobody"),
    cell(duration(seconds)), cell(sets ? count(sets) : "–"),
    cell(!gain ? "–" : unbounded ? `> ${write(gain.low)}` : write(gain.value)),
    cell(!gain || unbounded ? "" : `${write(gain.low)} to ${write(gain.high)}`),
    cell(gain ? count(gain.games) : ""),
    measured && cell(exploitability === undefined ? "–" : number(exploitability)));
}

// Payoff matrix.

const SHOWN = 24; // agents at most
/** @type {[a: string, b: string] | null} */
let selected = null; // the cell that has the keyboard

/**
 * shownAgents are all references and the best and strongest versions, by rating.
 * @param {Agent[]} agents
 */
function shownAgents(agents) {
  const ranked = [...agents].sort((a, b) => b.rating - a.rating);
  const merit = (/** @type {Agent} */ a) => (a.kind !== "network" ? 2 : 0) + (a.best ? 1 : 0);
  const shown = new Set([...ranked].sort((a, b) => merit(b) - merit(a)).slice(0, SHOWN));
  return ranked.filter((a) => shown.has(a)).map((a) => a.name);
}

function drawPayoff() {
  const payoff = state.ladder?.payoff ?? [];
  if (!state.ladder || payoff.length === 0) {
    byId("payoff").replaceChildren(empty("waiting for the first arena games…"));
    return;
  }
  const agents = shownAgents(state.ladder.agents);
  const cells = new Map(payoff.map((p) => [JSON.stringify([p.a, p.b]), p]));
  const scale = Math.max(...payoff.map((p) => Math.abs(p.mean_return_a))) || 1;
  const result = state.ladder.scale?.kind === "money" ? state.ladder.scale?.unit : "share of the win";
  byId("payoff-unit").textContent = `What (${result})`;
  const hadFocus = byId("payoff").contains(document.activeElement);
  const table = h("table", { class: "payoff", role: "grid", "aria-label": `What rows get among columns: ${result}` },
    h("thead", {}, h("tr", {}, h("td", {}), agents.map((name) => h("th", { scope: "col" }, h("span", {}, name))))),
    h("tbody", {}, agents.map((a) => h("tr", {}, h("th", { scope: "row" }, a),
      agents.map((b) => payoffCell(a, b, cells.get(JSON.stringify([a, b])), scale))))));
  table.addEventListener("keydown", (e) => moveCell(e, table));
  byId("payoff").replaceChildren(table);
  /** @type {NodeListOf<HTMLTableCellElement>} */
  const all = table.querySelectorAll("td[tabindex]");
  const cell = [...all].find(({ dataset }) => selected && dataset.a === selected[0] &&
    dataset.b === selected[1]) ?? all[0];
  if (cell) cell.tabIndex = 0;
  if (hadFocus) cell?.focus();
}

/**
 * told writes what an entry of the matrix says: money, or a share of the win, its interval, and
 * what the ratings say where that is something else beyond chance.
 * @param {Payoff} entry
 * @returns {[value: string, interval: string]}
 */
function told(entry) {
  const { share_a: share, share_low: low, share_high: high, rated = 0 } = entry;
  const off = (/** @type {Write} */ write) => (entry.off ? ` (≠ ${write(rated)} by the ratings)` : "");
  if (share !== undefined && low !== undefined && high !== undefined) {
    return [percent(share), `${percent(low)} to ${percent(high)}${off(percent)}`];
  }
  const write = rating(state.ladder?.scale);
  return [write(entry.mean_return_a),
    `${write(entry.low)} to ${write(entry.high)} ${state.ladder?.scale?.unit}${off(write)}`];
}

/**
 * gamesOf is the address of the kept games of the ladder in which agents took part.
 * @param {Record<string, string>} who
 */
const gamesOf = (who) => `/games?${new URLSearchParams({ run: runName(), ...who, purpose: "arena" })}`;

/**
 * watchOf is the address of a new table at which one agent plays among copies of another.
 * @param {string} a
 * @param {string} b
 */
function watchOf(a, b) {
  const { game = "", seats = 2 } = state.ladder ?? {};
  const who = [a, ...Array(seats - 1).fill(b)].map((agent) => ["seat", agent]);
  return `/play?${new URLSearchParams([["run", runName()], ["game", game], ...who])}`;
}

/**
 * @param {string} a
 * @param {string} b
 * @param {Payoff | undefined} entry
 * @param {number} scale the largest mean return
 */
function payoffCell(a, b, entry, scale) {
  if (!entry) return h("td", { class: "none" }, a === b ? "" : "·");
  const share = entry.mean_return_a / scale;
  const [value, interval] = told(entry);
  const cell = h("td", { tabindex: -1, role: "gridcell", class: share < 0 ? "loss" : "win", "data-a": a, "data-b": b },
    entry.off ? `${value} ≠` : value);
  cell.style.setProperty("--share", `${Math.round(Math.abs(share) * 100)}%`);
  const games = `${entry.games.toLocaleString("en")} games`;
  const tell = () => {
    byId("payoff-detail").textContent = `${a} among ${b}: ${value}, ${interval} in ${games}`;
    byId("payoff-games", HTMLAnchorElement).href = gamesOf({ agent: a, against: b });
    byId("payoff-watch", HTMLAnchorElement).href = watchOf(a, b);
    byId("payoff-watch").textContent = `Watch ${a} against ${b}`;
    byId("payoff-links").hidden = false;
  };
  cell.title = `${interval}, ${games}`;
  cell.addEventListener("pointerenter", tell);
  cell.addEventListener("focus", () => {
    selected = [a, b];
    tell();
  });
  cell.addEventListener("keydown", (event) => {
    if (event.key === "Enter") location.assign(gamesOf({ agent: a, against: b }));
  });
  return cell;
}

/** @type {Record<string, [row: number, column: number]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/**
 * moveCell moves the keyboard to the nearest filled cell in the arrow's direction.
 * @param {KeyboardEvent} event
 * @param {HTMLTableElement} table
 */
function moveCell(event, table) {
  const steps = STEPS[event.key];
  /** @type {HTMLTableCellElement | null} */
  const cell = /** @type {Element} */ (event.target).closest("td[tabindex]");
  if (!steps || !cell) return;
  event.preventDefault();
  const rows = [...table.tBodies[0].rows];
  let [r, c] = [rows.findIndex((row) => row === cell.parentNode) + steps[0], cell.cellIndex + steps[1]];
  while (rows[r]?.cells[c] && !rows[r].cells[c].hasAttribute("tabindex")) [r, c] = [r + steps[0], c + steps[1]];
  const next = rows[r]?.cells[c];
  if (!next?.hasAttribute("tabindex")) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

// Population and matchmaking.

function drawPopulation() {
  const members = [...(state.league?.population ?? [])].reverse();
  if (members.length === 0) {
    byId("population").replaceChildren(empty("no version has been frozen yet…"));
    return;
  }
  const agents = state.ladder?.agents ?? [];
  // A version is rated as it plays its best: "greedy:main@12" before main@12.
  const rated = (/** @type {Member} */ m) => agents.find((a) => a.name.endsWith(`:${m.name}`)) ?? agents.find(
    (a) => a.name === m.name);
  byId("population").replaceChildren(h("table", {},
    h("thead", {}, h("tr", {},
      h("th", { scope: "col" }, "Version"),
      ["Samples", "Updates", "Rating"].map((title) => h("th", { scope: "col", class: "number" }, title)))),
    h("tbody", {}, members.map((m) => memberRow(m, rated(m))))));
}

/**
 * @param {Member} member
 * @param {Agent | undefined} rated
 */
function memberRow(member, rated) {
  return h("tr", {},
    h("th", { scope: "row" }, h("span", { class: "name" }, member.name),
      rated?.best && h("span", { class: "badge crown" }, "best")),
    h("td", { class: "number" }, count(member.samples)),
    h("td", { class: "number" }, count(member.updates)),
    h("td", { class: "number" }, rated ? rating(state.ladder?.scale)(rated.rating) : "–"));
}

function drawMatchmaking() {
  if (!state.league || state.run?.ending) {
    byId("matchmaking").replaceChildren(empty(state.run?.ending ? "no games are played: the training has ended"
      : "waiting for the league…"));
    return;
  }
  const shares = [...state.league.opponents].sort((a, b) => b.share - a.share);
  const rows = [{ name: "itself (self-play)", share: state.league.self_play }, ...shares];
  const largest = Math.max(...rows.map((row) => row.share)) || 1;
  byId("matchmaking").replaceChildren(h("table", { class: "shares" }, h("tbody", {}, rows.map((row) => {
    const bar = s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "range", width: (100 * row.share) / largest, height: 8 }));
    return h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, row.name)),
      h("td", { class: "bar" }, bar), h("td", { class: "number" }, percent(row.share)));
  }))));
}

/** @type {[draw: () => void, parts: string[]][]} */
const drawings = [
  [drawLadder, ["ladder"]],
  [drawTables, ["ladder", "curves"]],
  [drawTournament, ["ladder"]],
  [drawPromotions, ["ladder"]],
  [drawPayoff, ["ladder"]],
  [drawPopulation, ["ladder", "league"]],
  [drawMatchmaking, ["league"]],
];

onChange((changed) => {
  for (const [draw, parts] of drawings) if (parts.some((part) => changed.has(part))) draw();
});
start();
