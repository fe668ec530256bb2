// The editor of positions of Banluck: whose turn it is, what is in the hand, what is known of others.

import { style } from "./board.js";
import { picture } from "./cards.js";
import { h } from "./dom.js";
import { fields } from "./fields.js";

const VALUES = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "A"];
const MOST = 5;

/** @param {string} value */
const faceName = (value) => value.replace("T", "10").replace(/[CDHS]$/, "");

/** @typedef {ReturnType<typeof fields>} Frame */

/**
 * hand lets cards be added by tapping values, and taken away by tapping the cards.
 * @param {Frame} frame
 * @param {HTMLElement} into
 * @param {string} name
 */
function hand(frame, into, name) {
  /** @type {string[]} */
  let cards = [];
  const held = h("div", { class: "options held" });
  const keys = VALUES.map((value) => {
    const button = h("button", { type: "button", "aria-label": `Add ${faceName(value)}` }, faceName(value));
    button.addEventListener("click", () => put([...cards, value]));
    return button;
  });
  frame.place(into, name, held, h("div", { class: "options values" }, keys));
  const put = (/** @type {string[]} */ changed) => {
    set(changed);
    frame.edited();
  };
  const set = (/** @type {string[]} */ told) => {
    cards = told;
    held.replaceChildren(...cards.map((value, i) => {
      const button = h("button", { type: "button", class: "carded", "aria-label": `Take away ${faceName(value)}` },
        picture(faceName(value)));
      button.addEventListener("click", () => {
        put(cards.filter((_, j) => j !== i));
        keys[VALUES.indexOf(value)]?.focus();
      });
      return button;
    }), cards.length ? "" : h("span", { class: "note" }, "tap the cards"));
    for (const key of keys) key.disabled = cards.length === MOST;
  };
  return { get: () => cards, set };
}

/** @typedef {{seat: number, cards?: number, open?: string[]}} Other */

/**
 * other lets be told what is known of another seat: its number of cards, or the cards.
 * @param {Frame} frame
 * @param {string} title
 * @param {string} name
 * @param {boolean} dealer his hand is never open while somebody is to move
 */
function other(frame, title, name, dealer) {
  const part = frame.part(title);
  /** @type {[number, string][]} */
  const counts = [[2, "2 cards"], [3, "3"], [4, "4"], [5, "5"],
    ...(dealer ? [] : [/** @type {[number, string]} */ ([0, "open"])])];
  const count = frame.choice(part, name, "Cards", counts);
  const open = hand(frame, part, `${name}.open`);
  const shown = () => { part.lastElementChild?.toggleAttribute("hidden", count.get() !== 0); };
  return {
    part,
    /** @param {number} seat @returns {Other[]} */
    get(seat) {
      shown();
      if (count.get() === 0) return [{ seat, open: open.get() }];
      return count.get() === 2 ? [] : [{ seat, cards: count.get() }];
    },
    /** @param {Other | undefined} told */
    set(told) {
      const seen = told?.open ?? [];
      count.set(seen.length ? 0 : told?.cards ?? 2);
      open.set(seen.length ? seen : ["A", "T"]);
      shown();
    },
  };
}

/** @type {NonNullable<Board["editor"]>} */
export function editor(host, { rules, position, changed }) {
  style("board-banluck.css");
  const players = Number(rules.players ?? 1);
  const names = [...Array.from({ length: players }, (_, i) => (players > 1 ? `Player ${i + 1}` : "Player")), "Dealer"];
  const told = () => {
    const seat = who.get();
    const known = others.flatMap((o, i) => (i === seat ? [] : o.get(i)));
    const opened = seat === players && known.some((o) => (o.open?.length ?? 0) > 2);
    for (const [i, o] of others.entries()) o.part.hidden = i === seat;
    reveal.hidden = !opened;
    return { seat, hand: own.get(), ...(known.length ? { others: known } : {}),
      ...(opened && revealed.get() ? { revealed_with: revealed.get() } : {}) };
  };
  const frame = fields(host, () => changed(told()));
  frame.element.classList.add("banluck-editor");
  const turn = frame.part("Turn");
  const who = frame.choice(turn, "seat", "Who is to move", names.map((name, i) => [i, name]));
  const own = hand(frame, frame.part("The hand, in the order in which it came"), "hand");
  const others = names.map((name, i) => other(frame, name, `others.${i}`, i === players));
  const reveal = frame.part("Reveal");
  const revealed = frame.choice(reveal, "revealed_with", "The dealer has revealed",
    [[0, "no"], [2, "with 2 cards"], [3, "3"], [4, "4"], [5, "5"]]);
  const set = (/** @type {any} */ next) => {
    who.set(next.seat);
    own.set(next.hand);
    for (const [i, o] of others.entries()) o.set((next.others ?? [])
      .find((/** @type {Other} */ known) => known.seat === i));
    revealed.set(next.revealed_with ?? 0);
    told();
  };
  set(position);
  // The server counts the seats that are described: others[0] is the first of them.
  const complain = (/** @type {string} */ field, /** @type {string} */ problem) => {
    const index = Number(field.match(/^others\[(\d+)\]/)?.[1]);
    const seat = told().others?.[index]?.seat;
    frame.complain(seat === undefined ? field : `others.${seat}`, problem);
  };
  return { set, complain, destroy: frame.destroy };
}
