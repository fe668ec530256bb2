import assert from "node:assert/strict";
import { test } from "node:test";
import { reach } from "./draw.js";

/** @param {number} value @param {number} half */
const point = (value, half, i = 0) => /** @type {any} */ ([i, i, value, value - half, value + half]);

test("one wide interval does not set the axis", () => {
  const curve = [point(-300, 3000), point(0, 120), point(80, 100), point(120, 90), point(150, 60)];
  const [low, high] = reach([curve]);
  assert.ok(low >= -500 && low <= -300, `${low}`);
  assert.ok(high >= 210 && high <= 350, `${high}`);
});

test("bands of the usual width are shown in full", () => {
  assert.deepEqual(reach([[point(0.5, 0.2), point(0.6, 0.2)], [point(0.1, 0.1)]]), [0, 0.8]);
  assert.deepEqual(reach([[point(5, 4)]]), [1, 9], "the only one is the usual one");
  assert.deepEqual(reach([/** @type {any} */ ([[0, 0, 7], [1, 1, 3]])]), [3, 7], "no intervals");
  assert.deepEqual(reach([]), [0, 1], "nothing");
});
