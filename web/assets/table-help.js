// Help at a table: the hint (what is best here, and what the rest costs) and what the agents think.

import { byId, h, s } from "./dom.js";
import { decimal } from "./format.js";
import { sentence } from "./table-link.js";
import { marksOn } from "./table-marks.js";

const TOLD = 6; // actions named in words

/**
 * tenths says a probability for people.
 * @param {number} p
 */
export function tenths(p) {
  if (p >= 0.995) return "certain";
  if (p < 0.005) return "never";
  if (p < 0.05) return "less than 1 in 20";
  if (p > 0.95) return "more than 19 in 20";
  return `about ${Math.max(1, Math.min(9, Math.round(10 * p)))} in 10`;
}

const CHANCES = "win probability"; // the unit of games that are won or lost

/**
 * lossIn writes a loss in a unit for people: chances to win in percent.
 * @param {number} loss
 * @param {string} unit
 * @param {(loss: number) => string} write writes it in other units
 */
export function lossIn(loss, unit, write) {
  const text = unit === CHANCES ? decimal(100 * Math.max(0, loss), 1) : write(Math.max(0, loss));
  if (!/[1-9]/.test(text)) return "as good";
  return unit === CHANCES ? `−${text} %` : `−${text}`;
}

/**
 * cost writes what an action loses against the best.
 * @param {Answer} answer
 * @param {Action} action
 */
const cost = (answer, action) => lossIn(action.loss, answer.unit, (loss) => decimal(loss, answer.decimals));

/** @param {string} unit */
export const unitWords = (unit) => (unit === CHANCES ? "chances to win" : unit);

/** @param {number} value @param {string} unit */
function expectation(value, unit) {
  if (unit !== CHANCES) return h("p", {}, "It expects ", h("b", {}, decimal(value, 2)), ` ${unit}.`);
  return h("p", { title: `${decimal(100 * value, 1)} %` }, "Its chance to win: ", h("b", {}, tenths(value)), ".");
}

/** @param {import("./table.js").TablePage} page */
export function helpIn(page) {
  const place = /** @type {HTMLElement} */ (byId("board").parentElement);
  const marks = marksOn(place);
  const words = byId("hint");
  const thoughts = byId("thoughts", HTMLDetailsElement);
  const bars = /** @type {HTMLElement} */ (thoughts.querySelector("div"));
  let abort = new AbortController();
  const toggled = () => { if (page.shown) think(page.shown); };
  thoughts.addEventListener("toggle", toggled);

  async function hint() {
    const show = page.shown;
    if (!show || show.mover !== show.eye || show.over) return;
    words.replaceChildren(h("p", { class: "note" }, "Working it out…"));
    const { signal } = abort;
    try {
      /** @type {Answer} */
      const answer = await page.link.post("/hint", {}, { signal });
      if (signal.aborted) return;
      tell(answer);
    } catch (problem) {
      if (!signal.aborted) words.replaceChildren(h("p", {}, sentence(problem)));
    }
  }

  /** @param {Answer} answer */
  function tell(answer) {
    const sorted = [...answer.actions].sort((a, b) => a.loss - b.loss);
    const best = answer.actions.find((a) => a.action === answer.best) ?? sorted[0];
    marks.show(sorted.map((a) => ({ action: a.action, best: a === best, text: a === best ? "best" : cost(answer, a) })),
      (action) => page.board?.element(action) ?? null);
    const others = sorted.filter((a) => a !== best).slice(0, TOLD);
    words.replaceChildren(
      h("p", {}, "Best: ", h("b", {}, best.name), answer.reason ? `. ${answer.reason}` : ""),
      others.length > 0 && h("ul", { class: "costs" }, others.map(
        (a) => h("li", {}, a.name, " ", h("b", {}, cost(answer, a))))) || "",
      h("p", { class: "note" }, `In ${unitWords(answer.unit)}, ${answer.exact ? "exactly" : "estimated"}, by ${answer.agent}.`));
  }

  /** @param {Show} show */
  async function think(show) {
    if (!thoughts.open || thoughts.hidden || show.mover < 0 || show.over) return;
    const { signal } = abort;
    try {
      /** @type {Thoughts} */
      const thought = await page.link.post("/thoughts", {}, { signal });
      if (!signal.aborted) drawThoughts(thought);
    } catch (problem) {
      if (!signal.aborted) bars.replaceChildren(h("p", {}, sentence(problem)));
    }
  }

  /** @param {Thoughts} thought */
  function drawThoughts(thought) {
    const sorted = [...thought.actions].sort((a, b) => b.probability - a.probability).slice(0, 2 * TOLD);
    bars.replaceChildren(
      h("p", { class: "note" }, `${thought.agent} in your place ${thought.plays}:`),
      h("ul", { class: "probabilities" }, sorted.map((a) => h("li", { title: `${(100 * a.probability).toFixed(1)} %` },
        h("span", {}, a.name),
        s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
          s("rect", { class: "at", width: 100 * a.probability, height: 8 })),
        h("small", {}, tenths(a.probability))))),
      expectation(thought.value, thought.unit));
  }

  return {
    hint,
    // forget drops what was said of the position before.
    forget() {
      abort.abort();
      abort = new AbortController();
      marks.clear();
      words.replaceChildren();
    },
    /** @param {Show} show */
    show(show) {
      if (show.mover === show.eye) think(show);
    },
    destroy() {
      abort.abort();
      marks.destroy();
      bars.replaceChildren();
      thoughts.removeEventListener("toggle", toggled);
    },
  };
}
