// The page of learning curves.

import { Chart, Group } from "./chart.js";
import { byId, h, rooted, runName, tile } from "./dom.js";
import { count, duration, label, number, percent, rating } from "./format.js";
import { like, likes } from "./likes.js";
import { momentsFor } from "./moments.js";
import { called } from "./names.js";
import { explain } from "./popover.js";
import { partsOf } from "./series.js";
import { onChange, start, state } from "./stream.js";
import { timeLine } from "./course.js";
import { summary } from "./summary.js";

const RATED = "waiting for the first rated version…";
const LEARNT = "waiting for the first update…";

const PERCENT = { format: percent, ticks: (/** @type {number} */ v) => `${Math.round(v * 1000) / 10}\u202f%` };

const WIDE = { wide: true, height: 300 };
const AGAINST = "newest frozen version alone among each reference; hollow: its first games, until it is rated";

// A chart shows the series that it names, with their parts if it has parts (of "loss", all
// "loss/…"), and all that have its beginning, or, by reference, all whose names begin with prefix.
// Those with `extra` appear once there is something to show. Those that are `rated` have the unit
// of the ratings, those of returns only in games for money. A section with `series` has the
// learner's curves of that section, which say themselves what they are.
/**
 * @typedef {object} Shows
 * @property {string[]} [names]
 * @property {boolean} [parts]
 * @property {string} [prefix]
 * @property {string} [beginning]
 * @property {boolean} [extra]
 * @property {boolean} [wide] as wide as the page
 * @property {boolean} [rated]
 * @property {"rating" | "share" | "money"} [even] what its parity is
 *
 * @typedef {import("./chart.js").Options & Shows} Spec
 *
 * @typedef {object} SectionSpec
 * @property {string} title
 * @property {string} [note]
 * @property {string} [series]
 * @property {boolean} [figures]
 * @property {boolean} [folded] at first
 * @property {boolean} [large]
 * @property {Spec[]} [charts]
 *
 * @typedef {{ spec: Spec, chart: Chart | null }} Entry
 * @typedef {{ element: HTMLElement, grid: HTMLElement, figures?: boolean, entries: Entry[] }} Section
 */

/** @type {SectionSpec[]} */
const SECTIONS = [
  {
    title: "Strength",
    large: true,
    charts: [
      { title: "Share of the win", prefix: "win_share/", unit: "share of the win", ...PERCENT, ...WIDE, named: true, ends: [0, 1],
        even: "share", extra: true, note: AGAINST },
      { title: "Mean return", prefix: "mean_return/", unit: "", ...WIDE, named: true, rated: true, even: "money", extra: true,
        note: AGAINST },
      { title: "Rating", names: ["rating/newest", "rating/best"], beginning: "rating/", unit: "", rated: true,
        even: "rating", waiting: RATED,
        note: "from all arena games but the gate's; vertical lines: weights that became best" },
      { title: "Other tables: share of the win", names: [], beginning: "table_share/", unit: "share of the win",
        ...PERCENT, extra: true, note: "the best version alone among copies of the strongest bot of each table" },
      { title: "Other tables: mean return", names: [], beginning: "table_return/", unit: "", rated: true, extra: true,
        note: "the best version alone among copies of the strongest bot of each table" },
      { title: "Exploiters: share of the win", names: [], beginning: "exploit_share/", unit: "share of the win",
        ...PERCENT, even: "share", extra: true,
      note: "each version alone among the newest of the main agent that it has met" },
      { title: "Exploiters: mean return", names: [], beginning: "exploit_return/", unit: "", rated: true, even: "money",
        extra: true, note: "each version alone among the newest of the main agent that it has met" },
      { title: "Exploitability", names: ["exploitability"], parts: true, unit: "return per game", rated: true, zero: true, extra: true, note: "what a best response wins against the network as it is rated, computed exactly; mean of the seats, and of each where it is known" },
    ],
  },
  {
    title: "Learning",
    note: "faint: every measurement, strong: their moving mean",
    series: "learning",
    folded: true,
  },
  {
    title: "Figures",
    note: "of the game, in the training games of the learning agent",
    figures: true,
    folded: true,
    charts: [], // made from the game's list of figures
  },
  {
    title: "Throughput",
    series: "throughput",
    folded: true,
  },
];

const COLORS = 8;
const PROBE = "probe/"; // begins the names of curves of first looks
const REFERENCES = 2; // first colour of a reference: the newest version and the best one have those before
const group = new Group(likes.axis, likes.smoothing);
/** @type {Section[] | null} */
let sections = null; // made with the first update; the last is for unknown series

/**
 * learnt returns the charts of the learner's curves of a section.
 * @param {string} [section]
 * @returns {Spec[]}
 */
