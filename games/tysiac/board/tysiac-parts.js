// Parts of Tysiąc's board: scores, bombs, auction, stepper, tricks.

import { picture, split, SUITS } from "./cards.js";
import { h, s } from "./dom.js";

/**
 * What the game's view has (games/tysiac/README.md).
 * @typedef {{card: string, action?: number, declare?: number}} Held
 * @typedef {{points: number, action: number}} Rung
 * @typedef {{seat: number, card: string, declared: number}} Played
 * @typedef {{cards: Played[], winner: number, points: number, trump: string}} Trick
 * @typedef {{score: number, bombs: number, points: number, cards: number, hand: Held[], provable?: number,
 *   shown: string[], declared: string[], returns: number, returned: string[]}} SeatView
 * @typedef {{seat: number, kind: "bid" | "pass" | "challenge", points: number, proof?: string}} Call
 * @typedef {{calls: Call[], bid: number, bidder: number, rungs: Rung[], threshold: number, challenge: number,
 *   pass: number}} Auction
 * @typedef {{hand: number, end: string, player: number, contract: number, points: number[], change: number[]}} Ended
 * @typedef {{eye: number, phase: string, mover: number, hand: number, max_hands: number, dealer: number,
 *   target: number,
 *   lock?: number, seats: SeatView[], auction: Auction, musiks: {cards: string[], taken: boolean, action: number}[],
 *   bomb?: {bomb: number, play_on: number}, playing: number, contracts: Rung[], contract: number, trump: string,
 *   trick: Played[], tricks: Trick[], ended?: Ended}} View
 */

/** Values of the melds by suit. */
const MELD = { "♠": 40, "♣": 60, "♦": 80, "♥": 100 };

/** @param {string} suit */
export const meld = (suit) => MELD[/** @type {keyof typeof MELD} */ (suit)];

/** @param {number} n */
export const signed = (n) => (n > 0 ? `+${n}` : n < 0 ? `\u2212${-n}` : "0");
/** @param {number} n */
export const plain = (n) => (n < 0 ? `\u2212${-n}` : `${n}`);

/**
 * thermometer shows a score on its way to the target, with the line of the lock.
 * @param {string} name
 * @param {View} view
 * @param {number} seat
 */
export function thermometer(name, view, seat) {
  const { score } = view.seats[seat];
  const part = (/** @type {number} */ n) => `${Math.max(0, Math.min(100, (100 * n) / view.target))}%`;
  const fill = h("span", { class: "mercury" });
  fill.style.setProperty("--part", part(score));
  const locked = view.lock !== undefined && score >= view.lock;
  const tube = h("span", { class: "tube", "aria-hidden": "true" }, fill);
  if (view.lock !== undefined && view.lock < view.target) {
    const line = h("span", { class: "lock" });
    line.style.setProperty("--part", part(view.lock));
    tube.append(line);
  }
  return h("div", { class: "thermometer", "data-locked": locked },
    h("span", { class: "who" }, name), tube,
    h("b", { "data-key": `score-${seat}` }, plain(score)),
    h("span", { class: "of" }, locked ? "only own contracts" : `of ${view.target}`));
}

/**
 * bombs draws the bombs that a seat has left.
 * @param {number} n
 */
export function bombs(n) {
  const label = n === 1 ? "1 bomb left" : `${n || "no"} bombs left`;
  const drawn = n <= 3 ? n : 1;
  return h("span", { class: "bombs", role: "img", "aria-label": label, title: label },
    Array.from({ length: drawn }, () => s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" },
      s("circle", { cx: 8.5, cy: 12, r: 6.5 }),
      s("path", { d: "M12 7l2.4-2.6c1-1 2.4-.6 2.6.6M17.6 2.2v-1M19.6 3.6l1-.5" }))),
    n > 3 && `${n}`);
}

/** @param {string} suit */
export function suitSign(suit) {
  const i = SUITS.indexOf(suit);
  const svg = s("svg", { class: `suit suit-${i}`, viewBox: "0 0 100 100", "aria-hidden": "true" });
  svg.append(s("use", { href: `#card-pip-${i}`, width: 100, height: 100 }));
  return svg;
}

/**
 * ladder shows the auction: every bid there is, who made which, and up to where the eye could prove.
 * @param {View} view
 * @param {(seat: number) => string} name
 * @param {number} own the seat whose cards are seen
 */
