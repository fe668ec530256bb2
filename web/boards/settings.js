// How a person likes the boards: motion, sounds, four colours of suits, the pace of agents.
// Remembered by the browser, the same on every page with a board.

import { h } from "./dom.js";
import { play } from "./sound.js";
import { keep, recall } from "./storage.js";

/** @typedef {"none" | "short" | "slow"} Pace how long agents seem to think */
/** @typedef {{ motion: boolean, sounds: boolean, fourColours: boolean, pace: Pace }} Liked */

const KEY = "croupier.boards";
const less = matchMedia("(prefers-reduced-motion: reduce)");

/** @type {Liked} */
const liked = { motion: true, sounds: false, fourColours: false, pace: "short", ...recall(KEY) };

/** The pace that the person likes. */
export const pace = () => liked.pace;

/**
 * What every board on this page is given; it always says what is liked now.
 * @type {Settings}
 */
export const settings = {
  get motion() { return liked.motion && !less.matches; },
  get fourColours() { return liked.fourColours; },
  sound(name) { if (liked.sounds) play(name); },
};

/**
 * @param {"motion" | "sounds" | "fourColours"} name
 * @param {string} label
 * @param {() => void} changed
 */
function box(name, label, changed) {
  const input = h("input", { type: "checkbox", checked: liked[name] });
  input.addEventListener("change", () => {
    liked[name] = input.checked;
    save(changed);
  });
  return h("label", {}, input, " ", label);
}

/** @type {[Pace, string][]} */
const PACES = [["none", "at once"], ["short", "after a moment"], ["slow", "slowly"]];

/** @param {() => void} changed */
function paces(changed) {
  const select = h("select", {}, PACES.map(([value, text]) =>
    h("option", { value, selected: liked.pace === value }, text)));
  select.addEventListener("change", () => {
    liked.pace = /** @type {Pace} */ (select.value);
    save(changed);
  });
  return h("label", {}, "Others play ", select);
}

/** @param {() => void} changed */
function save(changed) {
  keep(KEY, liked);
  changed();
}

/**
 * drawer makes the list of settings, folded. changed is called after each change: the page shows
 * its board again.
 * @param {() => void} changed
 */
export function drawer(changed) {
  const motion = box("motion", "Motion", changed);
  const sounds = box("sounds", "Sounds", () => {
    settings.sound("trick");
    changed();
  });
  return h("details", { class: "settings" }, h("summary", {}, "Settings"),
    h("p", { class: "fields" }, motion, sounds, box("fourColours", "Suits in four colours", changed), paces(changed)),
    less.matches && h("p", { class: "note" }, "Your system asks for less motion, so nothing moves."));
}
