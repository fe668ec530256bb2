// Tells a position of Tysiąc by tapping what has happened, in its order: the cards of the own hand,
// the calls of the auction, the musik, the cards of the tricks. So it serves at a real table, too.

import { style } from "./board.js";
import { face, SUITS, words } from "./cards.js";
import { h } from "./dom.js";
import { fields } from "./fields.js";
import { stepper } from "./tysiac-parts.js";
import { auction, clear, dealerOf, declares, HAND, nextHand, RANKS, stage, tricks, where } from "./tysiac-position.js";

/** @typedef {import("./tysiac-position.js").Position} Position */
/** @typedef {import("./tysiac-position.js").Rules} Rules */

/** @type {NonNullable<Board["editor"]>} */
export const editor = (host, options) => new TysiacEditor(host, options);

/** @implements {MountedEditor} */
class TysiacEditor {
  /** @param {HTMLElement} host @param {EditorOptions} options */
  constructor(host, options) {
    style("cards.css");
    style("tysiac.css");
    this.options = options;
    this.rules = /** @type {Rules} */ (/** @type {unknown} */ (options.rules));
    /** @type {Position} */
    this.p = structuredClone(options.position);
    /** Positions before each step, for undo. @type {Position[]} */
    this.past = [];
    this.prompt = h("p", { class: "status", role: "status" });
    this.buttons = h("div", { class: "moves", role: "group", "aria-label": "What happened" });
    /** @type {Map<string, HTMLButtonElement>} */
    this.cards = new Map(SUITS.flatMap((suit) => [...RANKS].reverse()
      .map((rank) => [rank + suit, this.cardButton(rank + suit)])));
    this.deck = h("div", { class: "deck", role: "group", "aria-label": "Cards" }, [...this.cards.values()]);
    this.story = h("p", { class: "note story" });
    this.undo = this.button("Undo", () => this.back());
    const fresh = this.button("Clear the hand", () => this.step(clear));
    host.append(this.root = h("div", { class: "tysiac editor-tysiac" }, this.prompt, this.buttons, this.deck,
      this.story,
      h("p", { class: "moves" }, this.undo, fresh)));
    this.frame = fields(this.root, () => this.told());
    this.game = this.gameFields();
    this.read();
    this.draw();
  }

  // The numbers of the game, which tysiac-hand has among its rules.
  gameFields() {
    const f = this.frame;
    const part = f.part("The game");
    const seats = /** @type {[number, string][]} */ ([[0, "seat 1"], [1, "seat 2"]]);
    const seat = f.choice(part, "seat", "You sit on", seats);
    if (this.rules.hand) return { seat };
    return {
      seat, dealer: f.choice(part, "dealer", "Dealer", seats),
      scores: [0, 1].map((i) => f.number(part, `scores[${i}]`, `Score of seat ${i + 1}`,
        { min: -9990, max: 990, step: 10 })),
      bombs: [0, 1].map((i) => f.number(part, `bombs_left[${i}]`, `Bombs of seat ${i + 1}`,
        { max: this.rules.bombing.bombs_per_player })),
      number: f.number(part, "hand_number", "Number of the hand", { min: 1 }),
    };
  }

  // Puts the position into the fields.
  read() {
    const { seat, dealer, scores, bombs, number } = this.game;
    const all = this.rules.bombing.bombs_per_player;
    seat.set(this.p.seat);
    dealer?.set(this.p.dealer ?? 0);
    scores?.forEach((field, i) => field.set(this.p.scores?.[i] ?? 0));
    bombs?.forEach((field, i) => field.set(this.p.bombs_left?.[i] ?? all));
    number?.set(this.p.hand_number ?? 1);
  }

  // A field of the game was changed.
  told() {
    const { seat, dealer, scores, bombs, number } = this.game;
    this.step((p) => {
      p.seat = seat.get();
      if (dealer) p.dealer = dealer.get();
      if (scores) p.scores = scores.map((f) => f.get());
      if (bombs) p.bombs_left = bombs.map((f) => f.get());
      if (number) p.hand_number = number.get();
    });
  }

