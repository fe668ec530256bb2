// A position of Tysiąc as ParsePosition reads it (games/tysiac/README.md), and what comes next in it.

import { split, SUITS } from "./cards.js";

/**
 * @typedef {{seat: number, dealer?: number, scores?: number[], bombs_left?: number[], hand_number?: number,
 *   hand: string[],
 *   auction?: string[], taken?: number, musik?: string[], no_bomb?: boolean, returned?: string[], contract?: number,
 *   plays?: string[]}} Position
 * @typedef {{bidding: {start_bid: number, increment: number, max_bid: number, proof_threshold: number,
 *   jump_bids: boolean},
 *   contract: {max: number}, bombing: {enabled: boolean, bombs_per_player: number},
 *   trick_rules: {follower_melds: boolean},
 *   game: {lock_score: number, enable_lock: boolean}, hand?: {dealer: number, bombs_left: number[]}}} Rules
 * @typedef {"deal" | "auction" | "musik" | "cards" | "bomb" | "return" | "contract" | "play" | "end"} Stage
 */

export const RANKS = ["9", "J", "Q", "K", "10", "A"];
export const HAND = 10;

/** @param {Position} p @param {Rules} rules */
export const dealerOf = (p, rules) => rules.hand?.dealer ?? p.dealer ?? 0;

/**
 * auction follows the calls: who is to speak, who plays (or -1), and the standing bid.
 * @param {Position} p
 * @param {Rules} rules
 */
export function auction(p, rules) {
  let speaker = 1 - dealerOf(p, rules);
  let [passed, bidder, bid, playing, proved] = [0, -1, 0, -1, false];
  for (const call of p.auction ?? []) {
    if (call.startsWith("challenge")) {
      proved = true;
      continue; // the same seat continues
    }
    if (call === "pass") {
      passed++;
      if (bidder < 0 && passed === 2) [bidder, bid] = [1 - dealerOf(p, rules), rules.bidding.start_bid];
      if (bidder >= 0) playing = bidder;
    } else {
      [bidder, bid, proved] = [speaker, Number(call.slice("bid ".length)), false];
      if (passed > 0) playing = speaker;
    }
    speaker = 1 - speaker;
  }
  return { speaker, playing, bidder, bid, proved };
}

/**
 * tricks follows the cards: who is to play, the led card or "", trump, and the points of each seat.
 * @param {Position} p
 * @param {number} leader of the first trick
 */
export function tricks(p, leader) {
  const VALUES = [0, 2, 3, 4, 10, 11];
  let [player, led, trump] = [leader, "", -1];
  const points = [0, 0];
  const by = (p.plays ?? []).map((text) => {
    const [card, declared] = text.split(" ");
    const { rank, suit } = split(card);
    const seat = player;
    if (declared) {
      trump = suit;
      points[seat] += [40, 60, 80, 100][suit];
    }
    if (!led) [led, player] = [card, 1 - player];
    else {
      const first = split(led);
      const takes = suit === first.suit ? RANKS.indexOf(rank) > RANKS.indexOf(first.rank) : suit === trump;
      if (!takes) player = 1 - player;
      points[player] += VALUES[RANKS.indexOf(rank)] + VALUES[RANKS.indexOf(first.rank)];
      led = "";
    }
    return { seat, card };
  });
  return { player, led, trump, points, by };
}

/**
 * stage reports what is to be told next.
 * @param {Position} p
 * @param {Rules} rules
 * @returns {Stage}
 */
export function stage(p, rules) {
  const { playing } = auction(p, rules);
  const mine = playing === p.seat;
  const played = playing < 0 ? 0 : tricks(p, playing).by.filter((c) => c.seat === p.seat).length;
  const dealt = p.hand.length + (p.returned?.length ?? 0) + played - (mine ? p.musik?.length ?? 0 : 0);
  if (dealt < HAND) return "deal";
  if (playing < 0) return "auction";
  if (!p.taken) return "musik";
  if ((p.musik?.length ?? 0) < 2) return "cards";
  const left = (rules.hand?.bombs_left ?? p.bombs_left ?? [rules.bombing.bombs_per_player,
    rules.bombing.bombs_per_player])[playing];
  if (mine && !p.no_bomb && !p.returned?.length && !p.contract && rules.bombing.enabled && left > 0) return "bomb";
  if (mine && (p.returned?.length ?? 0) < 2) return "return";
  if (!p.contract) return "contract";
  return (p.plays?.length ?? 0) < 2 * HAND ? "play" : "end";
}

/**
 * where reports where a card is, as far as the position tells, in words; "" where it may be anywhere.
 * @param {Position} p
 * @param {string} card
 */
export function where(p, card) {
  const plays = (p.plays ?? []).map((text) => text.split(" ")[0]);
  if (plays.includes(card)) return "played";
  if (p.returned?.includes(card)) return "returned";
  if (p.hand.includes(card)) return "in your hand";
  return p.musik?.includes(card) ? "in the musik" : "";
}

/**
 * declares reports whether a card that was played, "" for none, may have been declared with: it is
 * king or queen, and its partner was not played before.
 * @param {Position} p
 * @param {string} card
 */
export function declares(p, card) {
  const { rank, suit } = split(card);
  const partner = { K: "Q", Q: "K" }[rank];
  return partner !== undefined && !(p.plays ?? []).some((text) => text.startsWith(partner + SUITS[suit]));
}

/**
 * nextHand begins the hand after this one, with the scores that it led to; after a bomb with none, and
 * dealt by the same player.
 * @param {Position} p a whole game's
 * @param {Rules} rules
 * @param {boolean} bombed
 */
export function nextHand(p, rules, bombed) {
  const { playing } = auction(p, rules);
  p.hand_number = (p.hand_number ?? 1) + 1;
  if (bombed) {
    const all = rules.bombing.bombs_per_player;
    p.bombs_left = (p.bombs_left ?? [all, all]).map((n, seat) => (seat === playing ? n - 1 : n));
  } else {
    const { points } = tricks(p, playing);
    const { lock_score, enable_lock } = rules.game;
    const contract = p.contract ?? 0;
    p.dealer = 1 - (p.dealer ?? 0);
    p.scores = (p.scores ?? [0, 0]).map((score, seat) => {
      if (seat === playing) return score + (points[seat] < contract ? -contract : contract);
      return enable_lock && score >= lock_score ? score : score + Math.ceil(points[seat] / 10) * 10;
    });
  }
  clear(p);
}

/**
 * clear leaves nothing of a hand but who sits where.
 * @param {Position} p
 */
export function clear(p) {
  for (const name of /** @type {const} */ (["auction", "taken", "musik", "no_bomb", "returned", "contract",
    "plays"])) delete p[name];
  p.hand = [];
}
