// The page of the roles and of the run's configuration.

import { follow } from "./contributions.js";
import { byId, empty, h, tile } from "./dom.js";
import { count, duration, label, number } from "./format.js";
import { onChange, start, state } from "./stream.js";

const LATE = 4; // seconds after which a heartbeat is called late

/**
 * Rows by "role.id", kept so that focus and selection stay.
 * @type {Map<string, { row: HTMLTableRowElement, update: (role: Role) => void }>}
 */
const rows = new Map();
const body = h("tbody");
const table = h("table", { class: "roles" },
  h("thead", {}, h("tr", {}, ["Role", "State", "Uptime", "Heartbeat", "Rates", "Counters and values", "Metrics"]
    .map((title) => h("th", { scope: "col" }, title)))), body);

/**
 * age is the time since the heartbeat, now: roles come with their age at sending.
 * @param {Role} role
 */
function age(role) {
  return role.age_seconds + (performance.now() - state.rolesAt) / 1000;
}

/** @param {Role} role */
function standing(role) {
  if (!role.present) return "gone";
  return age(role) > LATE ? "late" : "present";
}

/** @param {[string, string][]} entries */
function chips(entries) {
  return entries.map(([name, value]) => h("span", { class: "chip" }, `${label(name)} `, h("b", {}, value)));
}

/**
 * @param {Role} role
 * @param {boolean} rates
 * @returns {[string, string][]}
 */
function values(role, rates) {
  return Object.entries(role.values ?? {})
    .filter(([name]) => name.endsWith("_per_second") === rates)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => [name, Number.isInteger(value) ? count(value) : number(value)]);
}

/** @param {Role} role */
function makeRow(role) {
  const name = h("th", { scope: "row" }, h("span", { class: "kind" }, role.role), h("code", {}, role.id),
    role.name ? h("span", { class: "kind" }, role.name) : "");
  const [stateCell, uptime, heartbeat, rates, counters] = Array.from({ length: 5 }, () => h("div"));
  const link = h("div", {}, metricsLink(role.metrics_address));
  const cell = (/** @type {string} */ title, /** @type {Node} */ content) => h("td", { "data-label": title }, content);
  const row = h("tr", {}, name, cell("State", stateCell), cell("Uptime", uptime), cell("Heartbeat", heartbeat),
    cell("Rates", rates), cell("Values", counters), cell("Metrics", link));
  const update = (/** @type {Role} */ now) => {
    row.dataset.standing = standing(now);
    stateCell.replaceChildren(h("span", { class: "lamp" }, now.present ? now.state || "unknown" : "gone"));
    uptime.replaceChildren(duration(now.uptime_seconds));
    heartbeat.replaceChildren(`${duration(age(now))} ago`);
    rates.replaceChildren(...chips(values(now, true)));
    counters.replaceChildren(...chips(values(now, false)));
  };
  return { row, update };
}

/**
 * Only an address of the form HOST:PORT becomes a link.
 * @param {string} [address]
 */
function metricsLink(address) {
  if (!address) return "–";
  if (!/^(\[[0-9a-fA-F:.]+\]|[\w.-]+):\d+$/.test(address)) return h("code", {}, address);
  return h("a", { href: `http://${address}/metrics`, rel: "noreferrer" }, address);
}

function drawRoles() {
  if (!state.roles) return; // still loading
  if (state.roles.length === 0) {
    rows.clear();
    byId("roles").replaceChildren(empty(state.run?.ending ? "no role is running: the training has ended"
      : "waiting for the first heartbeat…"));
    return;
  }
  const present = new Set();
  for (const role of state.roles) {
    const key = `${role.role}.${role.id}`;
    present.add(key);
    const made = rows.get(key) ?? makeRow(role);
    rows.set(key, made);
    made.update(role);
  }
  for (const key of rows.keys()) if (!present.has(key)) rows.delete(key);
  const wanted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { row }]) => row);
  if (wanted.length !== body.rows.length || wanted.some((row, i) => body.rows[i] !== row)) body.replaceChildren(
    ...wanted);
  if (!table.isConnected) byId("roles").replaceChildren(table);
}

function drawTiles() {
  const roles = state.roles ?? [];
  const present = roles.filter((role) => role.present);
  const kinds = [...new Set(roles.map((role) => role.role))].sort();
  byId("tiles").replaceChildren(
    tile("Roles", String(present.length), "reporting"),
    ...kinds.map((kind) => tile(kind, String(present.filter((role) => role.role === kind).length),
      goneText(roles, kind))));
}

/**
 * @param {Role[]} roles
 * @param {string} kind
 */
function goneText(roles, kind) {
  const gone = roles.filter((role) => role.role === kind && !role.present).length;
  return gone > 0 ? `${gone} gone` : "";
}

/** @type {[string, string, string][]} the learners' sums: value, name, what it is */
const FATES = [
  ["episodes", "produced", "in all"],
  ["consumed", "received", "and accepted"],
  ["trained", "trained", "of those received"],
  ["checkpointed", "checkpointed", "of those trained"],
  ["in_flight", "in flight", "received, not checkpointed"],
  ["stale", "stale", "too old to learn from"],
  ["refused", "refused", "not credible"],
  ["lost", "lost", "on the way"],
];

function drawGames() {
  if (!state.roles) return; // still loading
  const learners = state.roles.filter((role) => role.role === "learner" && role.present && role.values);
  const sum = (/** @type {string} */ value) => learners.reduce((total, role) => total + (role.values?.[value] ?? 0), 0);
  byId("games").replaceChildren(learners.length
    ? h("dl", { class: "tiles" }, FATES.map(([value, name, what]) => tile(name, count(sum(value)), what)))
    : empty("the learner has not reported"));
}

function drawConfig() {
  const config = state.run?.config;
  byId("config").replaceChildren(config ? h("pre", { tabindex: 0 }, config)
    : empty("waiting for the run's configuration…"));
}

onChange((changed) => {
  if (changed.has("roles")) {
    drawRoles();
    drawTiles();
    drawGames();
  }
  if (changed.has("run") && byId("config").textContent?.trim() !== state.run?.config.trim()) drawConfig();
});
setInterval(drawRoles, 1000); // ages grow without an event
start();
follow();
