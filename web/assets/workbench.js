// Curves of several runs: in which charts they are, means over runs of one group, and what the address says of the
// page. Nothing here touches the page.

import { rating } from "./format.js";
import { chartOf } from "./series.js";

/**
 * @typedef {{ run: string, agent: string, points: Point[] }} RunCurve
 * @typedef {object} Place what the address of the page says
 * @property {string[]} runs
 * @property {string[]} hidden runs
 * @property {"seconds" | "samples"} axis
 * @property {number} smoothing
 * @property {[number, number] | null} zoom
 * @property {string} by the setting by which runs are grouped; "" for none, "*" for all settings but the seed
 */

export const SMOOTHING = 0.05;

// What can be compared between runs of one game under the same rules comes first.
const ORDER = [/^win_share\//, /^mean_return\//, /^exploitability/, /^figure\//];
const RATING = /^(rating|exploit_share|exploit_return)(\/|$)/; // depends on the opponents of the own run

/**
 * chartsOf lists the series of runs: those that can be compared, then those that cannot.
 * @param {Map<string, Point[]>[]} curves of each run
 */
export function chartsOf(curves) {
  const names = [...new Set(curves.flatMap((c) => [...c.keys()].map((name) => chartOf(name).series)))]
    .filter((name) => !name.startsWith("probe/")).sort();
  const place = (/** @type {string} */ name) => {
    const i = ORDER.findIndex((o) => o.test(name));
    return i < 0 ? ORDER.length : i;
  };
  names.sort((a, b) => place(a) - place(b));
  return { compared: names.filter((n) => !RATING.test(n)), apart: names.filter((n) => RATING.test(n)) };
}

/**
 * curvesOf returns the curves of a series, run by run.
 * @param {string} series
 * @param {string[]} ids of the runs
 * @param {Map<string, Point[]>[]} curves of each
 * @returns {RunCurve[]}
 */
export function curvesOf(series, ids, curves) {
  return ids.flatMap((run, i) => [...(curves[i] ?? [])].flatMap(([name, points]) => {
    const of = chartOf(name);
    return of.series === series && points.length > 0 ? [{ run, agent: of.agent, points }] : [];
  })).sort((a, b) => (a.agent < b.agent ? -1 : Number(a.agent > b.agent)));
}

const RATED = /^rating(\/|$)/; // in the unit of the ladder
const RETURNS = /^(mean_return|exploit_return|table_return|exploitability)(\/|$)/; // so too in games for money

/**
 * scaleOf is the unit of a chart of several runs, "" where it is not known or not the same in all, and how to write its
 * values.
 * @param {string} series
 * @param {Series[]} declared by the learner
 * @param {Ladder[]} ladders of the runs; those of runs in which nothing is rated yet have no agents
 * @returns {{ unit: string, format?: (value: number) => string }}
 */
export function scaleOf(series, declared, ladders) {
  if (/^(win_share|exploit_share|table_share)(\/|$)/.test(series)) return { unit: "share of the win" };
  const rated = ladders.filter(({ agents }) => agents.length > 0);
  const money = rated.filter(({ scale }) => scale?.kind === "money");
  if (RETURNS.test(series) && money.length < rated.length) return { unit: money.length ? "" : "return per game" };
  if (RATED.test(series) || RETURNS.test(series)) {
    const units = new Set(rated.map(({ scale }) => `${scale?.unit}, ${scale?.unit_meaning}`));
    return units.size === 1 ? { unit: rated[0].scale?.unit ?? "", format: rating(rated[0].scale) } : { unit: "" };
  }
  const figure = rated.flatMap(({ figures }) => figures ?? []).find(({ name }) => series === `figure/${name}`);
  if (figure) return { unit: `${figure.unit} per ${figure.per}` };
  return { unit: declared.find(({ name }) => name === series)?.unit ?? "" };
}

/**
 * titlesOf is what runs are called: by the name that people gave, with the ID where several have the same, or else by
 * the ID.
 * @param {{ id: string, name?: string }[]} runs
 * @returns {Map<string, string>} by ID
 */
export function titlesOf(runs) {
  const taken = (/** @type {string} */ title) => runs.filter((r) => r.name === title || r.id === title).length > 1;
  return new Map(runs.map(({ id, name }) => [id, !name || name === id ? id : taken(name) ? `${name} (${id})` : name]));
}

/**
 * groupsOf names the group of each run.
 * @param {ComparedSetting[]} settings that differ
 * @param {number} runs
 * @param {string} by
 */
export function groupsOf(settings, runs, by) {
  const keys = settings.filter(({ key }) => (by === "*" ? key !== "seed" && key !== "run" : key === by));
  return Array.from({ length: runs }, (_, i) => keys.map((s) => `${s.key} ${s.values[i] || "\u2013"}`).join(", ") ||
    "all runs");
}

const STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201]; // 97.5 %, by freedom
const PLACES = 60; // of a mean

