import assert from "node:assert/strict";
import { test } from "node:test";
import { extent, linear, logarithmic, marks, niceStep, powers, timeStep } from "./scale.js";

test("steps are 1, 2 or 5 times a power of ten, and round times", () => {
  assert.equal(niceStep(1, 4), 0.5);
  assert.equal(niceStep(0.9, 10), 0.1);
  assert.equal(niceStep(100, 3), 50);
  assert.equal(timeStep(50, 5), 10);
  assert.equal(timeStep(3600, 6), 600);
  assert.equal(timeStep(10 * 86400, 5), 2 * 86400);
});

test("both ends of an axis have a mark", () => {
  for (const [low, high] of [[0.1, 0.9], [-3, 17], [41, 42], [1e-6, 2e-6], [-1e9, -1]]) {
    const e = extent(low, high);
    assert.ok(e.low <= low && high <= e.high, `${low} to ${high}`);
    const all = marks(e.low, e.high, e.step);
    assert.ok(Math.abs(all[0] - e.low) < 1e-9 * e.step + 1e-12 * Math.abs(e.low));
    assert.ok(Math.abs(all.at(-1) - e.high) < 1e-6 * e.step);
  }
  assert.equal(extent(1, 10).low, 0, "zero is near");
  assert.equal(extent(8, 10).low, 8, "zero is far");
  assert.equal(extent(8, 10, { zero: true }).low, 0);
  assert.ok(extent(5, 5).high > extent(5, 5).low, "one value has room");
  assert.ok(extent(0, 0).high > 0);
});

test("values are mapped to places", () => {
  assert.equal(linear(0, 10, 100, 200)(5), 150);
  assert.equal(linear(3, 3, 7, 9)(3), 7, "one value");
  assert.ok(Math.abs(logarithmic(1, 100, 0, 2)(10) - 1) < 1e-12);
  assert.ok(Number.isFinite(logarithmic(1, 100, 0, 2)(0)), "nothing is far below");
});

test("a logarithmic axis has powers of ten, and 2 and 5 of them where there are few", () => {
  assert.deepEqual(powers(0.25, 0.9), [0.2, 0.5, 1]);
  assert.deepEqual(powers(1, 1e5), [1, 10, 100, 1000, 10000, 100000]);
});
