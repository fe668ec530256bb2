// Marks on a board: outlines of the elements that stand for actions, each with a few letters under
// it. They lie above the board and are not part of it.

import { h } from "./dom.js";

/** @typedef {{ action: number, text: string, best: boolean }} Mark */

/**
 * marksOn makes the layer of marks of a board.
 * @param {HTMLElement} host what holds the board
 */
export function marksOn(host) {
  const layer = h("div", { class: "marks", "aria-hidden": "true" });
  host.append(layer);
  /** @type {Mark[]} */
  let marks = [];
  /** @type {(action: number) => Element | null} */
  let find = () => null;

  function draw() {
    const own = layer.getBoundingClientRect();
    layer.replaceChildren(...marks.flatMap(({ action, text, best }) => {
      const box = find(action)?.getBoundingClientRect();
      if (!box || box.width === 0) return [];
      const mark = h("div", { class: best ? "mark-best" : "mark-other" }, h("span", {}, text));
      Object.assign(mark.style, {
        left: `${box.x - own.x}px`, top: `${box.y - own.y}px`, width: `${box.width}px`, height: `${box.height}px`,
      });
      return [mark];
    }));
  }
  const observer = new ResizeObserver(draw);
  observer.observe(host);
  // Also where the page scrolls: buttons of boards may stay at the edge of the window meanwhile.
  addEventListener("scroll", draw, { capture: true, passive: true });

  return {
    /** @param {Mark[]} list @param {(action: number) => Element | null} element */
    show(list, element) {
      [marks, find] = [list, element];
      draw();
    },
    clear() {
      marks = [];
      layer.replaceChildren();
    },
    destroy() {
      observer.disconnect();
      removeEventListener("scroll", draw, { capture: true });
      layer.remove();
    },
  };
}
