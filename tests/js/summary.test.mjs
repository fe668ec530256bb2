import assert from "node:assert/strict";
import { test } from "node:test";
import { called } from "./names.js";
import { chartOf, partsOf } from "./series.js";
import { summary } from "./summary.js";

const agents = [
  { name: "main@8", kind: "network", best: true }, { name: "random", kind: "bot" }, { name: "chaser", kind: "bot" },
  { name: "solver:optimal", kind: "solver" },
];
/** An entry of the payoff matrix of a game for three, in which parity is a third. */
const met = (a, b, low, high) => ({ a, b, share_low: low, share_high: high });
const money = (b, low, high) => ({ a: "main@8", b, low, high });
const scale = { unit: "antes per game", decimals: 3 };
const told = (payoff, ladder = {}) => summary({ seats: 3, agents, scale, payoff, ...ladder }, 90)?.replaceAll("\u202f", " ");

test("the first sentence says of each bot what the games against it leave open, and no more", () => {
  for (const [expected, ...payoff] of [
    ["After 1 min 30 s, Version 8 beats random (80.0 % to 90.0 % of the wins) and chaser (34.0 % to 40.0 % of the wins).", met("main@8", "random", 0.8, 0.9), met("main@8", "chaser", 0.34, 0.4)],
    ["After 1 min 30 s, Version 8 beats random (80.0 % to 90.0 % of the wins) and is about as good as chaser.",
      met("main@8", "random", 0.8, 0.9), met("main@8", "chaser", 0.33, 0.4)],
    ["After 1 min 30 s, Version 8 beats random (80.0 % to 90.0 % of the wins) and still loses to chaser. solver:optimal, which plays exactly, is still better.",
      met("main@8", "random", 0.8, 0.9), met("main@8", "chaser", 0.2, 0.33), met("main@8", "solver:optimal", 0.2, 0.3),
      met("chaser", "main@8", 0.1, 0.2)],
    ["After 1 min 30 s, Version 8 still loses to random and chaser.", met("main@8", "random", 0, 0.1), met("main@8", "chaser", 0, 0.1)],
    ["After 1 min 30 s, Version 8 beats random (0.100 to 0.200 antes per game) and chaser (0.001 to 0.200 antes per game). It cannot be distinguished from solver:optimal, which plays exactly.",
      money("random", 0.1, 0.2), money("chaser", 0.001, 0.2), money("solver:optimal", -0.1, 0.05)],
    ["After 1 min 30 s, Version 8 beats random (80.0 % to 90.0 % of the wins) and has not met chaser.", met("main@8", "random", 0.8, 0.9)],
    ["Version 8 is the best so far; it has not met the bots yet."],
  ]) assert.equal(told(payoff), expected);
  const begun = "Learning has begun; the first rated games will show how strong it is.";
  assert.equal(summary({ agents: agents.slice(1), payoff: [] }, 90), begun);
  assert.equal(summary(null, 90), begun);
  assert.equal(summary(null, 0), "");
});

test("the built-in network is an opponent of its own", () => {
  const trained = { name: "greedy:trained", kind: "network" };
  const beaten = met("main@8", "random", 0.8, 0.9);
  const said = "After 1 min 30 s, Version 8 beats random (80.0 % to 90.0 % of the wins).";
  assert.equal(told([beaten, met("main@8", "greedy:trained", 0.2, 0.23)], { agents: [agents[0], agents[1], trained] }),
    said + " It loses to the built-in network (20.0 % to 23.0 % of the wins).");
  assert.equal(told([beaten], { agents: [agents[0], agents[1], trained] }), said, "they have not met");
});

test("agents have names for people", () => {
  assert.equal(called("greedy:main@4"), "Version 4");
  assert.equal(called("greedy:trained"), "the built-in network");
  assert.equal(called("main@4"), "Version 4");
  assert.equal(called("main@4", ["main@4", "greedy:main@4"]), "Version 4 as in training");
  assert.equal(called("hunter@3"), "Version 3 of hunter");
  assert.equal(called("threshold(100)"), "threshold(100)");
});

test("of more than three bots the hardest is named, and all only where all were met", () => {
  const bots = ["a", "b", "c", "d"].map((name) => ({ name, kind: "bot" }));
  const met4 = bots.map(({ name }, i) => met("main@8", name, 0.5 - i / 100, 0.6));
  assert.equal(told(met4, { agents: [agents[0], ...bots] }),
    "After 1 min 30 s, Version 8 beats all 4 bots, d by the least (47.0 % to 60.0 % of the wins).");
  assert.equal(told(met4, { agents: [agents[0], ...bots, { name: "e", kind: "bot" }] }),
    "After 1 min 30 s, Version 8 beats a, b, c and d, d by the least (47.0 % to 60.0 % of the wins) and has not met e.");
});

test("what an opponent that knows the best wins of it is next to the agents that it beats", () => {
  const best = { ...agents[0], exploitability: 0.244 };
  const held = { agent: "main@12", over: "main@8", exploitability: 0.375, exploitability_of_best: 0.244 };
  const beaten = "After 1 min 30 s, Version 8 beats random (0.100 to 0.200 antes per game). An opponent that knows it wins 0.244 a game of it.";
  assert.equal(told([money("random", 0.1, 0.2)], { agents: [best, agents[1]] }), beaten);
  assert.equal(told([money("random", 0.1, 0.2)], { agents: [best, agents[1]], held_back: held }),
    beaten + " Version 12 beats it but could lose 0.375, and so is not the best.");
  for (const [loss, words] of /** @type {[number, string][]} */ ([
    [0, "It cannot be beaten: an opponent that knows it wins nothing on average."],
    [-1e-17, "It cannot be beaten: an opponent that knows it wins nothing on average."],
    [0.0000068, "An opponent that knows it wins 0.00000680 a game of it."],
  ])) assert.ok(told([money("random", 0.1, 0.2)], { agents: [{ ...best, exploitability: loss }, agents[1]] }).endsWith(words));
});

test("curves of learning agents are in the charts of the main one", () => {
  assert.deepEqual(partsOf("entropy"), { agent: "", series: "entropy" });
  assert.deepEqual(partsOf("learner-exploiter/entropy"), { agent: "exploiter", series: "entropy" });
  assert.deepEqual(chartOf("rating/exploiter"), { agent: "exploiter", series: "rating/newest" });
  assert.deepEqual(chartOf("rating/best"), { agent: "", series: "rating/best" });
  assert.deepEqual(chartOf("exploit_share/exploiter"), { agent: "exploiter", series: "exploit_share" });
});
