import assert from "node:assert/strict";
import { test } from "node:test";
import { largestOf, rowsOf, saidOf, seenBy } from "./outlook.js";

const plain = (text) => text.replaceAll(/[\u202f\u00a0]/g, " ");
const wins = { agent: "greedy:main@4", solution: false, exact: false, hidden: false, unit: "win probability", from: 0,
  values: [] };
const money = { ...wins, agent: "solver:equilibrium", solution: true, exact: true, hidden: true, unit: "antes",
  values: [[null, null], [0.5, null], [0.5, -2]] };

test("shares of the win begin on the left", () => {
  const rows = rowsOf(wins, [0.25, null], ["Anna", "Ben"], 1);
  assert.deepEqual(rows.map((r) => [r.name, plain(r.text), r.from, r.to]),
    [["Anna", "25.0 %", 0, 25], ["Ben", "not yet known", 0, 0]]);
});

test("amounts begin in the middle, and the largest of the game reaches the edge", () => {
  assert.equal(largestOf(money), 2);
  const rows = rowsOf(money, money.values[2], ["Anna", "Ben"], largestOf(money));
  assert.deepEqual(rows.map((r) => [plain(r.text), r.from, r.to]), [["+0.50 antes", 50, 62.5], ["−2.00 antes", 0, 50]]);
  assert.deepEqual(rowsOf(money, [0, 0], ["Anna", "Ben"], 0).map((r) => [r.from, r.to]), [[50, 50], [50, 50]]);
});

test("the sentence says whose values these are, and that hidden cards count as far as a seat sees them", () => {
  assert.equal(saidOf(wins, false),
    "Version 4 expects this for each seat at its newest choice, without looking ahead.");
  assert.match(saidOf({ ...wins, agent: "trained" }, false), /^The built-in network expects/);
  assert.equal(saidOf(money, false), "Exact: what each seat can expect from best play as of its newest choice, by the cards that it sees.");
  assert.equal(saidOf({ ...money, hidden: false }, false), "Exact: what each seat can expect from best play.",
    "of two seats that see everything each one's value is always known");
  assert.match(saidOf({ ...money, hidden: false, values: [[0, 0, 0]] }, false), /as of its newest choice\.$/);
  assert.match(saidOf({ ...money, exact: false }, false), /^Estimated by solver:equilibrium: /);
  assert.equal(saidOf(money, true), "How the game ended.");
});

test("where cards are hidden an eye is shown the value of its own seat", () => {
  const values = [0.5, -2];
  assert.deepEqual(seenBy(money, values, 1, false), [null, -2]);
  assert.deepEqual(seenBy(money, values, -1, false), [null, null], "a spectator sees no cards");
  assert.deepEqual(seenBy(money, values, -2, false), values, "all cards are open");
  assert.deepEqual(seenBy(money, values, 0, true), values, "results are for all");
  assert.deepEqual(seenBy(wins, [0.5, 0.5], -1, false), [0.5, 0.5], "nothing is hidden");
});
