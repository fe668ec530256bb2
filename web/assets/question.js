// Questions whose answers take time: telling that one is being computed, and calling it off.

import { h } from "./dom.js";
import { sentence } from "./table-link.js";

/**
 * asking is a place for the answers to one kind of question. The newest question holds: it takes the
 * answer to an earlier one away, and calls it off if it is still being computed.
 * @param {HTMLElement} place
 * @param {(working: boolean) => void} [working] told when an answer begins and ends to be computed
 */
export function asking(place, working = () => {}) {
  /** @type {AbortController | null} */
  let current = null;
  place.setAttribute("aria-live", "polite");
  const stop = () => {
    current?.abort();
    current = null;
    working(false);
  };
  return {
    /** The question has changed: what is there is no answer any more. */
    clear() {
      stop();
      place.replaceChildren();
    },
    /**
     * ask computes an answer and draws it. It returns whether there is one.
     * @template T
     * @param {string} doing what is being computed, for people: "Judging the game"
     * @param {(signal: AbortSignal, tell: (doing: string) => void) => Promise<T>} find told what is being computed now
     * @param {(answer: T) => void} draw
     * @param {(problem: unknown) => void} [failed] told next to what is shown
     */
    async ask(doing, find, draw, failed = () => {}) {
      stop();
      const own = new AbortController();
      current = own;
      working(true);
      const cancel = h("button", { type: "button" }, "Cancel");
      cancel.addEventListener("click", () => {
        stop();
        place.replaceChildren(h("p", { class: "empty" }, "Cancelled."));
      });
      const text = h("span", {}, `${doing}…`);
      place.replaceChildren(h("div", { class: "working" }, h("span", { class: "spinner", "aria-hidden": "true" }), text,
        cancel));
      const tell = (/** @type {string} */ now) => { if (current === own) text.textContent = `${now}…`; };
      try {
        const answer = await find(own.signal, tell);
        if (current !== own) return;
        stop();
        place.replaceChildren();
        draw(answer);
      } catch (problem) {
        if (current !== own) return; // called off
        stop();
        place.replaceChildren(h("p", { class: "problem" }, sentence(problem)));
        failed(problem);
      }
    },
  };
}
