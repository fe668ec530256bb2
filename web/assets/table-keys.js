// Keys of a table, in addition to those of its board.

import { byId, h } from "./dom.js";

/** @type {[string, string][]} */
const KEYS = [
  ["?", "these keys"], ["Tab, arrows, Enter", "choose on the board"], ["H", "hint"], ["T", "what it thinks"],
  ["U", "undo"],
  ["N", "new game"], ["X", "same deal, seats exchanged"], ["L", "what happened"],
  ["P", "pause or continue (watching)"], ["S", "one step (watching)"], ["E", "skip to the end (watching)"], ["+ −", "faster, slower (watching)"],
];

/** @param {string} id */
function toggle(id) {
  const details = byId(id, HTMLDetailsElement);
  if (!details.hidden) details.open = !details.open;
  if (details.open) details.scrollIntoView({ block: "nearest" });
}

/** @param {string} id */
function press(id) {
  const button = /** @type {HTMLButtonElement | null} */ (document.getElementById(id));
  if (button && !button.hidden && !button.disabled) button.click();
}

/**
 * keysOf listens until the page of the table is closed.
 * @param {import("./table.js").TablePage} page
 */
export function keysOf(page) {
  const list = byId("keys").querySelector("dl");
  list?.replaceChildren(...KEYS.flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)]));
  /** @type {Record<string, () => void>} */
  const acts = {
    "?": () => toggle("keys"), h: () => press("hint-button"), t: () => toggle("thoughts"),
    u: () => press("undo-button"),
    n: () => press("again-button"), x: () => press("exchange-button"), l: () => toggle("log"),
    p: () => press("pause-button"), s: () => press("step-button"), e: () => press("end-button"), "+": () => page.watching.change(1),
    "-": () => page.watching.change(-1),
  };
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }, { signal: page.abort.signal });
}
