// The clock of the seat to move: a ring that empties, the seconds, and what is played when they
// are over.

import { h, s } from "./dom.js";

const WARN = 10; // seconds left at which it is said aloud

/**
 * clockIn makes the clock.
 * @param {HTMLElement} host
 */
export function clockIn(host) {
  const ring = s("circle", { class: "left", cx: 22, cy: 22, r: 18, pathLength: 100 });
  const seconds = s("text", { x: 22, y: 22 });
  const words = h("span", {});
  const aloud = h("span", { class: "unseen", role: "status" });
  host.replaceChildren(s("svg", { viewBox: "0 0 44 44", "aria-hidden": "true" }, s("circle", { cx: 22, cy: 22, r: 18 }),
    ring, seconds), words, aloud);
  let timer = 0;

  return {
    /**
     * @param {Clock | undefined} clock
     * @param {boolean} mine whether the person is to move
     */
    show(clock, mine) {
      clearInterval(timer);
      host.hidden = !clock;
      aloud.textContent = "";
      if (!clock) return;
      const end = performance.now() + 1000 * clock.left;
      words.textContent = `then ${clock.fallback}`;
      const tick = () => {
        const left = Math.max(0, (end - performance.now()) / 1000);
        ring.setAttribute("stroke-dasharray", `${(100 * left) / clock.limit} 100`);
        seconds.textContent = `${Math.ceil(left)}`;
        host.classList.toggle("late", left <= WARN);
        if (mine && left <= WARN && left > 0 &&
          !aloud.textContent) aloud.textContent = `${Math.ceil(left)} seconds left, then ${clock.fallback}`;
      };
      tick();
      timer = setInterval(tick, 200);
    },
    destroy: () => clearInterval(timer),
  };
}
