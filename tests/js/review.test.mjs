import assert from "node:assert/strict";
import { test } from "node:test";
import { choicesOf, inParts } from "./review-parts.js";

const answer = (/** @type {number} */ status, /** @type {unknown} */ body) =>
  new Response(JSON.stringify(body), { status });

/** @param {number} from @param {number} to steps that are judged */
const report = (from, to) => ({ exact: true, seats: [], decisions: [{ step: from }, { step: to }] });

test("a part that takes too long is made smaller, and one that others are in the way of is asked again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const choices = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
  /** @type {[number, number][]} */
  const asked = [];
  let busy = true;
  t.mock.method(globalThis, "fetch", async (/** @type {string} */ path, /** @type {RequestInit} */ { body }) => {
    const question = JSON.parse(String(body));
    if (path === "/api/replay") return answer(200, { choices });
    asked.push([question.from, question.to]);
    if (question.to === 0 || question.to > 11) return answer(504, { error: "no answer within 20s" });
    if (busy) {
      busy = false;
      setImmediate(() => t.mock.timers.tick(3000));
      return answer(503, { error: "others are asking" });
    }
    return answer(200, report(question.from, question.to));
  });
  const { signal } = new AbortController();
  assert.deepEqual(await choicesOf("a game", signal), choices);
  const parts = /** @type {number[]} */ ([]);
  await assert.rejects(inParts({ run: "", agent: "", histories: "a game" }, choices, signal, (done) => parts.push(done)),
    /no answer within/, "one decision that takes too long ends it");
  assert.deepEqual(asked.slice(0, 3), [[0, 17], [0, 5], [0, 5]], "late, busy, and answered");
  assert.equal(parts[0], 2, "what is known is told");
});
