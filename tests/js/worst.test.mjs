import assert from "node:assert/strict";
import { test } from "node:test";
import { awaits, judges, momentsOf, progress, told } from "./worst.js";

const plain = (text) => text.replaceAll(/[\u202f\u00a0]/g, " ");
const game = (id, unit, mistakes, names = ["main@4", "greedy"]) => ({ id, agents: names.map((name) => ({ name })),
  review: mistakes && { judge: "solver:optimal", why: "exact solution", unit, exact: true, mistakes } });
const mistake = (seat, loss, step = 5) => ({ seat, loss, step, taken: "160", best: "190" });

test("moments are the certain mistakes, the dearest first, and are chosen by whose they are and against whom", () => {
  const games = [game("a1.1", "points", [mistake(0, 30), mistake(1, 50)]),
    game("a1.2", "points", [mistake(1, 40)], ["random", "main@4"]), game("a1.3", "points", []), game("a1.4")];
  const list = (filter) => momentsOf(games, "main@4", filter).map((m) => `${m.game.id} ${m.whose} ${m.cost}`);
  assert.deepEqual(list(), ["a1.1 greedy −50 points", "a1.2 main@4 −40 points", "a1.1 main@4 −30 points"]);
  assert.deepEqual(list({ whose: "best" }), ["a1.2 main@4 −40 points", "a1.1 main@4 −30 points"]);
  assert.deepEqual(list({ whose: "others" }), ["a1.1 greedy −50 points"]);
  assert.deepEqual(list({ against: "random" }), ["a1.2 main@4 −40 points"]);
  assert.equal(told(momentsOf(games, "main@4")[0]), "played 160, 190 was better");
  assert.equal(plain(momentsOf([game("a1.1", "win probability", [mistake(0, 0.214)])], "main@4")[0].cost),
    "−21.4 % win probability");
});

test("the note says how far judging is, and why it does not continue", () => {
  const judging = { best: "main@4", most: 100, working: false, trains: false, problem: "" };
  const two = [game("a1.1", "points", []), game("a1.2", "points", [mistake(0, 1)]), game("a1.3")];
  const said = (change = {}, listing = {}) => progress({ judging: { ...judging, ...change }, total: 300, games: two,
    limit_bytes: 1, ...listing }, "greedy:main@4");
  assert.equal(said(), "2 of 100 lost games of Version 4 are judged; the others will be soon.");
  assert.equal(said({ working: true }), "2 of 100 lost games of Version 4 are judged, and the others are being judged.");
  assert.equal(said({ working: true, trains: true }),
    "2 of 100 lost games of Version 4 are judged; the others will be judged while a processor core is idle.");
  assert.equal(said({}, { total: 2 }), "2 of 2 lost games of Version 4 are judged.");
  assert.match(said({ problem: "no judge" }), /2 of 100 .* failed, and is tried again: no judge\.$/);
  assert.match(said({ most: 0 }), /archive\.judged_games is 0/);
  assert.match(said({}, { judging: null }), /games are judged only on request here/);
  assert.equal(said({}, { total: 0, games: [] }), "Version 4 has lost no game that was kept.");
  assert.match(said({}, { limit_bytes: 0 }), /archive\.max_bytes is 0/);
  const open = { judging, total: 300, games: two };
  for (const [expected, change] of [[true, {}], [false, { trains: true }], [false, { most: 2 }],
    [false, { problem: "no judge" }]]) {
    assert.equal(awaits({ ...open, judging: { ...judging, ...change } }), expected);
  }
  assert.equal(awaits({ ...open, judging: null }), false);
  assert.equal(judges(two), "Judged by solver:optimal: exact solution.");
});
