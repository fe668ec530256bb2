import assert from "node:assert/strict";
import { before, test } from "node:test";
import { MOVES, moveOf, PLAY } from "./replay-moves.js";

const replay = { choices: [2, 4, 7], parts: [{ step: 0 }, { step: 5 }] };
const go = (move, step) => MOVES[move](9, step, replay);

test("a move goes to the step that it names", () => {
  assert.equal(go("first", 4), 0);
  assert.equal(go("last", 4), 9);
  assert.equal(go("forward", 4), 5);
  assert.equal(go("back", 4), 3);
  assert.equal(go("choice-forward", 4), 7);
  assert.equal(go("choice-forward", 7), 9, "after the last decision comes the end");
  assert.equal(go("choice-back", 4), 2);
  assert.equal(go("choice-back", 2), 0, "before the first decision comes the beginning");
  assert.equal(go("part-forward", 0), 5);
  assert.equal(go("part-forward", 5), 9);
  assert.equal(go("part-back", 7), 5);
});

/** An element, as far as a key asks for it: inside what the selector finds. */
class HTMLElement {
  constructor(inside) { this.inside = inside; }
  closest(selector) { return this.inside && selector.includes(this.inside) ? this : null; }
}

before(() => Object.assign(globalThis, { HTMLElement, document: { body: new HTMLElement("") } }));

test("keys move where the focus has no use for them", () => {
  const key = (key, inside = "", more = {}) => moveOf({ key, target: new HTMLElement(inside), ...more });
  assert.equal(key("ArrowRight"), "forward");
  assert.equal(key("PageUp"), "choice-back");
  assert.equal(key(" "), PLAY);
  assert.equal(key(" ", "button"), "", "a button is pressed");
  assert.equal(key("ArrowRight", "textarea"), "");
  assert.equal(key("Home", ".fan"), "", "a hand of cards has keys of its own");
  assert.equal(key("End", "", { ctrlKey: true }), "");
  assert.equal(key("x"), "");
  assert.equal(moveOf({ key: "End", target: null }), "last");
});
