// What a ladder says, in one sentence for people who have not read a page about it.

import { duration, number, percent, rating } from "./format.js";
import { called } from "./names.js";

/**
 * listed joins names: "a", "a and b", "a, b and c".
 * @param {string[]} names
 */
const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/**
 * against tells how an agent fares alone among copies of another, as far as their own games tell:
 * "wins" and "loses" where the 95 % interval leaves out parity, "even" where it does not, and
 * undefined where they have not met.
 * @param {Ladder} ladder
 * @param {string} a
 * @param {string} b
 * @returns {"wins" | "loses" | "even" | undefined}
 */
function against(ladder, a, b) {
  const cell = ladder.payoff.find((p) => p.a === a && p.b === b);
  if (!cell) return undefined;
  const { low, high, parity } = measured(ladder, cell);
  return low > parity ? "wins" : high < parity ? "loses" : "even";
}

/**
 * measured returns the interval of an entry of the matrix, and what equal agents get.
 * @param {Ladder} ladder
 * @param {Payoff} cell
 */
function measured(ladder, cell) {
  if (cell.share_low === undefined || cell.share_high === undefined) return { low: cell.low, high: cell.high, parity: 0,
    money: true };
  return { low: cell.share_low, high: cell.share_high, parity: 1 / (ladder.seats ?? 2), money: false };
}

/**
 * interval writes what an agent gets of another: "80.0 % to 90.0 % of the wins", or "0.10 to 0.20 antes per game".
 * @param {Ladder} ladder
 * @param {string} a
 * @param {string} b
 */
function interval(ladder, a, b) {
  const cell = ladder.payoff.find((p) => p.a === a && p.b === b);
  if (!cell) return "";
  const { low, high, money } = measured(ladder, cell);
  const write = rating(ladder.scale);
  return money ? `${write(low)} to ${write(high)} ${ladder.scale?.unit}`
    : `${percent(low)} to ${percent(high)} of the wins`;
}

/**
 * summary reports how far the best version has come: whom it beats for sure and by how much, whom it does not beat yet,
 *   whom
 * it has not met, how it stands to exact solutions, and what it can lose to an opponent that knows it.
 * @param {Ladder | null} ladder
 * @param {number} seconds of training
 */
export function summary(ladder, seconds) {
  const best = ladder?.agents.find((a) => a.best);
  if (!ladder || !best) return seconds > 0 ? "Learning has begun; the first rated games will show how strong it is."
    : "";
  const of = (/** @type {string} */ outcome, /** @type {string[]} */ kinds) =>
    ladder.agents.filter((a) => kinds.includes(a.kind) && against(ladder, best.name, a.name) === outcome)
      .map((a) => a.name);
  const [beaten, even, lost] = ["wins", "even", "loses"].map((outcome) => of(outcome, ["bot"]));
  const unmet = ladder.agents.filter((a) => a.kind === "bot" && !against(ladder, best.name, a.name)).map((a) => a.name);
  const sentence = bots(ladder, best.name, { beaten, even, lost, unmet });
  const name = called(best.name, ladder.agents.map((a) => a.name));
  if (!sentence) return `${name} is the best so far; it has not met the bots yet.`;
  const solved = of("even", ["solver"]);
  const ahead = of("loses", ["solver"]);
  const exact = solved.length > 0 ? ` It cannot be distinguished from ${listed(solved)}, which plays exactly.` :
    ahead.length > 0 ? ` ${listed(ahead)}, which plays exactly, is still better.` : "";
  return `After ${duration(seconds)}, ${name} ${sentence}.${exact}${others(ladder, best.name)}${exploited(ladder, best)}`;
}

/**
 * others reports how the best fares against networks that are no versions of the run, such as the one of the
 * program.
 * @param {Ladder} ladder
 * @param {string} best
 */
function others(ladder, best) {
  const all = ladder.agents.filter((a) => a.kind === "network" && !a.name.includes("@"));
  const outcomes = { wins: "beats", even: "is about as good as", loses: "loses to" };
  return all.map(({ name }) => {
    const outcome = against(ladder, best, name);
    if (!outcome) return "";
    const how = outcome === "even" ? "" : ` (${interval(ladder, best, name)})`;
    return ` It ${outcomes[outcome]} ${called(name)}${how}.`;
  }).join("");
}

/** NAMED is how many bots are named with their intervals; of more, the strongest opponent is. */
const NAMED = 3;

/**
 * bots reports how the best fares against bots, with 95 % intervals for those that it beats.
 * @param {Ladder} ladder
 * @param {string} best
 * @param {{ beaten: string[], even: string[], lost: string[], unmet: string[] }} by outcome
 */
function bots(ladder, best, { beaten, even, lost, unmet }) {
  if (beaten.length + even.length + lost.length === 0) return "";
  const parts = [
    beaten.length > 0 && victories(ladder, best, beaten, even.length + lost.length + unmet.length === 0),
    even.length > 0 && `is about as good as ${listed(even)}`,
    lost.length > 0 && `still loses to ${listed(lost)}`,
    unmet.length > 0 && `has not met ${listed(unmet)}`,
  ].filter((part) => part !== false);
  return listed(parts);
}

/**
 * victories says whom the best beats, and by how much.
 * @param {Ladder} ladder
 * @param {string} best
 * @param {string[]} beaten
 * @param {boolean} all there are no other bots
 */
function victories(ladder, best, beaten, all) {
  if (beaten.length <= NAMED) return `beats ${listed(beaten.map((name) => `${name} (${interval(ladder, best, name)})`))}`;
  const low = (/** @type {string} */ name) => {
    const cell = ladder.payoff.find((p) => p.a === best && p.b === name);
    return cell ? measured(ladder, cell).low : Infinity;
  };
  const hardest = beaten.reduce((a, b) => (low(b) < low(a) ? b : a));
  const which = all ? `all ${beaten.length} bots` : listed(beaten);
  return `beats ${which}, ${hardest} by the least (${interval(ladder, best, hardest)})`;
}

/**
 * exploited reports what the best can lose to an opponent that knows it, where that is computed, and which version
 * beats the best and is held back because it can lose more.
 * @param {Ladder} ladder
 * @param {Agent} best
 */
function exploited(ladder, best) {
  if (best.exploitability === undefined) return "";
  const held = ladder.held_back;
  const behind = held ? ` ${called(held.agent)} beats it but could lose ${number(held.exploitability)}, and so is not the best.`
    : "";
  const loses = best.exploitability > 1e-9 ? `An opponent that knows it wins ${number(best.exploitability)} a game of it.`
    : "It cannot be beaten: an opponent that knows it wins nothing on average.";
  return ` ${loses}${behind}`;
}
