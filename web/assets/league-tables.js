// The other tables of a run that trains on a family of rules, on the page of the league: all of them, or one.

import { Chart, Group } from "./chart.js";
import { byId, empty, h, runName } from "./dom.js";
import { count, number, percent } from "./format.js";
import { intervalCell } from "./interval.js";
import { extent, linear } from "./scale.js";
import { state } from "./stream.js";

const ALL = "What the best version gets at other tables of its family, alone among copies of the strongest bot " +
  "there. The line is equal play. A version that is clearly worse at one of them than the best is not promoted.";

let shown = ""; // the table that is shown; "" for all

const chart = new Chart(new Group("samples", 0), { title: "Result", unit: "",
  note: "of the versions that were best", waiting: "waiting for the first result…" });

export function drawTables() {
  const tables = state.ladder?.tables ?? [];
  byId("tables-card").hidden = tables.length === 0;
  if (tables.length === 0) return;
  offerTabs(tables);
  const table = tables.find(({ name }) => name === shown);
  byId("tables-note").textContent = table ? standing(table) : ALL;
  byId("tables").replaceChildren(table ? results(table) : overview(tables));
  const curve = byId("tables-curve");
  curve.hidden = !table;
  if (!table) return;
  curve.append(chart.element);
  const share = table.parity > 0;
  Object.assign(chart.options, { unit: share ? "share of the win" : table.unit, format: writer(table),
    ticks: share ? percent : undefined,
    parity: { at: table.parity, label: "equal play" } });
  const points = state.curves.get(`${share ? "table_share" : "table_return"}/${table.name}`) ?? [];
  chart.setLines([{ label: table.name, color: 0, points }]);
}

/**
 * offerTabs shows a tab for each table, unless it does.
 * @param {LadderTable[]} tables
 */
function offerTabs(tables) {
  const place = byId("tables-tabs");
  const names = ["", ...tables.map(({ name }) => name)];
  if (!names.includes(shown)) shown = "";
  if (place.dataset.names !== JSON.stringify(names)) {
    place.dataset.names = JSON.stringify(names);
    place.replaceChildren(...names.map((name) => {
      const tab = h("button", { type: "button", role: "tab", "aria-controls": "tables-panel", "data-table": name },
        name || "All");
      tab.addEventListener("click", () => show(name));
      return tab;
    }));
    place.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      show(names[(names.indexOf(shown) + step + names.length) % names.length]);
    };
  }
  for (const tab of tabs()) {
    tab.setAttribute("aria-selected", String(tab.dataset.table === shown));
    tab.tabIndex = tab.dataset.table === shown ? 0 : -1;
  }
}

/** @returns {HTMLElement[]} */
const tabs = () => [...byId("tables-tabs").querySelectorAll("button")];

/** @param {string} name */
function show(name) {
  shown = name;
  drawTables();
  tabs().find((tab) => tab.dataset.table === name)?.focus();
}

/** @param {LadderTable} table */
const writer = (table) => (table.parity > 0 ? percent : number);

/**
 * axisOf fits an axis to results at tables of one unit.
 * @param {LadderTable} table
 * @param {TableResult[]} all
 */
function axisOf(table, all) {
  const ends = extent(Math.min(0, ...all.map((r) => r.low)), Math.max(table.parity, ...all.map((r) => r.high)));
  return { x: linear(ends.low, ends.high, 0, 100), marks: [], zero: table.parity };
}

/**
 * verdict reports where the newest result lies; what noise can explain is neither above nor below.
 * @param {LadderTable} table
 */
function verdict({ parity, results: all }) {
  const now = all.at(-1);
  return !now ? "not measured yet" : now.low > parity ? "above" : now.high < parity ? "below" : "near";
}

/**
 * change reports how a result differs from the one before, beyond chance.
 * @param {TableResult} now
 * @param {TableResult | undefined} before
 */
function change(now, before) {
  if (!before) return "";
  return now.high < before.low ? "worse" : now.low > before.high ? "better" : "no difference beyond chance";
}

/**
 * watchOf is the address of a new table with a version among copies of the bot.
 * @param {LadderTable} table
 * @param {string} agent
 */
const watchOf = ({ rules, seats, against }, agent) => `/play?${new URLSearchParams([["run", runName()],
  ["game", state.ladder?.game ?? ""], ["rules", JSON.stringify(rules)],
  ...[agent, ...Array(seats - 1).fill(against)].map((name) => ["seat", name])])}`;

/** @param {string} text */
const cell = (text) => h("td", { class: "number" }, text);

/** @param {[title: string, kind: string][]} heads @param {HTMLElement[]} rows */
const tableOf = (heads, rows) => h("table", { class: "ladder" },
  h("thead", {}, h("tr", {}, heads.map(([title, kind]) => h("th", { scope: "col", class: kind }, title)))),
  h("tbody", {}, rows));

// All tables.

/** @param {LadderTable[]} tables */
const overview = (tables) => tableOf([["Table", ""], ["Seats", "number"], ["Version", ""], ["Against", ""],
  ["Result", "number"], ["95 % interval", "bar"], ["Equal play", "number"], ["", ""]],
tables.map((table) => tableRow(table, tables)));

/** @param {LadderTable} table @param {LadderTable[]} all */
function tableRow(table, all) {
  const write = writer(table);
  const now = table.results.at(-1);
  const refused = table.refused?.at(-1);
  const axis = axisOf(table, all.filter((t) => t.unit === table.unit).flatMap((t) => t.results));
  const note = refused && refused.best.agent === now?.agent
    ? `; ${refused.agent} is not promoted: it gets ${write(refused.value)}` : "";
  return h("tr", {},
    h("th", { scope: "row" }, table.name), cell(String(table.seats)),
    h("td", {}, now && h("span", { class: "name" }, now.agent)), h("td", {}, table.against),
    cell(now ? write(now.value) : ""),
    now ? intervalCell(now, axis, write) : h("td", {}),
    cell(write(table.parity)),
    h("td", {}, verdict(table) + note, now && [" ", h("a", { href: watchOf(table, now.agent),
      "aria-label": `watch ${table.name}` }, "watch")]));
}

// One table.

/** @param {LadderTable} table */
const standing = (table) => `${table.seats} seats; each version alone among copies of ${table.against}. ` +
  `Equal play gets ${writer(table)(table.parity)}. The newest result: ${verdict(table)}.`;

/** @param {LadderTable} table */
function results(table) {
  const write = writer(table);
  const axis = axisOf(table, table.results);
  if (table.results.length === 0) return empty("not measured yet");
  return tableOf([["Version", ""], ["Games", "number"], ["Result", "number"], ["95 % interval", "bar"],
    ["To the one before", ""], ["", ""]],
  table.results.map((result, i) => h("tr", {},
    h("th", { scope: "row" }, h("span", { class: "name" }, result.agent)), cell(count(result.games)),
    cell(write(result.value)), intervalCell(result, axis, write),
    h("td", {}, change(result, table.results[i - 1])),
    h("td", {}, h("a", { href: watchOf(table, result.agent), "aria-label": `watch ${result.agent}` }, "watch")),
  )).reverse());
}