  /** @param {string} label @param {() => void} click @param {string} [look] */
  button(label, click, look) {
    const button = h("button", { type: "button", class: look }, label);
    button.addEventListener("click", click);
    return button;
  }

  // Makes a step of the story, which can be taken back.
  /** @param {(p: Position) => void} change */
  step(change) {
    this.past.push(structuredClone(this.p));
    change(this.p);
    this.frame.clear();
    this.draw();
    this.options.changed(structuredClone(this.p));
  }

  back() {
    const before = this.past.pop();
    if (!before) return;
    this.p = before;
    this.frame.clear();
    this.read();
    this.draw();
    this.options.changed(structuredClone(this.p));
  }

  draw() {
    const now = stage(this.p, this.rules);
    const [prompt, buttons] = this.ask(now);
    this.prompt.textContent = prompt;
    this.buttons.replaceChildren(...buttons);
    this.buttons.hidden = buttons.length === 0;
    for (const [card, button] of this.cards) {
      const place = where(this.p, card);
      button.dataset.place = place;
      button.dataset.mark = place === "in your hand" ? "" : place.replace("in the ", "");
      button.setAttribute("aria-label", place ? `${words(card)}, ${place}` : words(card));
    }
    this.story.textContent = this.tale();
    this.undo.disabled = this.past.length === 0;
  }

  /** @param {string} card */
  cardButton(card) {
    const button = this.button("", () => this.tap(card), "deck-card");
    button.dataset.card = card;
    button.append(face(card));
    return button;
  }

  // What is to be told next, and the buttons that tell it; cards are tapped in the deck.
  /** @param {import("./tysiac-position.js").Stage} now @returns {[string, HTMLElement[]]} */
  ask(now) {
    const { p, rules } = this;
    const { speaker, playing, bid } = auction(p, rules);
    switch (now) {
      case "deal": {
        const missing = HAND - p.hand.length;
        return [`Tap the ${HAND} cards that you were dealt: ${missing} to go`, []];
      }
      case "auction":
        return [speaker === p.seat ? "You speak: ask for advice, or tap what you say" : "What does the other say?",
          this.calls(bid)];
      case "musik": return [`Which musik do ${playing === p.seat ? "you take" : "they take"}?`,
        [1, 2].map((n) => this.button(`Musik ${n}`, () => this.step((q) => { q.taken = n; })))];
      case "cards": return [`Tap the cards of musik ${p.taken}`, []];
      case "bomb": return ["Bomb or play on?", [this.button("Not bombed",
        () => this.step((q) => { q.no_bomb = true; })), ...this.bombed()]];
      case "return": return [`Tap the cards that you return: ${2 - (p.returned?.length ?? 0)} to go`, []];
      case "contract": return [playing === p.seat ? "Which contract do you announce?"
        : "Which contract does the other announce?",
        [this.contracts(bid), ...(playing === p.seat ? [] : this.bombed())]];
      case "play": return this.played(playing);
    }
    const { points } = tricks(p, playing);
    const next = this.rules.hand ? [] : [this.button("Next hand", () => this.next(false))];
    return [`The hand is over: you ${points[p.seat]}, the other ${points[1 - p.seat]}`, next];
  }

  // A bomb begins the next hand of a whole game.
  bombed() { return this.rules.hand ? [] : [this.button("Bombed", () => this.next(true))]; }

  /** @param {boolean} bombed */
  next(bombed) {
    this.step((p) => nextHand(p, this.rules, bombed));
    this.read();
  }

