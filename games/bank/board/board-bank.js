// BANK!: the pot in the middle with the dice, the players around it, two wide buttons.

import { style } from "./board.js";
import { editor } from "./bank-editor.js";
import { controls } from "./controls.js";
import { die, thrown, words } from "./dice.js";
import { h } from "./dom.js";
import { bump, leave } from "./motion.js";

/**
 * The view of games/bank, View.
 * @typedef {object} View
 * @property {number} round
 * @property {number} rounds
 * @property {number} roll
 * @property {number} safe
 * @property {number[]} dice
 * @property {"" | "added" | "doubled"} effect
 * @property {number} bank
 * @property {number} risk
 * @property {"ask" | "roll" | "over"} phase
 * @property {number} roller
 * @property {number} asked
 * @property {number[]} queue
 * @property {boolean} again
 * @property {Player[]} players
 * @property {{ dice: number[], bank: number, seven: boolean } | null} before
 *
 * @typedef {object} Player
 * @property {number} total
 * @property {number} lead
 * @property {number} after
 * @property {"in" | "asked" | "passed" | "banked"} state
 * @property {boolean} now
 * @property {boolean} won
 */

const [PASS, BANK] = [0, 1];
const MINUS = "\u2212";

/** @param {number} points */
const points = (points) => points.toLocaleString("en").replace("-", MINUS);

/** @param {Show} show @param {number} seat */
const named = (show, seat) => (seat === show.eye ? "you" : show.seats[seat].name);

/** @param {string} text */
const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** @param {View} v */
function danger(v) {
  if (v.phase === "over") return "";
  if (v.risk > 0) return `a 7 takes it: 1 in ${Math.round(1 / v.risk)}`;
  return v.roll === 0 ? `${v.safe} safe rolls first` : `roll ${v.roll} of ${v.safe} safe`;
}

/** @param {Show} show @returns {string} what is happening, for the screen and for screen readers */
function sentence(show) {
  /** @type {View} */
  const v = show.view;
  if (v.phase === "over") {
    const winners = v.players.flatMap((p, seat) => (p.won ? [named(show, seat)] : []));
    return winners.length ? capital(`${winners.join(" and ")} won.`) : "All are level: nobody won.";
  }
  if (v.again) {
    const banked = v.players.flatMap((p, seat) => (p.now ? [named(show, seat)] : []));
    return capital(`${banked.join(" and ")} banked. The question goes round again, ${named(show, v.asked)} first.`);
  }
  if (v.roll === 0 && v.before) {
    return v.before.seven ? `Seven! ${points(v.before.bank)} lost for all who were in.` : "Everybody had banked.";
  }
  if (v.phase === "ask") return v.asked === show.eye ? "You are asked: bank or pass?"
    : `${show.seats[v.asked].name} is asked.`;
  return capital(`${named(show, v.roller)} ${v.roller === show.eye ? "roll" : "rolls"}.`);
}

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
const STATES = { in: "", asked: "asked", passed: "passed", banked: "banked" };

/** @param {Show} show @param {number} seat */
function player(show, seat) {
  /** @type {View} */
  const v = show.view;
  const p = v.players[seat];
  const best = Math.max(1, ...v.players.map((q) => q.total));
  const bar = h("span", { class: "bank-bar", "aria-hidden": "true" }, h("span", {}));
  /** @type {HTMLElement} */ (bar.firstChild).style.width = `${(100 * p.total) / best}%`;
  const turn = v.again ? v.queue.indexOf(seat) : -1;
  const state = v.phase === "over" ? (p.won ? "won" : "") : STATES[p.state] ||
    (turn > 0 ? `to answer ${ORDINALS[turn]}` : "");
  const lead = p.lead === 0 ? "level" : p.lead > 0 ? `${points(p.lead)} ahead` : `${points(-p.lead)} behind`;
  return h("li", { class: `bank-player ${v.phase === "over" ? (p.won ? "won" : "") : p.state}`, "data-seat": seat },
    h("span", { class: "name-of" }, show.seats[seat].name),
    h("span", { class: "state" }, p.state === "banked" && v.phase !== "over" && tick(), state),
    h("b", {}, points(p.total)), h("small", {}, lead), bar);
}

/** The mark of a seat that has banked. */
const tick = () => h("span", { class: "tick", "aria-hidden": "true" }, "\u2713 ");

/** @param {Show} show @returns {import("./controls.js").Offer[]} */
function offers(show) {
  /** @type {View} */
  const v = show.view;
  const after = v.players[v.asked]?.after ?? 0;
  const all = [
    { action: BANK, text: "BANK", detail: `makes ${points(after)}`, kind: "main" },
    { action: PASS, text: "PASS", detail: v.risk > 0 ? "1 in 6 loses it all" : "the next roll is safe", kind: "other" },
  ];
  return show.mover < 0 ? [] : all.filter(({ action }) => show.actions.some((a) => a.action === action));
}

