// The line of time: how far a training has come, and when all is over.

import { duration } from "./format.js";
import { called } from "./names.js";

/** @param {number} at ms since 1970 */
const clock = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

/**
 * timeLine says in one line how far the training, the gate and the last rating are, and when all is over at the latest;
 * "" where the page does not know.
 * @param {Run | null} run
 * @param {Ladder | null} ladder
 * @param {Role | undefined} league
 * @param {number} now ms since 1970
 */
export function timeLine(run, ladder, league, now) {
  const course = run?.course;
  if (!course || run.ending) return "";
  const [began, ends, done] = [course.began, course.ends, course.done].map((t) => (t ? Date.parse(t) : NaN));
  const trained = duration(Math.max(0, Math.min(now, ends || Infinity) - began) / 1000);
  const parts = [ends ? `Trained ${trained} of ${duration((ends - began) / 1000)}` : `Trained ${trained}, until it is stopped`];
  const gate = ladder?.gate;
  const rating = league?.values?.rating_left !== undefined;
  if (gate && !rating) {
    parts.push(`${called(gate.agent)} at the gate: ${gate.sets} of at most ${gate.max_sets.toLocaleString("en")} sets`);
  }
  if (done > ends && !rating) parts.push(`then a last rating of at most ${duration((done - ends) / 1000)}`);
  if (done) parts.push(`done by ${clock(done)} at the latest`);
  return `${parts.join(" · ")}.`;
}
