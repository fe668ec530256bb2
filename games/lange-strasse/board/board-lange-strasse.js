// Lange Strasse: tap the dice to keep, see what they are worth, then roll on or bank.

import { style } from "./board.js";
import { controls } from "./controls.js";
import { die, picture, thrown, words } from "./dice.js";
import { h } from "./dom.js";
import { editor } from "./lange-strasse-editor.js";
import { choices, counted, dangerOf, points } from "./lange-strasse-choices.js";
import { players } from "./lange-strasse-players.js";
import { bump, flip } from "./motion.js";

/**
 * The view of games/lange-strasse, View.
 * @typedef {object} View
 * @property {number} target
 * @property {number} round
 * @property {number} fast
 * @property {boolean} last
 * @property {"keep" | "throw" | "over"} phase
 * @property {number} seat
 * @property {number} turn
 * @property {number} set
 * @property {number} stop_at
 * @property {number[][]} kept
 * @property {number} left
 * @property {number} danger
 * @property {{ face: number, least: number, why?: string }[]} thrown
 * @property {Keep[]} choices
 * @property {{ points: number, missing: number, striche: number, money: number, place: number }[]} players
 * @property {{ seat: number, how: "stop" | "talheim" | "strich", points: number, kept: number[], thrown: number[],
 *   totale: boolean } | null} before
 *
 * @typedef {object} Keep
 * @property {number[]} faces
 * @property {string} [special]
 * @property {number} gain
 * @property {number} set
 * @property {number} turn
 * @property {number} left
 * @property {number} strich
 * @property {number} roll
 * @property {number} stop
 * @property {string} [why_roll]
 */

/** @param {Show} show @returns {string} how the turn before ended */
function before(show) {
  /** @type {View} */
  const { before } = show.view;
  if (!before) return "";
  const name = before.seat === show.eye ? "You" : show.seats[before.seat].name;
  if (before.how === "strich") {
    return `${name}: strich with ${words(before.thrown)}${before.points ? `, ${points(before.points)} lost` : ""}${before.totale ? ". A Totale: 50 ct to each other" : ""}.`;
  }
  return `${name}: ${points(before.points)} points${before.how === "talheim" ? " with a Talheim" : ""}.`;
}

/** @param {Show} show @returns {string} whose turn it is */
function turnOf(show) {
  /** @type {View} */
  const v = show.view;
  if (v.phase === "over") return `The game is over after round ${v.round}.`;
  const mine = v.seat === show.eye;
  const turn = mine ? "Your turn" : `${show.seats[v.seat].name}'s turn`;
  if (v.phase === "throw") return `${turn}: ${counted(v.left, "die", "dice")} to throw.`;
  return mine ? `${turn}: which dice to keep?` : `${turn}.`;
}

/** @param {View} v */
function headOf(v) {
  if (v.phase === "over") return "";
  if (v.last) return `Round ${v.round}, the last one`;
  return v.round <= v.fast ? `Round ${v.round}; a game over by round ${v.fast} pays more` : `Round ${v.round}`;
}