function learnt(section) {
  return state.series.filter((s) => s.section === section).map(({ name, title, unit, help, zero, awaited }) =>
    ({ title, names: [name], unit, note: help, zero, extra: !awaited, waiting: LEARNT }));
}

/**
 * @param {SectionSpec} spec
 * @returns {Section}
 */
function makeSection({ title, note, series, charts = learnt(series), figures, folded, large }) {
  const grid = h("div", { class: large ? "charts large" : "charts" });
  const head = h("h2", {}, title, note && h("small", {}, note));
  const element = h("section", { "aria-label": title }, folded === undefined ? [head, grid]
    : foldable(title, head, grid, folded));
  /** @type {Section} */
  const section = { element, grid, figures, entries: charts.map((spec) => ({ spec, chart: null })) };
  for (const entry of section.entries) if (!entry.spec.extra) place(section, entry);
  element.hidden = charts.length === 0;
  byId("charts").append(element);
  return section;
}

/**
 * foldable puts a section into a fold, as the person left it last.
 * @param {string} title
 * @param {HTMLElement} head
 * @param {HTMLElement} grid
 * @param {boolean} folded at first
 */
function foldable(title, head, grid, folded) {
  const changed = likes.folded.includes(title);
  const details = h("details", { class: "fold", open: folded === changed }, h("summary", {}, head), grid);
  details.addEventListener("toggle", () => {
    const others = likes.folded.filter((t) => t !== title);
    like({ folded: details.open === folded ? [...others, title] : others });
  });
  return details;
}

/**
 * place makes the entry's chart, in the order of the entries.
 * @param {Section} section
 * @param {Entry} entry
 */
function place(section, entry) {
  entry.chart = new Chart(group, entry.spec);
  entry.chart.element.classList.toggle("wide", Boolean(entry.spec.wide));
  const later = section.entries.slice(section.entries.indexOf(entry) + 1).find((e) => e.chart);
  section.grid.insertBefore(entry.chart.element, later?.chart?.element ?? null);
  section.element.hidden = false;
}