  /** @param {number} bid the standing one */
  calls(bid) {
    const { start_bid, increment, max_bid, jump_bids, proof_threshold } = this.rules.bidding;
    const say = (/** @type {string} */ call) => this.step((p) => { p.auction = [...(p.auction ?? []), call]; });
    const rungs = [];
    for (let points = bid ? bid + increment : start_bid; points <= max_bid; points += increment) {
      rungs.push({ points, action: points });
      if (!bid || !jump_bids) break;
    }
    /** @type {HTMLElement[]} */
    const calls = rungs.length ? [stepper(rungs, { label: "Bid", note: () => "",
      send: (points) => say(`bid ${points}`) })] : [];
    calls.push(this.button("Pass", () => say("pass")));
    if (bid > proof_threshold && !auction(this.p, this.rules).proved) {
      SUITS.forEach((suit, i) => {
        if (40 + 20 * i >= bid - 100) calls.push(this.button(
          `Challenged, K${suit} Q${suit} shown`, () => say(`challenge ${suit}`)));
      });
    }
    return calls;
  }

  /** @param {number} bid */
  contracts(bid) {
    const rungs = [];
    for (let points = bid; points <= this.rules.contract.max; points += 10) rungs.push({ points, action: points });
    return stepper(rungs, { label: "Contract", note: () => "",
      send: (points) => this.step((p) => { p.contract = points; }) });
  }

  // The play: who is to play, and whether the led card was declared.
  /** @param {number} playing @returns {[string, HTMLElement[]]} */
  played(playing) {
    const { p } = this;
    const { player, led, points } = tricks(p, playing);
    const say = player === p.seat ? "You play: ask for advice, or tap your card"
      : `Tap the card that the other ${led ? "plays" : "leads"}`;
    const last = p.plays?.at(-1) ?? "";
    const sum = `. You ${points[p.seat]}, the other ${points[1 - p.seat]}`;
    if (!(led || this.rules.trick_rules.follower_melds) || !declares(p, last)) return [say + sum, []];
    const declared = () => this.step((q) => { q.plays = [...(q.plays ?? []).slice(0, -1), `${last} declared`]; });
    return [say + sum, [this.button(`${last} was declared`, declared)]];
  }

  // A card is tapped: what that means depends on what is to be told.
  /** @param {string} card */
  tap(card) {
    const now = stage(this.p, this.rules);
    const place = where(this.p, card);
    const mine = auction(this.p, this.rules).playing === this.p.seat;
    if (now === "deal") {
      this.step((p) => { p.hand = place ? p.hand.filter((c) => c !== card) : [...p.hand, card]; });
    } else if (now === "cards" && !place) {
      this.step((p) => {
        p.musik = [...(p.musik ?? []), card];
        if (mine) p.hand = [...p.hand, card];
      });
    } else if (now === "return" && place === "in your hand") {
      this.step((p) => {
        p.returned = [...(p.returned ?? []), card];
        p.hand = p.hand.filter((c) => c !== card);
      });
    } else if (now === "play" && place !== "played" && place !== "returned") {
      const own = tricks(this.p, auction(this.p, this.rules).playing).player === this.p.seat;
      if (own !== (place === "in your hand")) {
        this.complain("plays", `the ${card} is ${own ? "not " : ""}in your hand`);
        return;
      }
      this.step((p) => {
        p.plays = [...(p.plays ?? []), card];
        p.hand = p.hand.filter((c) => c !== card);
      });
    }
  }

  // What was entered so far, in words.
  tale() {
    const { p } = this;
    const parts = [];
    if (p.auction?.length) {
      const forehand = dealerOf(p, this.rules) === p.seat ? "the other begins" : "you begin";
      parts.push(`Auction: ${forehand}, ${p.auction.join(", ")}`);
    }
    if (p.musik?.length) parts.push(`musik ${p.taken}: ${p.musik.join(" ")}`);
    if (p.returned?.length) parts.push(`returned: ${p.returned.join(" ")}`);
    if (p.contract) parts.push(`contract ${p.contract}`);
    if (p.plays?.length) parts.push(`played: ${p.plays.join(", ")}`);
    return parts.length ? `${parts.join(". ")}.` : "";
  }

  /** @param {Position} position */
  set(position) {
    this.p = structuredClone(position);
    this.past = [];
    this.frame.clear();
    this.read();
    this.draw();
  }

  /** @param {string} field @param {string} problem */
  complain(field, problem) { this.frame.complain(field, problem); }

  destroy() { this.root.remove(); }
}