/** @type {Board} */
export const board = {
  mount(host, table) {
    for (const file of ["lange-strasse.css", "dice.css", "controls.css"]) style(file);
    const head = h("p", { class: "ls-head" });
    const story = h("p", { class: "ls-story" });
    const status = h("p", { class: "ls-status", role: "status" });
    const tray = h("div", { class: "ls-tray" });
    const throwArea = h("div", { class: "ls-throw", role: "group" });
    const worth = h("p", { class: "ls-worth", role: "status" });
    const turn = h("p", { class: "ls-turn" });
    const move = controls(table, "Roll on or bank");
    const list = choices(table);
    const people = players();
    const element = h("div", { class: "ls" }, head, people.element, story, status,
      h("div", { class: "ls-dice" }, throwArea, tray), worth, turn, move.element, list.element);
    host.append(element);

    /** @type {Show | undefined} */
    let show;
    /** @type {View} */
    let v;
    /** @type {Set<number>} positions of the throw that are chosen */
    let chosen = new Set();

    const mine = () => Boolean(show && show.mover >= 0 && show.actions.length > 0);
    const facesOf = () => [...chosen].sort((a, b) => a - b).map((i) => v.thrown[i].face);
    /** The choice of the chosen dice, if they may be kept. */
    const choice = () => v.choices.find((c) => c.faces.join() === facesOf().join());

    /** The dice of the only choice, where there is just one. */
    function forced() {
      const rest = v.choices.length === 1 ? [...v.choices[0].faces] : [];
      return new Set(v.thrown.flatMap(({ face }, i) => {
        const at = rest.indexOf(face);
        if (at >= 0) rest.splice(at, 1);
        return at >= 0 ? [i] : [];
      }));
    }

    /**
     * Chooses a die or gives it up: of a face that counts only as a group, the group.
     * @param {number} i
     */
    function tap(i) {
      const { face, least } = v.thrown[i];
      const same = v.thrown.flatMap((d, j) => (d.face === face ? [j] : []));
      const count = () => same.filter((j) => chosen.has(j)).length;
      if (chosen.has(i)) {
        chosen.delete(i);
        if (count() < least) for (const j of same) chosen.delete(j);
      } else {
        chosen.add(i);
        for (const j of same) if (count() < least) chosen.add(j);
      }
      select();
    }

    /** Shows what the chosen dice are worth, and the buttons of their actions. */
    function select() {
      throwArea.querySelectorAll("[data-i]").forEach((b, i) => b.setAttribute("aria-pressed", String(chosen.has(i))));
      const keep = choice();
      worth.replaceChildren(...tell(keep));
      worth.classList.toggle("wrong", chosen.size > 0 && !keep);
      move.show(mine() && keep ? offers(keep) : []);
      list.chosen(keep);
      drawTurn(keep);
    }

    /** @param {Keep | undefined} keep @returns {(Node | string)[]} */
    function tell(keep) {
      if (v.phase !== "keep") return [v.phase === "throw" ? dangerOf(v.left, v.danger) : ""];
      if (keep?.special) return [h("b", {}, keep.special), `: ${points(keep.set)} points in place of the set. `,
        keep.roll >= 0 ? "The turn continues with six new dice." : "The turn ends."];
      if (keep) return [`keep ${words(keep.faces)}: `, h("b", {}, points(keep.gain)),
        `. ${capital(dangerOf(keep.left, keep.strich))}`, keep.stop < 0 && keep.why_roll ? `; ${keep.why_roll}.` : "."];
      if (!mine()) return [""];
      if (chosen.size === 0) return ["Tap the dice that you keep."];
      const faces = facesOf();
      const wrong = [...chosen].map((i) => v.thrown[i]).find(
        (d) => d.least === 0 || faces.filter((f) => f === d.face).length < d.least);
      return [capital(wrong?.why ?? "these dice cannot be kept together"), "."];
    }

    /** @param {Keep} keep @returns {import("./controls.js").Offer[]} */
    function offers(keep) {
      const both = [];
      if (keep.roll >= 0) both.push({ action: keep.roll, text: "Roll on", detail: dangerOf(keep.left, keep.strich),
        kind: keep.stop < 0 ? "main" : "other" });
      if (keep.stop >= 0) both.push({ action: keep.stop, text: "Bank", detail: `${points(keep.turn)} points`,
        kind: "main" });
      return both;
    }

    /** @param {Keep | undefined} keep */
    function drawTurn(keep) {
      const now = keep ? keep.turn : v.turn + v.set;
      turn.replaceChildren(v.phase === "over" ? "" : h("b", {}, points(now)),
        v.phase === "over" ? "" : " points in this turn",
        v.turn > 0 && v.phase !== "over" ? `, ${points(v.turn)} of them from finished sets` : "");
    }

    /**
     * What lies in the tray, each die with the die of the throw before that it was, so that it can be
     * seen travelling.
     * @param {Show | undefined} previous
     */
    function laid(previous) {
      const strich = v.phase === "throw" && v.left === 6 && v.before?.how === "strich";
      const groups = strich ? [v.before?.thrown ?? []] : v.kept;
      /** @type {number[]} */
      const before = previous?.view.thrown.map((/** @type {{ face: number }} */ d) => d.face) ?? [];
      const counts = new Map();
      const elements = groups.map((group) => {
        const element = h("span", { class: group.length > 1 && !strich ? "group" : "single" },
          picture(group, group.length > 1 ? "a group" : "a single die"));
        element.querySelectorAll(".die").forEach((one, i) => {
          const count = (counts.get(group[i]) ?? 0) + 1;
          counts.set(group[i], count);
          one.setAttribute("data-key", `kept-${group[i]}-${count}`);
          const from = before.indexOf(group[i]);
          if (from < 0) return;
          before[from] = 0;
          one.setAttribute("data-from", `die-${previous?.step}-${from}`);
        });
        return element;
      });
      const words = strich ? "strich" : v.kept.length ? `kept: ${points(v.set)}` : "nothing kept";
      tray.classList.toggle("strich", strich);
      tray.replaceChildren(h("span", { class: "label" }, words), h("span", { class: "groups" }, elements));
    }

    /** @param {Show} next @param {Show | undefined} previous */
    function drawDice(next, previous) {
      throwArea.setAttribute("aria-label", v.thrown.length ? `Thrown: ${words(v.thrown.map((d) => d.face))}`
        : "Dice to throw");
      throwArea.replaceChildren(...v.thrown.map(({ face, why }, i) => {
        const key = `die-${next.step}-${i}`;
        if (!mine()) return h("span", { class: "ls-die", "data-key": key }, die(face));
        const button = h("button", {
          type: "button", class: "die-button", "data-i": i, "data-key": key, "aria-pressed": "false",
          "aria-label": `keep the ${face}`, "data-dead": why && !v.choices.some((c) => c.faces.includes(face)),
        }, die(face));
        button.addEventListener("click", () => tap(i));
        return button;
      }), ...(v.phase === "throw" ? Array.from({ length: v.left }, () => h("span", { class: "ls-die" }, die(0))) : []));
      laid(previous);
    }

    return {
      show(next, previous) {
        const fell = previous && next.events.some((e) => e.player === -1 && e.step > previous.step);
        const same = show?.step === next.step && show.eye === next.eye && !fell;
        [show, v] = [next, next.view];
        if (!same) chosen = forced();
        element.classList.toggle("mine", mine());
        head.textContent = headOf(v);
        story.textContent = before(next);
        status.textContent = turnOf(next);
        people.show(next);
        flip(element, () => drawDice(next, previous), table.settings);
        list.show(v.choices, mine());
        select();
        if (fell) thrown(throwArea.querySelectorAll(".die:not(.none)"), table.settings);
        if (!previous) return;
        if (previous.view.players.some((/** @type {any} */ p, /** @type {number} */ i) =>
          p.points !== v.players[i].points)) {
          table.settings.sound("chip");
          bump(people.element, table.settings);
        }
      },
      element: (action) => move.at(action) ?? list.at(action),
      destroy: () => element.remove(),
    };
  },
  editor,
};

/** @param {string} text */
function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
