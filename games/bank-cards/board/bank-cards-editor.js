// Tells a position of BANK! cards by tapping what has happened: the own cards, then turn by turn what
// was played or drawn. So it serves at a real table, too.

import { style } from "./board.js";
import { h } from "./dom.js";
import { fields } from "./fields.js";

/**
 * A position as ParsePosition reads it (games/bank-cards/README.md).
 * @typedef {{seat: number, turn: number, hand: number[], counts: number[], pile?: number[], top?: number,
 *   held?: number[],
 *   deck?: number}} Position
 * @typedef {{players: number, deck: number, hand: number, strict: boolean}} Rules
 */

/** @type {NonNullable<Board["editor"]>} */
export const bankCardsEditor = (host, options) => new BankCardsEditor(host, options);

/** @implements {MountedEditor} */
class BankCardsEditor {
  /** @param {HTMLElement} host @param {EditorOptions} options */
  constructor(host, options) {
    style("bank-cards.css");
    this.options = options;
    this.rules = /** @type {Rules} */ (/** @type {unknown} */ (options.rules));
    /** @type {Position} */
    this.p = structuredClone(options.position);
    /** The seat whose eyes these are: that of the position, which may not be on turn while others are described. */
    this.me = this.p.seat;
    /** Whose turn it is. */
    this.turn = this.p.turn;
    /** Drawing a card of the own, which is then tapped. */
    this.drawing = false;
    /** @type {(() => void)[]} */
    this.past = [];
    this.prompt = h("p", { class: "status", role: "status" });
    this.drew = this.button("Drew a card", () => this.draws());
    this.passed = this.button("Passed", () => this.step(() => this.next()));
    this.undo = this.button("Undo", () => this.back());
    const fresh = this.button("New game", () => this.step(() => this.clear()));
    this.cards = Array.from({ length: this.rules.deck }, (_, i) => this.cardButton(i + 1));
    this.root = h("div", { class: "bank-cards editor-bank-cards" }, this.prompt,
      h("p", { class: "moves" }, this.drew, this.passed, this.undo, fresh),
      h("div", { class: "numbers", role: "group", "aria-label": "Cards" }, this.cards));
    host.append(this.root);
    this.frame = fields(this.root, () => this.told());
    const part = this.frame.part("The table");
    const seats = /** @type {[number, string][]} */ (Array.from(
      { length: this.rules.players }, (_, i) => [i, `seat ${i + 1}`]));
    this.seat = this.frame.choice(part, "seat", "You sit on", seats);
    this.number = this.frame.number(part, "turn", "Turn", { min: 1, max: 500 });
    this.counts = seats.map(([i, name]) => this.frame.number(
      part, `counts[${i}]`, `Cards of ${name}`, { max: this.rules.deck }));
    this.read();
    this.draw();
  }

  /** @param {string} label @param {() => void} click */
  button(label, click) {
    const button = h("button", { type: "button" }, label);
    button.addEventListener("click", click);
    return button;
  }

  /** @param {number} card */
  cardButton(card) {
    const button = this.button(`${card}`, () => this.tap(card));
    button.dataset.card = `${card}`;
    return button;
  }

  // Puts the position into the fields.
  read() {
    this.seat.set(this.me);
    this.number.set(this.turn);
    this.counts.forEach((field, i) => field.set(this.p.counts[i] ?? this.rules.hand));
  }

  // A field was changed.
  told() {
    this.step(() => {
      this.me = this.seat.get();
      this.turn = this.number.get();
      this.p.counts = this.counts.map((field) => field.get());
      this.p.counts[this.me] = this.p.hand.length;
    });
  }

  // The seat whose turn it is.
  get mover() { return (this.turn - 1) % this.rules.players; }

  /** Cards of the own hand are missing at the beginning. */
  get dealing() { return this.p.hand.length < this.rules.hand && this.turn <= this.rules.players &&
    !this.p.pile?.length; }

