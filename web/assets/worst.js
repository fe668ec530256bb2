// The worst moments of a version: certain mistakes in games that it has lost, as judged games tell them. Nothing here
// touches the page.

import { decimal, number } from "./format.js";
import { called } from "./names.js";

/**
 * @typedef {import("./games.js").Listing} Listing
 * @typedef {import("./games.js").KeptGame} KeptGame
 * @typedef {object} Moment
 * @property {KeptGame} game
 * @property {number} step
 * @property {number} loss in the unit of the review
 * @property {string} cost in words
 * @property {string} taken
 * @property {string} best
 * @property {string} whose agent
 * @property {number} seat
 * @property {string[]} against the other agents of the game
 */

/** @param {number} loss @param {string} unit */
const cost = (loss, unit) => (unit === "win probability" ? `\u2212${decimal(100 * loss, 1)}\u202f% win probability`
  : `\u2212${number(loss)} ${unit}`);

/**
 * momentsOf lists the mistakes of judged games, the dearest first; games of which the dearest decisions of two seats
 * are known have two.
 * @param {KeptGame[]} games
 * @param {string} agent
 * @param {{ whose?: string, against?: string }} [filter] whose: "best" the agent's, "others", or of all
 * @returns {Moment[]}
 */
export function momentsOf(games, agent, { whose = "", against = "" } = {}) {
  const all = games.flatMap((game) => (game.review?.mistakes ?? []).map((m) => ({
    ...m, game, cost: cost(m.loss, game.review?.unit ?? ""),
    whose: game.agents[m.seat]?.name ?? "",
    against: [...new Set(game.agents.map((a) => a.name))].filter((name) => name !== agent),
  })));
  return all.filter((m) => (!against || m.against.includes(against)) &&
    (!whose || (m.whose === agent) === (whose === "best"))).sort((a, b) => b.loss - a.loss);
}

/**
 * told is the sentence of a moment after what it cost.
 * @param {Moment} m
 */
export const told = (m) => `played ${m.taken}, ${m.best} was better`;

/**
 * progress says in words how far judging is, and why it does not continue.
 * @param {Listing} listing of the games that the agent has lost
 * @param {string} agent
 */
export function progress({ judging, total, games, limit_bytes: limit }, agent) {
  const known = games.filter((g) => g.review?.mistakes).length;
  const name = called(agent);
  if (limit === 0) return "No games are kept in this run: its setting archive.max_bytes is 0.";
  if (total === 0) return `${name} has lost no game that was kept.`;
  const most = Math.min(judging?.most ?? 0, total);
  const counts = `${known} of ${Math.max(known, most)} lost games of ${name} are judged`;
  if (!judging || judging.most === 0) {
    const why = judging ? "the setting archive.judged_games is 0" : "games are judged only on request here";
    return `${known} lost games of ${name} are judged; ${why}, so the others are judged on the page Games.`;
  }
  if (judging.problem) return `${counts}. Judging failed, and is tried again: ${judging.problem}.`;
  if (known >= most) return `${counts}.`;
  if (judging.trains) return `${counts}; the others will be judged while a processor core is idle.`;
  return judging.working ? `${counts}, and the others are being judged.` : `${counts}; the others will be soon.`;
}

/**
 * awaits reports whether further games are being judged, or will be at once.
 * @param {Listing} listing
 */
export function awaits({ judging, total, games }) {
  if (!judging || judging.trains || judging.problem) return false;
  return games.filter((g) => g.review?.mistakes).length < Math.min(judging.most, total);
}

/**
 * judges reports who has judged the games, and why that agent.
 * @param {KeptGame[]} games
 */
export function judges(games) {
  const found = new Map(games.flatMap(({ review }) => (review ? [[review.judge, review]] : [])));
  return [...found.values()].map(({ judge, why, exact }) =>
    `Judged by ${called(judge)}${why ? `: ${why}` : ""}${exact ? "" : " (estimates)"}.`).join(" ");
}
