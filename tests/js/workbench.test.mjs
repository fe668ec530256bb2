import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, chartsOf, curvesOf, groupsOf, meanOf, placeOf, scaleOf, titlesOf } from "./workbench.js";

test("the address holds what the page shows, and what is no place is the usual one", () => {
  const place = { runs: ["a", "b c"], hidden: ["a"], axis: "samples", smoothing: 0.1, zoom: [1.5, 20], by: "learner.gamma" };
  assert.deepEqual(placeOf(addressOf(place)), place);
  const usual = { runs: ["a"], hidden: [], axis: "seconds", smoothing: 0.05, zoom: null, by: "" };
  assert.equal(addressOf(usual), "?run=a");
  assert.deepEqual(placeOf("?run=a&axis=miles&smoothing=9&zoom=5_2"), usual);
});

test("charts of all runs, those first whose numbers can be compared; ratings are apart", () => {
  const point = [[0, 0, 1]];
  const curves = [new Map([["entropy", point], ["rating/newest", point], ["win_share/random", point],
    ["probe/win_share/random", point]]), new Map([["learner-hunter/entropy", point], ["exploit_share/hunter", point]])];
  assert.deepEqual(chartsOf(curves),
    { compared: ["win_share/random", "entropy"], apart: ["exploit_share", "rating/newest"] });
  assert.deepEqual(curvesOf("entropy", ["a", "b"], curves).map(({ run, agent }) => [run, agent]),
    [["a", ""], ["b", "hunter"]]);
});

test("runs are called by their names, with the ID where a name does not tell them apart", () => {
  const runs = [{ id: "a" }, { id: "b", name: "lower rate" }, { id: "c", name: "lower rate" }, { id: "d", name: "a" },
    { id: "e", name: "e" }, { id: "f", name: "long" }];
  assert.deepEqual([...titlesOf(runs).values()], ["a", "lower rate (b)", "lower rate (c)", "a (d)", "e", "long"]);
});

test("charts have the unit of the ladder, of a figure or of the learner, and none where runs differ", () => {
  const money = { agents: [{}], scale: { kind: "money", unit: "units per game", unit_meaning: "A unit is 100 ct", decimals: 3 },
    figures: [{ name: "busts", unit: "share", per: "game" }] };
  const antes = { agents: [{}], scale: { kind: "money", unit: "antes per game", decimals: 3 } };
  const young = { agents: [], scale: { unit: "" } };
  const declared = [{ name: "lag", unit: "versions" }];
  const unit = (series, ...ladders) => scaleOf(series, declared, ladders).unit;
  for (const series of ["rating/best", "mean_return/random", "exploitability"]) {
    assert.equal(unit(series, money, young), "units per game");
    assert.equal(unit(series, antes), "antes per game");
    assert.equal(unit(series, antes, money), "");
    assert.equal(unit(series, young), "");
  }
  const won = { agents: [{}], scale: { kind: "elo", unit: "Elo", decimals: 0 } };
  assert.equal(unit("rating/best", won), "Elo");
  assert.deepEqual(scaleOf("exploitability", declared, [won]), { unit: "return per game" }, "no Elo, and not without decimals");
  assert.equal(unit("exploitability", won, antes), "");
  assert.equal(scaleOf("rating/best", declared, [money]).format?.(0.25), "0.250");
  assert.equal(unit("win_share/random", young), "share of the win");
  assert.equal(unit("figure/busts", young, money), "share per game");
  assert.equal(unit("lag", young), "versions");
  assert.equal(unit("other", money), "");
});

test("runs of a group have the same settings, whatever their seeds", () => {
  const settings = [{ key: "seed", values: ["1", "2", "3"] }, { key: "gamma", values: ["1", "1", ""] }];
  assert.deepEqual(groupsOf(settings, 3, "*"), ["gamma 1", "gamma 1", "gamma –"]);
  assert.deepEqual(groupsOf(settings, 3, "gamma"), ["gamma 1", "gamma 1", "gamma –"]);
  assert.deepEqual(groupsOf(settings.slice(0, 1), 2, "*"), ["all runs", "all runs"]);
});

test("a mean covers what all runs have, with Student's interval", () => {
  const one = [[0, 0, 0], [10, 100, 10]];
  const other = [[2, 0, 4], [6, 50, 4], [20, 100, 4]];
  assert.equal(meanOf([one], 0), one);
  const mean = meanOf([one, other], 0);
  const [first, last] = [mean[0], mean[mean.length - 1]];
  assert.deepEqual(first.slice(0, 3), [2, 10, 3]);
  assert.equal(last[0], 10);
  assert.ok(Math.abs(last[2] - 7) < 1e-9);
  const half = 12.706 * Math.sqrt(18) / Math.sqrt(2); // of 10 and 4
  assert.ok(Math.abs(last[4] - last[2] - half) < 1e-9 && Math.abs(last[2] - last[3] - half) < 1e-9);
  assert.equal(meanOf([one, other], 1).at(-1)[1], 100);
  assert.deepEqual(meanOf([[[0, 0, 1], [1, 1, 1]], [[2, 2, 1], [3, 3, 1]]], 0), []);
});
