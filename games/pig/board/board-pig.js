// Pig: two tracks to the target, what a 1 would take, and the die.

import { style } from "./board.js";
import { controls } from "./controls.js";
import { die, thrown } from "./dice.js";
import { h } from "./dom.js";
import { fields } from "./fields.js";
import { bump } from "./motion.js";

/**
 * The view of games/pig, View.
 * @typedef {object} View
 * @property {number} target
 * @property {number[]} scores
 * @property {"choose" | "roll" | "over"} phase
 * @property {number} seat
 * @property {number} turn
 * @property {number} die
 * @property {number} if_held
 * @property {boolean} wins
 * @property {number} risk
 * @property {{ seat: number, points: number, lost: boolean } | null} before
 */

const [ROLL, HOLD] = [0, 1];

/** @param {Show} show @param {number} seat */
const you = (show, seat) => seat === show.eye;

/** @param {Show} show @returns {string} what is happening, for the screen and for screen readers */
function sentence(show) {
  /** @type {View} */
  const v = show.view;
  const name = show.seats[v.seat].name;
  if (v.phase === "over") return you(show, v.seat) ? "You have won!" : `${name} has won.`;
  const turn = you(show, v.seat) ? "Your turn." : `${name}'s turn.`;
  if (v.turn > 0 || !v.before) return turn;
  const was = show.seats[v.before.seat].name;
  return v.before.lost ? `${was}: a 1, ${v.before.points} points lost. ${turn}`
    : `${was}: ${v.before.points} points held. ${turn}`;
}

/** @param {Show} show @param {number} seat */
function track(show, seat) {
  /** @type {View} */
  const v = show.view;
  const share = (/** @type {number} */ points) => Math.min(100, (100 * points) / v.target);
  const at = v.phase !== "over" && seat === v.seat;
  const turn = at ? v.turn : 0;
  const bar = h("div", { class: "pig-bar", "aria-hidden": "true" }, h("span", { class: "held" }),
    h("span", { class: "turn" }));
  const [held, risked] = /** @type {HTMLElement[]} */ ([...bar.children]);
  held.style.width = `${share(v.scores[seat])}%`;
  risked.style.width = `${Math.min(100 - share(v.scores[seat]), share(turn))}%`;
  const won = v.phase === "over" && seat === v.seat;
  return h("li", { class: at ? "pig-player at" : "pig-player" },
    h("span", { class: "name-of" }, show.seats[seat].name, at && h("span", { class: "turn-of" }, "to play"),
      won && h("span", { class: "won" }, "won")),
    h("span", { class: "points" }, String(v.scores[seat]), turn > 0 && h("span", { class: "plus" }, ` + ${turn}`),
      h("small", {}, ` of ${v.target}`)), bar);
}

/** @param {View} v @returns {import("./controls.js").Offer[]} */
const offers = (v) => [
  { action: ROLL, text: "Roll", detail: v.turn > 0 ? `1 in 6 loses ${v.turn}` : "nothing at risk",
    kind: v.wins ? "other" : "main" },
  { action: HOLD, text: "Hold", detail: v.wins ? "and win" : v.turn > 0 ? `makes ${v.if_held}` : "scores nothing",
    kind: v.wins ? "main" : "other" },
];

/** @type {Board} */
export const board = {
  mount(host, table) {
    style("pig.css");
    style("dice.css");
    style("controls.css");
    const players = h("ol", { class: "pig-players" });
    const face = h("span", { class: "pig-die", role: "img" });
    const turn = h("p", { class: "pig-turn" });
    const risk = h("p", { class: "pig-risk" });
    const status = h("p", { class: "pig-status", role: "status" });
    const move = controls(table);
    const middle = h("div", { class: "pig-middle" }, face, h("div", {}, turn, risk));
    const element = h("div", { class: "pig" }, status, players, middle, move.element);
    host.append(element);
    return {
      show(show, previous) {
        /** @type {View} */
        const v = show.view;
        const lost = v.turn === 0 && v.before?.lost === true;
        const shown = v.die || (lost ? 1 : 0);
        element.classList.toggle("mine", show.mover >= 0 && show.actions.length > 0);
        status.textContent = sentence(show);
        players.replaceChildren(...show.seats.map((_, seat) => track(show, seat)));
        face.replaceChildren(die(shown));
        face.setAttribute("aria-label", shown ? `the die shows ${shown}` : "the die is not thrown yet");
        element.classList.toggle("lost", lost);
        middle.hidden = v.phase === "over";
        turn.replaceChildren(h("b", {}, String(v.turn)), " in this turn");
        risk.textContent = lost ? `a 1: ${v.before?.points} lost` : v.turn > 0
          ? `a 1 loses them: 1 in ${Math.round(1 / v.risk)}` : "a 1 ends the turn";
        move.show(show.mover < 0 ? [] : offers(v).filter(({ action }) =>
          show.actions.some((a) => a.action === action)));
        if (previous && show.events.some((e) => e.player === -1 && e.step > previous.step)) {
          thrown(face.children, table.settings);
          bump(turn, table.settings);
        } else if (previous && previous.view.scores.some((/** @type {number} */ s, /** @type {number} */ i) =>
          s !== v.scores[i])) {
          table.settings.sound("chip");
        }
      },
      element: move.at,
      destroy: () => element.remove(),
    };
  },

  editor(host, { rules, position, changed }) {
    const target = Number(rules.target ?? 100);
    const editor = fields(host, () => changed(read()));
    const points = editor.part("Points that are held");
    const scores = [0, 1].map((seat) => editor.number(points, `scores[${seat}]`, `Seat ${seat + 1}`,
      { max: target - 1, step: 5 }));
    const now = editor.part("This turn");
    const seat = editor.choice(now, "seat", "To play", [[0, "Seat 1"], [1, "Seat 2"]]);
    const turn = editor.number(now, "turn", "Points of the turn", { max: 10 * target, step: 2 });
    const read = () => ({ scores: scores.map((s) => s.get()), turn: turn.get(), seat: seat.get() });
    /** @param {any} p */
    const set = (p) => {
      editor.clear();
      scores.forEach((s, i) => s.set(p.scores[i]));
      turn.set(p.turn);
      seat.set(p.seat);
    };
    set(position);
    return { set, complain: editor.complain, destroy: editor.destroy };
  },
};
