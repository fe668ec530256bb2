// Watching agents play each other: pause, one step, half a move to ten moves a second.

import { byId, h } from "./dom.js";

const SPEEDS = [0.5, 1, 2, 3, 5, 10]; // moves a second

/** @param {import("./table.js").TablePage} page */
export function watchingIn(page) {
  const pause = h("button", { type: "button", id: "pause-button", "aria-keyshortcuts": "p" }, "Pause");
  const step = h("button", { type: "button", id: "step-button", "aria-keyshortcuts": "s" }, "One step");
  const end = h("button", { type: "button", id: "end-button", "aria-keyshortcuts": "e" }, "Skip to the end");
  const speed = h("input", { type: "range", id: "speed", min: 0, max: SPEEDS.length - 1, step: 1, value: 1 });
  const words = h("output", { for: "speed" });
  const place = h("p", { class: "watching", hidden: true }, pause, step, end, h("label", {}, "Speed ", speed), words);
  byId("strip").append(place);

  const paused = () => page.newest?.table?.state === "paused";
  const say = () => {
    const value = SPEEDS[Number(speed.value)];
    words.textContent = value === 0.5 ? "a move in 2 seconds" : `${value} move${value === 1 ? "" : "s"} a second`;
    speed.setAttribute("aria-valuetext", words.textContent);
  };
  /** @param {object} body */
  const ask = (body) => page.request("/speed", body, page.host);
  pause.addEventListener("click", () => ask({ paused: !paused() }));
  step.addEventListener("click", () => ask({ step: true }));
  end.addEventListener("click", () => ask({ end: true }));
  speed.addEventListener("input", say);
  speed.addEventListener("change", () => ask({ moves_per_second: SPEEDS[Number(speed.value)] }));

  return {
    /** @param {Show} show */
    show(show) {
      place.hidden = !page.host || show.over !== undefined || show.seats.some((s) => s.kind !== "agent");
      if (place.hidden) return;
      pause.textContent = paused() ? "Continue" : "Pause";
      const now = show.table?.speed ?? 0;
      const at = SPEEDS.findIndex((v) => v >= now);
      if (document.activeElement !== speed && now > 0) speed.value = String(at < 0 ? SPEEDS.length - 1 : at);
      say();
    },
    /** @param {number} by steps of the speed */
    change(by) {
      if (place.hidden) return;
      speed.value = String(Number(speed.value) + by);
      say();
      ask({ moves_per_second: SPEEDS[Number(speed.value)] });
    },
  };
}