const LIMITS = [50, 100, 150, 200, 300, 500, 1000]; // points of the bank until which a person may pass

/**
 * patience lets a person at a table pass until the bank has a number of points, or another player has banked.
 * @param {Table} table
 */
function patience(table) {
  const select = h("select", {}, h("option", { value: "0" }, "I am asked each time"),
    LIMITS.map((limit) => h("option", { value: limit }, points(limit))));
  const element = h("p", { class: "bank-patience", hidden: true }, h("label", {}, "Pass until the bank has ", select));
  /** @type {Show | null} */
  let shown = null;

  // pass answers once the position is shown.
  function pass() {
    const show = shown;
    if (!show || show.mover !== show.eye || show.view.again || show.view.bank >= Number(select.value)) return;
    setTimeout(() => { if (shown === show) table.act(PASS); });
  }

  select.addEventListener("change", pass);
  return {
    element,
    /** @param {Show} show */
    show(show) {
      element.hidden = !show.table || show.table.device !== undefined || show.eye < 0 || show.over !== undefined;
      if (shown && show.step < shown.step) select.value = "0"; // a move was taken back: the person decides
      shown = element.hidden ? null : show;
      pass();
    },
    destroy: () => { shown = null; },
  };
}

/** @type {Board} */
export const board = {
  mount(host, table) {
    for (const file of ["bank.css", "dice.css", "controls.css"]) style(file);
    const head = h("p", { class: "bank-head" });
    const amount = h("b", { class: "amount" });
    const effect = h("span", { class: "effect" });
    const dice = h("span", { class: "dice", role: "img" });
    const risk = h("span", { class: "risk" });
    const pot = h("div", { class: "bank-pot" }, h("span", { class: "label" }, "bank"), amount, effect, dice, risk);
    const players = h("ol", { class: "bank-players" });
    const status = h("p", { class: "bank-status", role: "status" });
    const move = controls(table);
    const patient = patience(table);
    const element = h("div", { class: "bank" }, head, h("div", { class: "bank-table" }, pot, players), status,
      move.element, patient.element);
    host.append(element);

    /** @param {Show} show @param {Show} previous */
    function moved(show, previous) {
      if (show.events.some((e) => e.player === -1 && e.step > previous.step)) {
        thrown(dice.children, table.settings);
        bump(amount, table.settings);
      }
      for (const [seat, p] of /** @type {Player[]} */ (show.view.players).entries()) {
        if (p.total === previous.view.players[seat].total) continue;
        table.settings.sound("chip");
        const to = players.children[seat].querySelector("b")?.getBoundingClientRect();
        if (to) leave({ box: amount.getBoundingClientRect(), element: amount }, to, table.settings);
      }
    }

    return {
      show(show, previous) {
        /** @type {View} */
        const v = show.view;
        const seven = v.roll === 0 && v.before?.seven === true;
        const fell = v.roll > 0 ? v.dice : v.before?.dice ?? [];
        head.textContent = v.phase === "over" ? `After ${v.rounds} ${v.rounds === 1 ? "round" : "rounds"}`
          : `Round ${v.round} of ${v.rounds}` + (v.roll > 0 ? `, roll ${v.roll}` : "");
        amount.textContent = points(v.bank);
        amount.classList.toggle("long", v.bank >= 1e6);
        effect.textContent = seven && v.before ? `${MINUS}${points(v.before.bank)}` : v.effect === "doubled"
          ? "doubles: bank doubled" : v.effect && fell[0] + fell[1] === 7 ? "safe seven: + 70" : v.effect
          ? `+ ${fell[0] + fell[1]}` : "";
        dice.replaceChildren(...(fell.length ? fell : [0, 0]).map((face) => die(face)));
        dice.setAttribute("aria-label", fell.length ? `the newest roll: ${words(fell)}` : "no roll yet");
        risk.textContent = danger(v);
        pot.classList.toggle("danger", v.risk > 0);
        pot.classList.toggle("seven", seven && v.phase !== "over");
        status.textContent = sentence(show);
        element.classList.toggle("mine", show.mover >= 0 && show.actions.length > 0);
        element.dataset.players = String(v.players.length);
        players.replaceChildren(...show.seats.map((_, seat) => player(show, seat)));
        move.show(offers(show));
        if (previous) moved(show, previous);
        patient.show(show);
      },
      element: move.at,
      destroy() {
        patient.destroy();
        element.remove();
      },
    };
  },
  editor,
};
