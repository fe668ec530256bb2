// What a ladder says, in one sentence for people who have not read a page about it.

import { duration } from "./format.js";

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
 */
function against(ladder, a, b) {
  const cell = ladder.payoff.find((p) => p.a === a && p.b === b);
  if (!cell) return undefined;
  const money = cell.share_low === undefined || cell.share_high === undefined;
  const parity = money ? 0 : 1 / (ladder.seats ?? 2);
  const low = money ? cell.low : cell.share_low ?? 0;
  const high = money ? cell.high : cell.share_high ?? 0;
  return low > parity ? "wins" : high < parity ? "loses" : "even";
}

/**
 * summary says how far the best version has come: whom it beats for sure, whom it does not beat yet,
 * and how it stands to exact solutions.
 * @param {Ladder | null} ladder
 * @param {number} seconds of training
 */
export function summary(ladder, seconds) {
  const best = ladder?.agents.find((a) => a.best);
  if (!ladder || !best) return seconds > 0 ? "Learning has begun; how strong it is, the first rated games will tell." : "";
  const of = (/** @type {string} */ outcome, /** @type {string[]} */ kinds) =>
    ladder.agents.filter((a) => kinds.includes(a.kind) && against(ladder, best.name, a.name) === outcome).map((a) => a.name);
  const [beaten, even, lost] = ["wins", "even", "loses"].map((outcome) => of(outcome, ["bot"]));
  const sentence = bots(beaten, even, lost);
  if (!sentence) return `${best.name} is the best so far; it has not met the bots yet.`;
  const solved = of("even", ["solver"]);
  const ahead = of("loses", ["solver"]);
  const exact = solved.length > 0 ? ` It cannot be told from ${listed(solved)}, which plays exactly.` :
    ahead.length > 0 ? ` ${listed(ahead)}, which plays exactly, is still better.` : "";
  return `After ${duration(seconds)}, ${best.name} ${sentence}.${exact}`;
}

/**
 * bots says how the best fares against bots.
 * @param {string[]} beaten
 * @param {string[]} even
 * @param {string[]} lost
 */
function bots(beaten, even, lost) {
  if (beaten.length > 0 && even.length + lost.length === 0) return "beats every bot";
  const parts = [
    beaten.length > 0 && `beats ${listed(beaten)}`,
    even.length > 0 && `is about as good as ${listed(even)}`,
    lost.length > 0 && `still loses to ${listed(lost)}`,
  ].filter((part) => part !== false);
  return listed(parts);
}
