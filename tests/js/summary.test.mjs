import assert from "node:assert/strict";
import { test } from "node:test";
import { chartOf, partsOf } from "./series.js";
import { summary } from "./summary.js";

const agents = [
  { name: "main@8", kind: "network", best: true }, { name: "random", kind: "bot" }, { name: "chaser", kind: "bot" },
  { name: "solver:optimal", kind: "solver" },
];
/** An entry of the payoff matrix of a game for three, in which parity is a third. */
const met = (a, b, low, high) => ({ a, b, share_low: low, share_high: high });
const money = (b, low, high) => ({ a: "main@8", b, low, high });
const told = (payoff) => summary({ seats: 3, agents, payoff }, 90)?.replaceAll("\u202f", " ");

test("the first sentence says of each bot what the games against it leave open, and no more", () => {
  for (const [expected, ...payoff] of [
    ["After 1 min 30 s, main@8 beats every bot.", met("main@8", "random", 0.8, 0.9), met("main@8", "chaser", 0.34, 0.4)],
    ["After 1 min 30 s, main@8 beats random and is about as good as chaser.",
      met("main@8", "random", 0.8, 0.9), met("main@8", "chaser", 0.33, 0.4)],
    ["After 1 min 30 s, main@8 beats random and still loses to chaser. solver:optimal, which plays exactly, is still better.",
      met("main@8", "random", 0.8, 0.9), met("main@8", "chaser", 0.2, 0.33), met("main@8", "solver:optimal", 0.2, 0.3),
      met("chaser", "main@8", 0.1, 0.2)],
    ["After 1 min 30 s, main@8 still loses to random and chaser.", met("main@8", "random", 0, 0.1), met("main@8", "chaser", 0, 0.1)],
    ["After 1 min 30 s, main@8 beats every bot. It cannot be told from solver:optimal, which plays exactly.",
      money("random", 0.1, 0.2), money("chaser", 0.001, 0.2), money("solver:optimal", -0.1, 0.05)],
    ["main@8 is the best so far; it has not met the bots yet."],
  ]) assert.equal(told(payoff), expected);
  const begun = "Learning has begun; how strong it is, the first rated games will tell.";
  assert.equal(summary({ agents: agents.slice(1), payoff: [] }, 90), begun);
  assert.equal(summary(null, 90), begun);
  assert.equal(summary(null, 0), "");
});

test("curves of learning agents are in the charts of the main one", () => {
  assert.deepEqual(partsOf("entropy"), { agent: "", series: "entropy" });
  assert.deepEqual(partsOf("learner-exploiter/entropy"), { agent: "exploiter", series: "entropy" });
  assert.deepEqual(chartOf("rating/exploiter"), { agent: "exploiter", series: "rating/newest" });
  assert.deepEqual(chartOf("rating/best"), { agent: "", series: "rating/best" });
  assert.deepEqual(chartOf("exploit_share/exploiter"), { agent: "exploiter", series: "exploit_share" });
});
