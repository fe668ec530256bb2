import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLine } from "./course.js";

const at = (seconds) => new Date(Date.UTC(2026, 0, 2, 12) + 1000 * seconds);
const course = { began: at(0).toISOString(), ends: at(70).toISOString(), done: at(120).toISOString() };
const line = (run, ladder, league, seconds = 54) =>
  timeLine(run, ladder, league, at(seconds).getTime()).replaceAll("\u202f", " ").replace(/by .* at/, "by TIME at");

test("one line says how far training, gate and last rating are", () => {
  assert.equal(line({ course }, { gate: { agent: "greedy:main@4", sets: 80, max_sets: 6000 } }),
    "Trained 54 s of 1 min 10 s · Version 4 at the gate: 80 of at most 6,000 sets · then a last rating of at most 50 s · done by TIME at the latest.");
  assert.equal(line({ course }, null, { values: { rating_left: 3 } }, 90),
    "Trained 1 min 10 s of 1 min 10 s · done by TIME at the latest.");
  assert.equal(line({ course: { began: course.began } }, null), "Trained 54 s, until it is stopped.");
  assert.equal(line({ course, ending: {} }, null), "", "it is over");
  assert.equal(line({}, null), "", "another process trains");
});
