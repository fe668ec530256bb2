// What a game is worth to its seats at a step: a bar and a number for each, and the sentence that says whose values
// these are. Nothing of it is searched for: a solution has the values, or a network tells them at each of its choices.

import { h } from "./dom.js";
import { amounts, capital } from "./format.js";
import { called } from "./names.js";

const WINS = "win probability";
const ALL_OPEN = -2;

/**
 * @typedef {object} Row
 * @property {string} name of the seat
 * @property {number | null} value null: not known yet
 * @property {string} text
 * @property {number} from where its bar begins and ends, in percent of the width
 * @property {number} to
 */

/** largestOf is the largest amount among values, in either direction. @param {Outlook} outlook */
export const largestOf = ({ values }) => Math.max(0, ...values.flat().map((v) => Math.abs(v ?? 0)));

/**
 * rowsOf are the bars of a step. Shares of the win begin on the left; amounts begin in the middle, and the largest one
 * of the game reaches the edge.
 * @param {Outlook} outlook
 * @param {(number | null)[]} values by seat
 * @param {string[]} names by seat
 * @param {number} largest
 * @returns {Row[]}
 */
export function rowsOf(outlook, values, names, largest) {
  const write = amounts(outlook, 2);
  return values.map((value, seat) => {
    const name = names[seat];
    if (value === null) return { name, value, text: "not yet known", from: 0, to: 0 };
    if (outlook.unit === WINS) return { name, value, text: write(value), from: 0, to: 100 * value };
    const at = 50 + (largest > 0 ? (50 * value) / largest : 0);
    return { name, value, text: `${value > 0 ? "+" : ""}${write(value)}`, from: Math.min(50, at),
      to: Math.max(50, at) };
  });
}

/**
 * saidOf says whose values these are.
 * @param {Outlook} outlook
 * @param {boolean} over the game is over
 */
export function saidOf({ agent, solution, exact, hidden, values }, over) {
  if (over) return "How the game ended.";
  const seen = hidden ? ", by the cards that it sees" : "";
  const since = hidden || values[0]?.length > 2 ? " as of its newest choice" : "";
  if (!solution) return `${capital(called(agent))} expects this for each seat at its newest choice${seen}, without looking ahead.`;
  return `${exact ? "Exact" : `Estimated by ${agent}`}: what each seat can expect from best play${since}${seen}.`;
}

/**
 * seenBy are the values that an eye may be shown where cards are hidden: those of its own seat.
 * @param {Outlook} outlook
 * @param {(number | null)[]} values
 * @param {number} eye
 * @param {boolean} over
 */
export const seenBy = ({ hidden }, values, eye, over) =>
  (!hidden || over || eye === ALL_OPEN ? values : values.map((v, seat) => (seat === eye ? v : null)));

/**
 * barsIn shows values in a place, which is hidden while there are none.
 * @param {HTMLElement} host
 */
export function barsIn(host) {
  const list = h("ul", { class: "outlook", "aria-label": "What the game is worth" });
  const note = h("p", { class: "note" });
  host.replaceChildren(list, note);
  host.hidden = true;
  return {
    clear() {
      host.hidden = true;
    },
    /**
     * @param {Outlook} outlook
     * @param {(number | null)[] | undefined} values by seat
     * @param {{ names: string[], eye: number, over: boolean, largest: number }} of
     */
    show(outlook, values, { names, eye, over, largest }) {
      const seen = values && seenBy(outlook, values, eye, over);
      host.hidden = !outlook.agent || !seen || seen.every((v) => v === null);
      if (host.hidden || !seen) return;
      list.classList.toggle("amounts", outlook.unit !== WINS);
      list.replaceChildren(...rowsOf(outlook, seen, names, largest).map(({ name, text, from, to }) => {
        const bar = h("i");
        bar.style.left = `${from}%`;
        bar.style.width = `${to - from}%`;
        return h("li", {}, h("span", {}, name), h("span", { class: "worth", "aria-hidden": "true" }, bar),
          h("b", {}, text));
      }));
      const text = saidOf(outlook, over);
      if (note.textContent !== text) note.textContent = text;
    },
  };
}