export function ladder(view, name, own) {
  const { rungs, calls, threshold } = view.auction;
  const provable = view.seats[own]?.provable;
  const by = new Map(calls.filter((c) => c.kind === "bid").map((c) => [c.points, c.seat]));
  const list = rungs.map(({ points, action }) => {
    const seat = by.get(points);
    const rung = h("li", { "data-rung": action, "data-points": points,
      "data-by": seat === undefined ? null : seat === own ? "own" : "other",
      "data-standing": points === view.auction.bid, "data-proof": points > threshold,
      "data-edge": points === provable },
      h("span", { class: "step" }, `${points}`), seat !== undefined && h("span", { class: "by" }, name(seat)));
    return rung;
  });
  const { bid, bidder } = view.auction;
  return h("div", { class: "ladder" }, h("ol", { "aria-label": "Bids" }, list.reverse()),
    h("p", { class: "note" },
      bid ? `${bid} stands, bid by ${bidder === view.eye ? "you" : name(bidder)}. ` : "No bid yet. ",
      provable ? `You can prove up to ${provable}.` : ""));
}

/**
 * conversation tells the auction as it was spoken, proofs with their cards.
 * @param {View} view
 * @param {(seat: number) => string} name
 * @param {number} own
 */
export function conversation(view, name, own) {
  const lines = view.auction.calls.map((c) => {
    const said = { bid: `${c.points}`, pass: "Pass", challenge: `Prove ${c.points}!` }[c.kind];
    const line = [h("li", { "data-by": c.seat === own ? "own" : "other" }, h("span", { class: "who" }, name(c.seat)),
      " ", said)];
    if (c.proof) {
      line.push(h("li", { class: "proof", "data-by": c.seat === own ? "other" : "own" },
        h("span", { class: "who" }, name(1 - c.seat)), 1 - c.seat === view.eye ? " show" : " shows",
        picture(`K${c.proof}`, { key: "" }), picture(`Q${c.proof}`, { key: "" }), `worth ${meld(c.proof)}`));
    }
    return line;
  });
  return h("ul", { class: "conversation", "aria-label": "Auction", tabindex: 0 }, lines);
}

/**
 * stepper chooses among numbers, each of which is an action.
 * @param {Rung[]} rungs ascending, at least one
 * @param {object} options
 * @param {string} options.label of what is chosen: "Bid"
 * @param {(points: number) => string} options.note about the number that is chosen, or ""
 * @param {(action: number) => void} options.send
 */
export function stepper(rungs, { label, note, send }) {
  let at = 0;
  const button = h("button", { type: "button", class: "primary" });
  const range = h("input", { type: "range", max: rungs.length - 1, value: 0, "aria-label": label,
    hidden: rungs.length < 2 });
  const less = h("button", { type: "button", "aria-label": "less", hidden: rungs.length < 2 }, "\u2212");
  const more = h("button", { type: "button", "aria-label": "more", hidden: rungs.length < 2 }, "+");
  const about = h("span", { class: "note", "aria-live": "polite" });
  const show = () => {
    const { points, action } = rungs[at];
    button.textContent = `${label} ${points}`;
    button.dataset.action = String(action);
    range.value = String(at);
    range.setAttribute("aria-valuetext", `${points}`);
    less.disabled = at === 0;
    more.disabled = at === rungs.length - 1;
    about.textContent = note(points);
  };
  const move = (/** @type {number} */ to) => {
    at = Math.max(0, Math.min(rungs.length - 1, to));
    show();
  };
  less.addEventListener("click", () => move(at - 1));
  more.addEventListener("click", () => move(at + 1));
  range.addEventListener("input", () => move(Number(range.value)));
  button.addEventListener("click", () => send(rungs[at].action));
  show();
  return h("div", { class: "stepper" }, h("span", { class: "dial" }, less, range, more), button, about);
}

/**
 * lastTrick is the newest finished trick, which can be looked at.
 * @param {Trick | undefined} trick
 * @param {(seat: number) => string} name
 */
export function lastTrick(trick, name) {
  if (!trick) return null;
  return h("details", { class: "last-trick" }, h("summary", {}, "Last trick"),
    h("div", {}, trick.cards.map((c) => h("figure", {},
      picture(c.card, { key: "", trump: split(c.card).suit === SUITS.indexOf(trick.trump) }),
      h("figcaption", {}, name(c.seat), c.declared > 0 && `, ${c.declared}`))),
    h("p", {}, `${name(trick.winner)} won ${trick.points}`)));
}

/**
 * trick shows the cards on the table; a finished trick lies there until the next card is led.
 * @param {View} view
 * @param {(seat: number) => string} name
 * @param {number[]} order own seat, other
 */
