// The ways through a recorded game: its ends, steps, decisions and parts, and the keys for them.

/** The key's name for playing the steps one after another, and for pausing. */
export const PLAY = "play";

/** @param {number[]} stops @param {number} step */
const before = (stops, step) => [...stops].reverse().find((s) => s < step) ?? 0;

/** @param {number[]} stops @param {number} step @param {number} steps */
const after = (stops, step, steps) => stops.find((s) => s > step) ?? steps;

/** @param {Replay} replay */
const parts = (replay) => replay.parts.map((p) => p.step);

/**
 * The step to which each move goes, in a game of that many steps, from one of them.
 * @type {Record<string, (steps: number, step: number, replay: Replay) => number>}
 */
export const MOVES = {
  first: () => 0,
  last: (steps) => steps,
  back: (_, step) => step - 1,
  forward: (_, step) => step + 1,
  "choice-back": (_, step, replay) => before(replay.choices, step),
  "choice-forward": (steps, step, replay) => after(replay.choices, step, steps),
  "part-back": (_, step, replay) => before(parts(replay), step),
  "part-forward": (steps, step, replay) => after(parts(replay), step, steps),
};

/** @type {Record<string, string>} */
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", PageUp: "choice-back",
  PageDown: "choice-forward" };

/**
 * moveOf returns the move that a key stands for, or PLAY; "" where it is for what has the focus.
 * @param {KeyboardEvent} event
 */
export function moveOf(event) {
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  if (event.altKey || event.ctrlKey || event.metaKey || target.closest(
    "input, textarea, select, .fan, .controls")) return "";
  if (event.key === " ") return target.closest("button, a, summary") ? "" : PLAY;
  return KEYS[event.key] ?? "";
}
