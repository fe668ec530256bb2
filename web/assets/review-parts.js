// A review of a long game, asked for a number of decisions at a time.

import { Refused, ask } from "./table-link.js";

/** @param {SeatReview[]} a @param {SeatReview[]} b @param {Report} all with all decisions */
function together(a, b, all) {
  return a.map((one, seat) => {
    const other = b[seat];
    const decisions = one.decisions + other.decisions;
    const mean = (/** @type {(s: SeatReview) => number} */ of) =>
      (decisions ? (of(one) * one.decisions + of(other) * other.decisions) / decisions : 0);
    const loss = mean((s) => s.loss_per_decision);
    // Errors of bounds add up; those of different positions are independent otherwise.
    const half = (/** @type {(s: SeatReview) => number} */ of) =>
      (all.exact ? mean(of) : decisions && Math.hypot(of(one) * one.decisions,
      of(other) * other.decisions) / decisions);
    const spread = all.decisions.filter((d) => d.seat === seat)
      .reduce((sum, d) => sum + Math.max(0, ...d.alternatives.map((x) => x.loss)), 0);
    return {
      seat, decisions, mistakes: one.mistakes + other.mistakes, loss_per_decision: loss,
      loss_low: loss - half((s) => s.loss_per_decision - s.loss_low),
      loss_high: loss + half((s) => s.loss_high - s.loss_per_decision),
      accuracy: loss > 0 && spread > 0 ? 100 * Math.max(0, 1 - (loss * decisions) / spread) : 100,
    };
  });
}

/** @param {Report | null} before @param {Report} part @returns {Report} */
function joined(before, part) {
  if (!before) return part;
  const all = { ...part, exact: before.exact && part.exact, decisions: [...before.decisions, ...part.decisions] };
  return { ...all, seats: together(before.seats, part.seats, all) };
}

const QUICK = 3000; // ms for a part; the next one is larger or smaller accordingly
const LATE = 504; // status where a part took too long
const BUSY = 503; // status where others are asking
const AGAIN = 3000; // ms before it is tried again

/**
 * patiently asks for a part of a review, and again while others are asking.
 * @param {unknown} question
 * @param {AbortSignal} signal
 * @returns {Promise<Report>}
 */
async function patiently(question, signal) {
  for (;;) {
    try {
      return await ask("/api/review", question, { signal });
    } catch (problem) {
      if (!(problem instanceof Refused && problem.status === BUSY)) throw problem;
      await new Promise((done) => { setTimeout(done, AGAIN); });
    }
  }
}

/**
 * choicesOf returns the steps of a recorded game at which a seat has a choice.
 * @param {string} histories
 * @param {AbortSignal} signal
 * @returns {Promise<number[]>}
 */
export async function choicesOf(histories, signal) {
  return (await ask("/api/replay", { histories, count: 1 }, { signal })).choices;
}

/**
 * inParts has a game reviewed, a number of decisions at a time.
 * @param {{run: string, agent: string, histories: string}} question
 * @param {number[]} choices steps with a choice
 * @param {AbortSignal} signal
 * @param {(done: number, known: Report) => void} tell after each part
 * @returns {Promise<Report>}
 */
export async function inParts(question, choices, signal, tell) {
  /** @type {Report | null} */
  let known = null;
  let size = 8;
  for (let done = 0; !known || done < choices.length;) {
    const span = { from: done === 0 ? 0 : choices[done], to: choices[done + size] ?? 0 };
    const begun = performance.now();
    try {
      known = joined(known, await patiently({ ...question, ...span }, signal));
    } catch (problem) {
      if (!(problem instanceof Refused && problem.status === LATE) || size === 1) throw problem;
      size = Math.ceil(size / 4);
      continue;
    }
    done += size;
    const took = performance.now() - begun;
    if (took < QUICK) size *= 2;
    else if (took > 2 * QUICK) size = Math.ceil(size / 2);
    if (done < choices.length) tell(done, known);
  }
  return known;
}