/**
 * at interpolates between the points of a curve.
 * @param {Point[]} points
 * @param {0 | 1} axis
 * @param {number} x within them
 */
function at(points, axis, x) {
  const next = Math.max(1, points.findIndex((p) => p[axis] >= x));
  const [a, b] = [points[next - 1], points[next] ?? points[next - 1]];
  const share = b[axis] > a[axis] ? (x - a[axis]) / (b[axis] - a[axis]) : 0;
  return [0, 1, 2].map((i) => a[i] + share * (b[i] - a[i]));
}

/**
 * meanOf is the mean of curves where all of them are, with the 95 % interval of Student's t over the runs.
 * @param {Point[][]} curves
 * @param {0 | 1} axis
 * @returns {Point[]}
 */
export function meanOf(curves, axis) {
  if (curves.length === 1) return curves[0];
  const from = Math.max(...curves.map((c) => c[0][axis]));
  const to = Math.min(...curves.map((c) => c[c.length - 1][axis]));
  if (!(to >= from)) return [];
  const n = curves.length;
  return Array.from({ length: PLACES + 1 }, (_, i) => {
    const found = curves.map((c) => at(c, axis, from + (i / PLACES) * (to - from)));
    const mean = (/** @type {number} */ k) => found.reduce((sum, p) => sum + p[k], 0) / n;
    const value = mean(2);
    const deviation = Math.sqrt(found.reduce((sum, p) => sum + (p[2] - value) ** 2, 0) / (n - 1));
    const half = ((STUDENT[n - 2] ?? 1.96) * deviation) / Math.sqrt(n);
    return /** @type {Point} */ ([mean(0), mean(1), value, value - half, value + half]);
  });
}

/**
 * placeOf reads the address.
 * @param {string} search
 * @returns {Place}
 */
export function placeOf(search) {
  const q = new URLSearchParams(search);
  const zoom = (q.get("zoom") ?? "").split("_").map(Number);
  const smoothing = Number(q.get("smoothing") ?? SMOOTHING);
  return { runs: q.getAll("run"), hidden: q.getAll("hide"), axis: q.get("axis") === "samples" ? "samples" : "seconds",
    smoothing: smoothing >= 0 && smoothing <= 0.2 ? smoothing : SMOOTHING,
    zoom: zoom.length === 2 && zoom[1] > zoom[0] ? [zoom[0], zoom[1]] : null, by: q.get("by") ?? "" };
}

/**
 * addressOf is the query of an address that says the same; what is usual is left out.
 * @param {Place} place
 */
export function addressOf({ runs, hidden, axis, smoothing, zoom, by }) {
  const q = new URLSearchParams([...runs.map((r) => ["run", r]), ...hidden.map((r) => ["hide", r])]);
  if (axis !== "seconds") q.set("axis", axis);
  if (smoothing !== SMOOTHING) q.set("smoothing", String(smoothing));
  if (zoom) q.set("zoom", zoom.map((x) => Number(x.toPrecision(6))).join("_"));
  if (by) q.set("by", by);
  return `?${q}`;
}
