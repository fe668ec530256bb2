import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
globalThis.addEventListener = globalThis.removeEventListener = () => {};
globalThis.EventSource = class {
  constructor(path) { this.path = path; this.on = {}; EventSource.last = this; }
  addEventListener(name, handler) { this.on[name] = handler; }
  close() { this.closed = true; }
};

const { Link } = await import("./table-link.js");
const settled = () => new Promise((done) => setTimeout(done));

// opened returns a link, what it has shown, and how its requests are answered, by their number.
function opened() {
  const shown = [], states = [], answers = [];
  globalThis.fetch = (path) => new Promise((done, failed) => answers.push({ path, failed,
    show: (show) => done({ ok: true, status: 200, text: async () => JSON.stringify(show) }) }));
  const link = new Link("t", "host", { show: (show) => shown.push(show.eye), state: (state) => states.push(state) });
  return { link, shown, states, answers };
}
const seen = (eye) => ({ eye, table: { revision: 7 } });

test("an answer to an earlier key neither is shown nor hides what the present key sees", async () => {
  const { link, shown, answers } = opened();
  EventSource.last.on.open();
  link.use("host:0"); // its cards are uncovered before the first answer has come
  EventSource.last.on.open();
  answers[0].show(seen(-1));
  await settled();
  assert.deepEqual(shown, []);
  answers[1].show(seen(0));
  await settled();
  assert.deepEqual(shown, [0]);
  link.take(seen(-1), "host"); // the answer to a move, behind the change of keys
  assert.deepEqual(shown, [0]);
  link.close();
});

test("an earlier key's failure does not end the connection of the present one", async () => {
  const { link, states, answers } = opened();
  EventSource.last.on.open();
  EventSource.last.on.error();
  link.use("host:0");
  for (const { failed } of answers) failed(new TypeError("no connection"));
  await settled();
  assert.equal(EventSource.last.closed, undefined);
  assert.deepEqual(states, []);
  link.close();
});
