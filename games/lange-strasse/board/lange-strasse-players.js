// The three players of Lange Strasse: tracks to the target, striche as tally marks, money.

import { h, s } from "./dom.js";
import { counted, money, points } from "./lange-strasse-choices.js";

/** @typedef {import("./board-lange-strasse.js").View} View */

/**
 * tally draws marks in fives: four strokes and one across.
 * @param {number} count
 */
function tally(count) {
  const strokes = Array.from({ length: count }, (_, i) => {
    const five = 34 * Math.floor(i / 5);
    return i % 5 === 4
      ? s("path", { d: `M${five + 1} 17L${five + 27} 5` })
      : s("path", { d: `M${five + 5 + 6 * (i % 5)} 2V20` });
  });
  const width = 34 * Math.ceil(count / 5);
  return s("svg", { class: "tally", viewBox: `0 0 ${width} 22`, width, height: 22, role: "img",
    "aria-label": counted(count, "strich", "striche") }, strokes);
}

export function players() {
  const element = h("ol", { class: "ls-players" });

  /** @param {Show} show @param {number} seat */
  function row(show, seat) {
    /** @type {View} */
    const v = show.view;
    const p = v.players[seat];
    const at = v.phase !== "over" && v.seat === seat;
    const share = (/** @type {number} */ value) => Math.min(100, (100 * value) / v.target);
    const bar = h("span", { class: "ls-bar", "aria-hidden": "true" }, h("span", { class: "held" }),
      h("span", { class: "turn" }));
    const [held, turn] = /** @type {HTMLElement[]} */ ([...bar.children]);
    held.style.width = `${share(p.points)}%`;
    turn.style.width = at ? `${Math.min(100 - share(p.points), share(v.turn + v.set))}%` : "0";
    return h("li", { class: at ? "ls-player at" : "ls-player" },
      h("span", { class: "name-of" }, show.seats[seat].name),
      h("b", {}, points(p.points)),
      h("span", { class: "more" }, p.striche > 0 ? tally(p.striche) : "no strich",
        h("span", { class: p.money > 0 ? "coin gained" : p.money < 0 ? "coin lost" : "coin" }, money(p.money))),
      bar);
  }

  return {
    element,
    /** @param {Show} show */
    show: (show) => element.replaceChildren(...show.seats.map((_, seat) => row(show, seat))),
  };
}