export function trick(view, name, order) {
  const past = view.trick.length ? undefined : view.tricks.at(-1);
  const trump = SUITS.indexOf(past ? past.trump : view.trump);
  const slots = [...order].reverse().map((seat) => {
    const card = (past?.cards ?? view.trick).find((c) => c.seat === seat);
    const slot = h("div", { class: "slot", "data-seat": seat === order[0] ? "own" : "other",
      "data-past": past !== undefined });
    if (!card) return slot;
    const shown = picture(card.card, { trump: split(card.card).suit === trump });
    shown.dataset.from = `hand-${seat}`;
    slot.append(shown);
    if (past?.winner === seat) slot.append(h("span", { class: "badge" }, `wins ${past.points}`));
    else if (card.declared > 0) slot.append(h("span", { class: "badge" }, `meld ${card.declared}`));
    return slot;
  });
  const label = past ? `Last trick, ${name(past.winner)} won it` : view.trick.length ? "Trick" : "Trick, no card yet";
  return h("div", { class: "trick", role: "group", "aria-label": label }, slots);
}

/**
 * outcome tells how a hand ended.
 * @param {Ended} e
 * @param {(seat: number) => string} name
 */
export function outcome(e, name) {
  const verb = (/** @type {number} */ seat, /** @type {string} */ text) => `${name(seat)} ${text}`;
  if (e.end === "bombed") return `${verb(e.player, "bombed")}: no points, the cards are dealt again`;
  if (e.end === "passed") return "Both passed";
  if (e.end === "unproved") return `${verb(e.player, `bid ${e.contract}`)} and had no meld to prove it`;
  return verb(e.player, `${e.change[e.player] < 0 ? "lost" : "made"} the contract of ${e.contract} with ${e.points[e.player]}`);
}

/**
 * results shows how the newest hand ended, with what it was worth to each.
 * @param {Ended} e
 * @param {(seat: number) => string} name
 * @param {number[]} order of the seats
 */
export function results(e, name, order) {
  return h("section", { class: "results", "aria-label": `Result of hand ${e.hand}` },
    h("p", { class: "note" }, `Hand ${e.hand}`), h("p", {}, outcome(e, name), "."),
    e.end !== "bombed" && e.end !== "passed" && h("ul", {}, order.map(
      (seat) => h("li", { "data-sign": Math.sign(e.change[seat]) },
      h("span", { class: "who" }, name(seat)), h("b", {}, signed(e.change[seat])),
      e.end === "played" && h("span", { class: "note" }, `${e.points[seat]} in tricks and melds`)))));
}

/**
 * hands lists the hands that have ended, newest first, folded.
 * @param {Ended[]} ended
 * @param {(seat: number) => string} name
 * @param {number[]} order of the seats
 */
export function hands(ended, name, order) {
  if (!ended.length) return null;
  const list = ended.sort((a, b) => b.hand - a.hand).map((e) => h("li", { value: e.hand },
    outcome(e, name), ". ", order.map((seat) => `${name(seat)} ${signed(e.change[seat])}`).join(", ")));
  return h("details", { class: "hands" }, h("summary", {}, "Hands"),
    h("ol", { tabindex: 0, "aria-label": "Hands that have ended" }, list));
}

/**
 * musiks shows the two musiks; the one that may be taken is a button.
 * @param {View} view
 * @param {(action: number) => boolean} legal
 * @param {(action: number) => void} act
 */
export function musiks(view, legal, act) {
  const away = view.phase === "play" || view.phase === "contract";
  return h("div", { class: "musiks", "data-small": away }, view.musiks.map((musik, i) => {
    const cards = [0, 1].map((j) => (musik.cards[j] ? picture(
      musik.cards[j], { key: away ? "" : `musik-${musik.cards[j]}` })
      : picture("", { key: `musik-${i}-${j}`, label: "a card of the musik, face down" })));
    const label = `Musik ${i + 1}`;
    if (!legal(musik.action)) {
      return h("figure", { title: musik.taken ? `${label}, taken` : label }, h("div", {}, cards),
        h("figcaption", {}, musik.taken ? `${label}, taken` : label));
    }
    const button = h("button", { type: "button", "data-action": musik.action, "aria-label": `Take musik ${i + 1}` },
      cards);
    button.addEventListener("click", () => act(musik.action));
    return h("figure", {}, button, h("figcaption", {}, label));
  }));
}

/**
 * waiting reports who is to do what, where that is not who looks.
 * @param {View} view
 * @param {(seat: number) => string} name
 */
export function waiting(view, name) {
  if (view.phase === "over") return "The game is over";
  if (view.mover < 0) return "The cards are dealt";
  const doing = { auction: "is to speak", musik: "takes a musik", bomb: "may bomb", return: "returns two cards",
    contract: "announces a contract", play: "is to play" }[view.phase];
  return `${name(view.mover)} ${doing}`;
}