  /** @param {() => void} change */
  step(change) {
    const [p, me, turn, drawing] = [structuredClone(this.p), this.me, this.turn, this.drawing];
    this.past.push(() => Object.assign(this, { p, me, turn, drawing }));
    change();
    this.changed();
  }

  back() {
    this.past.pop()?.();
    this.changed();
  }

  // Tells what the seat would be asked: its position, at its turn.
  changed() {
    this.p.seat = this.me;
    this.p.turn = this.turn;
    delete this.p.deck; // follows from the rest
    this.frame.clear();
    this.read();
    this.draw();
    this.options.changed(structuredClone(this.p));
  }

  clear() {
    const { players, hand } = this.rules;
    this.p = { seat: this.me, turn: 1, hand: [], counts: Array.from(
      { length: players }, (_, i) => (i === this.me ? 0 : hand)) };
    this.turn = 1;
    this.drawing = false;
  }

  next() {
    this.turn++;
    this.drawing = false;
  }

  // Somebody draws: the pile becomes the deck where that is empty, and what is not in it is in hands.
  draws() {
    this.step(() => {
      const { p, rules } = this;
      const pile = p.pile ?? [];
      const inHands = p.counts.reduce((a, b) => a + b, 0);
      if (rules.deck - pile.length - inHands === 0) {
        const gone = new Set([...pile, ...p.hand]);
        p.held = Array.from({ length: rules.deck }, (_, i) => i + 1).filter((card) => !gone.has(card));
        delete p.pile;
        delete p.top;
      }
      if (this.mover === this.me) this.drawing = true;
      else {
        p.counts[this.mover]++;
        this.next();
      }
    });
  }

  // A card is tapped: what that means depends on whose turn it is.
  /** @param {number} card */
  tap(card) {
    const { p } = this;
    const own = p.hand.includes(card);
    if (this.dealing || this.drawing) {
      if (p.pile?.includes(card) || (own && this.drawing)) return this.complain("hand", `card ${card} cannot be drawn`);
      this.step(() => {
        p.hand = own ? p.hand.filter((c) => c !== card) : [...p.hand, card].sort((a, b) => a - b);
        p.counts[this.me] = p.hand.length;
        if (this.drawing) this.next();
      });
    } else if (p.pile?.includes(card) || own !== (this.mover === this.me)) {
      this.complain("pile", own ? `card ${card} is in your hand` : `card ${card} cannot be played now`);
    } else {
      this.step(() => {
        p.hand = p.hand.filter((c) => c !== card);
        p.held = p.held?.filter((c) => c !== card);
        p.pile = [...(p.pile ?? []), card];
        p.top = card;
        p.counts[this.mover]--;
        this.next();
      });
    }
  }

  draw() {
    const { p } = this;
    const mine = this.mover === this.me;
    this.prompt.textContent = this.dealing ? `Tap the ${this.rules.hand} cards that you were dealt`
      : this.drawing ? "Tap the card that you drew"
        : mine ? "Your turn: ask for advice, or tap what you did" : `Tap what seat ${this.mover + 1} did`;
    const wait = this.dealing || this.drawing;
    this.drew.disabled = this.passed.disabled = wait;
    this.undo.disabled = this.past.length === 0;
    this.cards.forEach((button, i) => {
      const card = i + 1;
      const place = p.hand.includes(card) ? "in your hand" : p.top === card ? "on top of the pile"
        : p.pile?.includes(card) ? "on the pile"
        : p.held?.includes(card) ? "in another hand" : "";
      button.dataset.place = place;
      button.setAttribute("aria-label", place ? `card ${card}, ${place}` : `card ${card}`);
    });
  }

  /** @param {Position} position */
  set(position) {
    this.p = structuredClone(position);
    [this.me, this.turn, this.drawing, this.past] = [position.seat, position.turn, false, []];
    this.frame.clear();
    this.read();
    this.draw();
  }

  /** @param {string} field @param {string} problem */
  complain(field, problem) { this.frame.complain(field, problem); }

  destroy() { this.root.remove(); }
}