// References have one colour in all charts.
function references() {
  const names = [...state.curves.keys()].map((name) => name.replace(/^probe\//, "")).filter(
    (name) => /^(win_share|mean_return)\//.test(name));
  return [...new Set(names.map((name) => name.slice(name.indexOf("/") + 1)))].sort();
}

/**
 * namesOf lists the series of a chart that names them.
 * @param {Spec} spec
 */
function namesOf({ names = [], beginning, parts }) {
  const isPart = (/** @type {string} */ name) => names.some((whole) => name.startsWith(whole + "/"));
  const own = parts ? [...names, ...[...state.curves.keys()].filter(isPart).sort()] : names;
  const others = [...state.curves.keys()].filter((name) => own.includes(partsOf(name).series) && partsOf(name).agent)
    .sort();
  const further = [...state.curves.keys()].filter((name) => beginning && name.startsWith(beginning) &&
    !own.includes(name)).sort();
  return [...own, ...others, ...further];
}

/**
 * labelOf is what the legend calls a line of a chart: by its agent where several agents have one.
 * @param {string} name
 * @param {string[]} all the names in the chart
 */
function labelOf(name, all) {
  const { agent, series } = partsOf(name);
  const label = series.slice(series.indexOf("/") + 1).replaceAll("_", " ");
  if (!all.some((other) => partsOf(other).agent)) return label;
  const one = all.every((other) => partsOf(other).series === series);
  return one ? agent || "main" : `${label}, ${agent || "main"}`;
}

/**
 * @param {Spec} spec
 * @returns {import("./chart.js").Line[]}
 */
function linesOf(spec) {
  if (spec.names) {
    return namesOf(spec).map((name, i, all) => ({
      label: labelOf(name, all),
      color: i % COLORS,
      points: state.curves.get(name) ?? [],
    }));
  }
  return references().map((name, i) => ({ label: called(name), color: REFERENCES + (i % (COLORS - REFERENCES)),
    ...looked(`${spec.prefix}${name}`) }));
}

/**
 * looked returns the measurements of a series, and behind them the first looks at versions that are not measured yet.
 * The newest version is where its games so far put it, also once it is measured.
 * @param {string} series
 */
function looked(series) {
  const measured = state.curves.get(series) ?? [];
  const last = measured.at(-1)?.[0] ?? -1;
  const looks = (state.curves.get(PROBE + series) ?? []).filter((p) => p[0] >= last);
  const older = looks[0]?.[0] === last ? measured.slice(0, -1) : measured;
  return { points: [...older, ...looks], solid: measured.length };
}

function drawCurves() {
  if (!sections) {
    byId("charts").replaceChildren();
    sections = [...SECTIONS, { title: "Other series", charts: [] }].map(makeSection);
    sections[0].element.after(byId("tiles"), byId("moments")); // what people come for is the first chart
  }
  const known = new Set(sections.flatMap(({ entries }) => entries.flatMap(({ spec }) => namesOf(spec))));
  for (const name of [...state.curves.keys()].sort()) {
    if (known.has(name) || partsOf(name).agent || /^(win_share|mean_return|figure|probe)\//.test(name)) continue;
    sections[sections.length - 1].entries.push({ spec: { title: name.replaceAll("_", " "), names: [name], unit: "value",
      extra: true }, chart: null });
  }
  addFigures(sections.find(({ figures }) => figures)?.entries ?? [], known);
  const scale = state.ladder?.scale;
  byId("meaning").textContent = scale?.unit_meaning ? `${scale.unit_meaning}.` : "";
  byId("meaning").hidden = !scale?.unit_meaning;
  for (const section of sections) {
    for (const entry of section.entries) {
      const lines = linesOf(entry.spec);
      if (!entry.chart && lines.some((line) => line.points.length > 0)) place(section, entry);
      const inScale = scale && entry.spec.rated && (scale.kind === "money" || entry.spec.even === "rating");
      if (entry.chart && inScale) Object.assign(entry.chart.options, { unit: scale.unit, format: rating(scale) });
      if (entry.chart && entry.spec.even) entry.chart.options.parity = parity(entry.spec.even);
      entry.chart?.setLines(lines);
      if (entry.spec.names?.includes("rating/best")) entry.chart?.setEvents(promotions());
    }
  }
}

/**
 * parity is where nobody is better.
 * @param {NonNullable<Shows["even"]>} even
 */
function parity(even) {
  const { scale, seats } = state.ladder ?? {};
  if (!scale?.kind) return undefined;
  switch (even) {
    case "rating": return { at: 0, label: `as good as ${scale.zero}` };
    case "money": return { at: 0, label: "as good as the others" };
    default: return seats ? { at: 1 / seats, label: `as good as the others: ${percent(1 / seats)}` } : undefined;
  }
}

// promotions are marks of when the weights were published that became best.
function promotions() {
  return (state.ladder?.promotions ?? []).map((p) => ({ at: [p.seconds, p.samples], label: `${p.agent} became best` }));
}

/**
 * addFigures makes entries for figures of the game that have come up, once the ladder
 * tells what they are.
 * @param {Entry[]} entries
 * @param {Set<string>} known
 */
function addFigures(entries, known) {
  if (!state.ladder?.agents.length) return;
  const listed = new Map((state.ladder.figures ?? []).map((f, i) => [f.name, { ...f, i }]));
  const names = [...state.curves.keys()].filter((name) => name.startsWith("figure/") && !known.has(name));
  const place = (/** @type {string} */ name) => listed.get(name.slice("figure/".length))?.i ?? listed.size;
  for (const name of names.sort((a, b) => place(a) - place(b))) {
    const figure = listed.get(name.slice("figure/".length));
    entries.push({ spec: figureSpec(name, figure), chart: null });
  }
}

/**
 * @param {string} name
 * @param {Figure} [figure]
 */
function figureSpec(name, figure) {
  /** @type {Spec} */
  const spec = { title: capital(label(name.slice("figure/".length))), names: [name], unit: "value", extra: true };
  if (!figure) return spec;
  spec.unit = `${figure.unit} per ${figure.per}`;
  spec.note = figure.help;
  return figure.unit === "share" ? { ...spec, ...PERCENT } : spec;
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {string} series */
function latest(series) {
  return state.curves.get(series)?.at(-1);
}

function drawTiles() {
  const best = state.ladder?.agents.find((agent) => agent.best);
  const newest = state.run?.newest;
  const elapsed = Math.max(0, ...[...state.curves.values()].map((points) => points.at(-1)?.[0] ?? 0));
  const actors = (state.roles ?? []).filter((role) => role.role === "actor" && role.present);
  const sum = (/** @type {string} */ name) => actors.reduce((total, actor) => total + (actor.values?.[name] ?? 0), 0);
  const lag = latest("lag");
  const course = (state.roles ?? []).find((role) => role.role === "learner" && role.present)?.values;
  byId("tiles").replaceChildren(
    tile("Best version", best ? called(best.name, names()) : "–", best ? sinceWhen(best.name) : "none yet"),
    tile("Training time", duration(elapsed)),
    tile("Samples", newest ? count(newest.samples) : "–", newest && `${count(newest.updates)} updates`),
    tile("Games/s", number(sum("games_per_second")), `${number(sum("decisions_per_second"))} decisions/s`),
    tile("Actors", String(actors.length), "reporting"),
    ...(course?.stages ? [tile("Stage", `${course.stage} of ${course.stages}`,
      course.stage < course.stages ? "simpler games first" : "the run's own game")] : []),
    tile("Policy lag", lag ? number(lag[2]) : "–", "versions"),
  );
}

const names = () => (state.ladder?.agents ?? []).map((a) => a.name);

/** sinceWhen says when an agent became best. @param {string} best */
function sinceWhen(best) {
  const promotion = state.ladder?.promotions?.findLast(({ agent }) => agent === best);
  return promotion ? `best since ${duration(promotion.seconds)}` : "";
}

/**
 * linksOf lead from the sentence to what can be done with the best version.
 * @param {string} best
 */
function linksOf(best) {
  const { game = "", seats = 2 } = state.ladder ?? {};
  const at = (/** @type {string} */ path, /** @type {[string, string][]} */ query) =>
    `${path}?${new URLSearchParams([["run", runName()], ...query])}`;
  const others = Array(seats - 1).fill(["seat", best]);
  return [
    h("a", { href: at("/play", [["game", game], ["seat", "you"], ...others]) }, "Play against it"), " · ",
    h("a", { href: at("/games", [["agent", best], ["result", "lost"], ["purpose", "arena"]]) }, "watch it lose"), " · ",
    h("a", { href: rooted("/league") }, "how sure is that?"),
  ];
}

// drawSummary says in words how far it has come.
function drawSummary() {
  const elapsed = Math.max(0, ...[...state.curves.values()].map((points) => points.at(-1)?.[0] ?? 0));
  const text = summary(state.ladder, elapsed);
  const best = state.ladder?.agents.find((agent) => agent.best);
  const link = best ? linksOf(best.name) : [];
  if (byId("summary").dataset.text !== text) {
    byId("summary").replaceChildren(text, ...(link.length ? [" ", h("span", { class: "do" }, link)] : []));
    byId("summary").dataset.text = text;
  }
  byId("summary").hidden = !text;
  if (best) momentsFor(best.name);
  const line = timeLine(state.run, state.ladder, (state.roles ?? []).find((r) => r.role === "league" && r.present),
    Date.now());
  byId("course").textContent = line;
  byId("course").hidden = !line;
  const missing = state.ladder?.no_exploitability;
  byId("no-exploitability").textContent = missing ? `There is no curve of exploitability: ${missing}.` : "";
  byId("no-exploitability").hidden = !missing;
  const goals = state.run?.ending ? [] : state.run?.goals ?? [];
  byId("goals").textContent = goals.length > 0 ? `Ends with ${goals.join(", or ")}.` : "";
  byId("goals").hidden = goals.length === 0;
  const rated = (state.roles ?? []).find((role) => role.role === "league" && role.present)?.values ?? {};
  const { rating_played: played = 0, rating_left: left = -1, rating_seconds: seconds = 0 } = rated;
  const bar = byId("rating", HTMLProgressElement);
  byId("rating-progress").hidden = left < 0;
  if (left < 0) return;
  bar.max = Math.max(1, played + left);
  bar.value = played;
  const rest = played > 0 && seconds > 0 ? `, about ${duration((seconds * left) / played)} left` : "";
  byId("rating-words").textContent = `Rating the newest version: ${played.toLocaleString("en")} of at most ${(played + left).toLocaleString("en")} games${rest}`;
}

function watchAxis() {
  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = document.querySelectorAll("#axis input");
  for (const input of inputs) {
    const axis = input.value === "samples" ? "samples" : "seconds";
    input.checked = axis === group.axis;
    input.addEventListener("change", () => {
      like({ axis });
      group.setAxis(axis);
    });
  }
  const smoothing = byId("smoothing", HTMLInputElement);
  smoothing.value = String(100 * likes.smoothing);
  const say = () => smoothing.setAttribute("aria-valuetext", `${smoothing.value} % of the points`);
  smoothing.addEventListener("input", () => {
    like({ smoothing: smoothing.valueAsNumber / 100 });
    group.setSmoothing(likes.smoothing);
    say();
  });
  say();
}

function explainWords() {
  byId("words").replaceChildren(
    explain("Rating", "How strong an agent is, by its games against all others. The axis has the unit; the agent with rating 0 is named below the best version."),
    explain("Band", "The true value lies in the shaded band in 95 of 100 cases. More games make it narrower."),
    explain("Reference", "A bot or a solver of the game, which does not learn: what the network is measured by."),
    explain("Best version", "The newest weights that have beaten the best ones before them in a test of many games."),
    explain("Samples", "Decisions with a choice, in training games, that the network has learnt from."));
}

watchAxis();
explainWords();
onChange((changed) => {
  if (changed.has("curves") || changed.has("ladder")) drawCurves();
  drawTiles();
  drawSummary();
});
start();
