import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { paced } from "../../web/assets/paced.js";

// The clock of the timers is the clock of the drawings.
function machine(slowness) {
  mock.timers.enable({ apis: ["setTimeout"] });
  const m = { time: 0, drawn: [], newest: 0 };
  m.pass = (ms) => {
    m.time += ms;
    mock.timers.tick(ms);
  };
  m.paced = paced(() => {
    m.drawn.push(m.newest);
    m.time += slowness;
  }, () => m.time);
  m.take = (value) => {
    m.newest = value;
    m.paced.ask();
  };
  return m;
}

test("what comes slowly is drawn at once", (t) => {
  t.after(() => mock.timers.reset());
  const m = machine(10);
  for (let i = 1; i <= 5; i++) {
    m.take(i);
    assert.equal(m.drawn.at(-1), i);
    m.pass(100);
  }
});

test("what comes faster than it is drawn leaves half of the time, and the newest is drawn in the end", (t) => {
  t.after(() => mock.timers.reset());
  const m = machine(300);
  let asked = 0;
  while (m.time < 6000) {
    m.take(++asked);
    m.pass(100);
  }
  assert.ok(m.drawn.length * 300 <= m.time / 2 + 300, `${m.drawn.length} drawings of 300 ms in ${m.time} ms`);
  m.pass(300);
  assert.equal(m.drawn.at(-1), asked);
  assert.ok(m.drawn.length < asked);
});

test("nothing is drawn after the end", (t) => {
  t.after(() => mock.timers.reset());
  const m = machine(300);
  m.take(1);
  m.take(2);
  m.paced.stop();
  m.pass(1000);
  assert.deepEqual(m.drawn, [1]);
});
