import assert from "node:assert/strict";
import { test } from "node:test";
import { amounts, bytes, capital, count, decimal, difference, duration, label, number, percent, rating, ticks } from "./format.js";

/** @param {string} text with a plain space for the narrow one and a hyphen for the minus */
const told = (text) => text.replaceAll("-", "\u2212").replaceAll(" ", "\u202f");

test("numbers are written without exponents, without a minus before nothing, and with one kind of minus", () => {
  for (const [value, expected] of [
    [-1.63e-11, "0"], [-0, "0"], [0, "0"], [0.00000213, "0.00000213"], [-0.0119, "-0.0119"], [0.254, "0.254"], [336, "336"],
    [999.7, "1000"], [1234.5, "1235"], [9999.9, "10.0k"], [983040, "983k"], [999999, "1.00M"], [1.5e15, "1500T"], [-12345, "-12.3k"],
  ]) assert.equal(number(value), told(expected), String(value));
  assert.equal(decimal(-0.0001, 3), "0.000");
  assert.equal(decimal(-0.001, 3), told("-0.001"));
  assert.equal(count(9999.4), "9999");
  assert.equal(count(25000), "25.0k");
});

test("marks of an axis have one scale and one number of decimals", () => {
  assert.deepEqual([0, 0.2, -1].map(ticks(0.2, 1)), ["0", "0.2", told("-1.0")]);
  assert.deepEqual([5000, 20000].map(ticks(5000, 20000)), ["5k", "20k"]);
});

test("ratings and differences are written as the terminal does", () => {
  assert.equal(rating({ decimals: 3 })(-0.0004), "0.000");
  assert.equal(rating()(41.6), "42");
  assert.equal(difference({ value: 31, low: -4, high: 66 }, { decimals: 0 }), "+31 ± 35");
  assert.equal(difference({ value: 0.0001, low: -1, high: 1 }, { decimals: 3 }), "0.000 ± 1.000");
});

test("sizes, shares, times and amounts have their unit", () => {
  assert.equal(bytes(3.2e6), told("3.2 MB"));
  assert.equal(bytes(512e9), told("512 GB"));
  assert.equal(bytes(100), told("0.1 kB"));
  assert.equal(percent(-0.5), told("-50.0 %"));
  assert.equal(duration(0.2), told("0 s"));
  assert.equal(duration(59.6), told("1 min"));
  assert.equal(duration(7500), told("2 h") + " " + told("5 min"));
  assert.equal(duration(86400 + 59), told("1 d"));
  assert.equal(amounts({ unit: "win probability" }, 3)(0.254), told("25.4 %"));
  assert.equal(amounts({ unit: "ct" }, 3)(-50), told("-50.0 ct"));
  assert.equal(amounts({ unit: "antes" }, 2)(1), "1.00 antes");
});

test("names become words", () => {
  assert.equal(label("games_per_second"), "games/s");
  assert.equal(label("in_flight"), "in flight");
  assert.equal(capital("roll"), "Roll");
});
