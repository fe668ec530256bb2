// The editor of positions of Banluck: whose turn it is, what is in the hand, what is known of others.

import { style } from "./board.js";
import { picture } from "./cards.js";
import { h } from "./dom.js";
import { marks, picker, radio } from "./editor.js";

const VALUES = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "A"];
const MOST = 5;

/** @param {string} value */
const faceName = (value) => value.replace("T", "10").replace(/[CDHS]$/, "");

/**
 * hand lets cards be added by tapping values, and taken away by tapping the cards.
 * @param {string} title
 * @param {(cards: string[]) => void} changed
 */
function hand(title, changed) {
  const held = h("div", { class: "options held" });
  const keys = h("div", { class: "options values" });
  const p = picker(title, held, keys);
  return {
    ...p,
    /** @param {string[]} cards */
    set(cards) {
      held.replaceChildren(...cards.map((value, i) => {
        const button = h("button", { type: "button", class: "carded", "aria-label": `Take away ${faceName(value)}` }, picture(faceName(value)));
        button.addEventListener("click", () => changed(cards.filter((_, j) => j !== i)));
        return button;
      }), cards.length ? "" : h("span", { class: "note" }, "tap the cards"));
      keys.replaceChildren(...VALUES.map((value) => {
        const button = h("button", { type: "button", disabled: cards.length === MOST, "aria-label": `Add ${faceName(value)}` }, faceName(value));
        button.addEventListener("click", () => changed([...cards, value]));
        return button;
      }));
    },
  };
}

/** @typedef {{seat: number, cards?: number, open?: string[]}} Other */

/**
 * other lets be told what is known of another seat: its number of cards, or the cards.
 * @param {string} name
 * @param {boolean} dealer his hand is never open while somebody is to move
 * @param {(change: {cards?: number, open?: string[]}) => void} changed
 */
function other(name, dealer, changed) {
  const counts = ["2", "3", "4", "5"].map((value) => ({ value, shown: `${value} cards` }));
  const known = radio(name, [...counts, ...(dealer ? [] : [{ value: "open", shown: "lies open" }])],
    (value) => changed(value === "open" ? { open: ["A", "T"] } : { cards: Number(value) }));
  const open = hand(`${name}: open cards`, (cards) => changed({ open: cards }));
  return {
    elements: [known.element, open.element],
    /** @param {string} problem */
    complain: (problem) => known.complain(problem),
    element: known.element,
    /** @param {Other | undefined} told */
    set(told) {
      known.set(told?.open ? "open" : String(told?.cards ?? 2));
      open.element.hidden = !told?.open;
      open.set(told?.open ?? []);
    },
  };
}

/** @type {NonNullable<Board["editor"]>} */
export function editor(host, { rules, position, changed }) {
  style("board-banluck.css");
  const players = Number(rules.players ?? 1);
  const names = [...Array.from({ length: players }, (_, i) => (players > 1 ? `Player ${i + 1}` : "Player")), "Dealer"];
  let now = position;
  const seat = radio("Who is to move", names.map((name, i) => ({ value: String(i), shown: name })),
    (value) => tell({ ...now, seat: Number(value), others: (now.others ?? []).filter((/** @type {Other} */ o) => o.seat !== Number(value)) }));
  const own = hand("The hand", (cards) => tell({ ...now, hand: cards }));
  const others = names.map((name, i) => other(name, i === players, (change) => {
    const rest = (now.others ?? []).filter((/** @type {Other} */ o) => o.seat !== i);
    const plain = change.cards === 2;
    tell({ ...now, others: plain ? rest : [...rest, { seat: i, ...change }].sort((a, b) => a.seat - b.seat) });
  }));
  const revealed = radio("The dealer has revealed", [{ value: "0", shown: "no" }, ...["2", "3", "4", "5"].map((value) => ({ value, shown: `with ${value} cards` }))],
    (value) => tell({ ...now, revealed_with: Number(value) }));
  const box = h("div", { class: "banluck-editor" }, seat.element, own.element, others.map((o) => o.elements), revealed.element);
  const mark = marks({ seat, hand: own, revealed_with: revealed, others: others[players] });
  const tell = (/** @type {any} */ next) => {
    mark.clear();
    changed(set(next));
  };
  // The parts that say nothing are left out.
  const set = (/** @type {any} */ next) => {
    const { others: told, revealed_with, ...rest } = next;
    const opened = (told ?? []).some((/** @type {Other} */ o) => (o.open?.length ?? 0) > 2);
    now = { ...rest, ...(told?.length ? { others: told } : {}), ...(revealed_with && rest.seat === players ? { revealed_with } : {}) };
    seat.set(String(now.seat));
    own.set(now.hand);
    for (const [i, o] of others.entries()) {
      o.set((now.others ?? []).find((/** @type {Other} */ t) => t.seat === i));
      for (const element of o.elements) element.hidden ||= i === now.seat;
      o.element.hidden = i === now.seat;
    }
    revealed.element.hidden = now.seat !== players || (!opened && !revealed_with);
    revealed.set(String(now.revealed_with ?? 0));
    return now;
  };
  host.append(box);
  set(position);
  return { set: (next) => { set(next); }, complain: mark.complain, destroy: () => box.remove() };
}
