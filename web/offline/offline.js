// A page in which a person plays a game with a network, without a server. The page holds all of it
// (package offline).

import { byId, h } from "./dom.js";
import { CHANCE, Game, TERMINAL, UNNOTICED } from "./offline-game.js";
import { Network, choose, drawn } from "./offline-network.js";

/**
 * @typedef {object} Content what the page holds
 * @property {string} file the game's, compressed by gzip, in base64
 * @property {string} board the script of its board
 * @property {number[]} rules
 * @property {import("./offline-network.js").Plan} network
 * @property {string} weights in base64, numbers of 32 bits, little-endian
 * @property {number} temperature
 *
 * @typedef {import("./offline-game.js").Position} Position
 */

const EVENTS = 40; // the newest steps, which are shown

/** @param {string} base64 */
const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** @param {number} r a return, with as many decimals as it needs and at most 3 */
const amount = (r) => `${r > 0 ? "+" : r < 0 ? "−" : ""}${Number(Math.abs(r).toFixed(3))}`;

class Page {
  /** @param {Game} game @param {Content} content @param {Board} board */
  constructor(game, content, board) {
    this.game = game;
    this.temperature = content.temperature;
    this.network = new Network(content.network, new Float32Array(bytes(content.weights).buffer));
    this.seats = game.description.seats;
    this.seat = 0; // the person's
    /** @type {number[]} */
    this.history = [];
    /** @type {GameEvent[]} */
    this.events = [];
    /** @type {Float64Array[]} */
    this.memories = [];
    this.steps = 0; // that the person has noticed
    this.at = game.begin();
    this.board = board.mount(byId("board"), { act: (action) => this.act(action),
      settings: { motion: false, fourColours: false, sound() {} } });
    this.choices();
  }

  // choices fills the list of seats.
  choices() {
    const select = byId("seat", HTMLSelectElement);
    const roles = this.game.description.roles;
    select.replaceChildren(...Array.from({ length: this.seats }, (_, seat) =>
      h("option", { value: seat }, roles?.[seat] ?? `Seat ${seat + 1}`)));
    select.addEventListener("change", () => {
      this.seat = Number(select.value);
      this.begin();
    });
    byId("again").addEventListener("click", () => this.begin());
  }

  begin() {
    this.history = [];
    this.events = [];
    this.steps = 0;
    this.memories = Array.from({ length: this.seats }, () => this.network.memory());
    this.at = this.game.begin();
    this.others();
    this.show();
  }

  get over() {
    return this.at.player === TERMINAL || this.history.length >= this.game.description.max_history;
  }

  // others has chance and the network move until it is the person's turn.
  others() {
    while (!this.over) {
      const { player, steps, weights } = this.at;
      const obvious = player === this.seat ? this.game.obvious(this.at) : -1;
      if (player === this.seat && obvious < 0) return;
      this.step(player === CHANCE ? steps[drawn(weights, Math.random)] : obvious < 0 ? this.decision(player) : obvious);
    }
  }

  /** @param {number} seat */
  decision(seat) {
    const { actions } = this.network.decide(this.game.observe(this.at, seat), this.at.steps, this.memories[seat]);
    return choose(actions, this.at.steps, this.temperature, Math.random);
  }

  /** @param {number} step */
  step(step) {
    const { player } = this.at;
    const what = this.game.seen(this.at, this.seat, step);
    if (what !== UNNOTICED) {
      this.events.push({ step: ++this.steps, player, name: this.game.told(this.at, this.seat, step, what) });
    }
    this.at = this.game.step(this.at, step);
    this.history.push(step);
  }

  /** @param {number} action */
  act(action) {
    if (this.over || !this.at.steps.includes(action)) {
      byId("turn").textContent = this.over ? "The game is over." : "That is not possible now.";
      return;
    }
    this.step(action);
    this.others();
    this.show();
  }

  /** @param {number} seat */
  nameOf(seat) {
    if (seat === this.seat) return "You";
    const role = this.game.description.roles?.[seat];
    return role ?? (this.seats === 2 ? "Croupier" : `Croupier, seat ${seat + 1}`);
  }

  /** @returns {Show} */
  position() {
    const mine = !this.over && this.at.player === this.seat;
    const { covert, name, title } = this.game.description;
    return {
      game: name, title, rules: {}, eye: this.seat, step: this.steps,
      seats: Array.from({ length: this.seats }, (_, seat) =>
        ({ name: this.nameOf(seat), kind: seat === this.seat ? "you" : "agent" })),
      mover: mine || this.over || !covert ? this.at.player : -3,
      view: this.game.show(this.at, this.seat),
      actions: mine ? this.at.steps.map((action) => ({ action, name: this.game.name(this.at, action) })) : [],
      events: this.events.slice(-EVENTS),
      over: this.ended(),
    };
  }

  show() {
    const held = byId("board").contains(document.activeElement);
    const show = this.position();
    this.board.show(show);
    byId("turn").textContent = this.over ? this.result() : "Your turn.";
    byId("main").dataset.history = this.history.join(" ");
    byId("main").dataset.over = String(this.over);
    if (!held || byId("board").contains(document.activeElement)) return;
    const next = show.actions.map(({ action }) => this.board.element(action)).find(Boolean);
    const target = /** @type {HTMLElement} */ (this.over ? byId("again") : next ?? byId("again"));
    target.focus({ preventScroll: true });
  }

  /** paid is what the seats have got, as people are shown it. */
  paid() {
    const { unit, coin = unit, per_unit: scale = 1 } = this.game.description;
    return { unit: coin, returns: this.at.returns.map((r) => Math.round(r * scale * 1e6) / 1e6) };
  }

  /** @returns {Over | undefined} */
  ended() {
    const { unit, returns } = this.paid();
    if (!returns.length) return undefined;
    const { payoff } = this.game.description;
    const [best, least] = [Math.max(...returns), Math.min(...returns)];
    const word = (/** @type {number} */ r) => payoff === "money" ? r > 0 ? "gained" : r < 0 ? "lost" : "even"
      : best === least ? "tied" : r === best ? "won" : "lost";
    return { returns, unit, decimals: returns.every(Number.isInteger) ? 0 : 3, results: returns.map(word) };
  }

  result() {
    const { unit, returns } = this.paid();
    if (!returns.length) return `The game is broken off after ${this.history.length} steps.`;
    const { payoff } = this.game.description;
    const own = returns[this.seat];
    if (payoff === "money") {
      const word = own > 0 ? "gain" : own < 0 ? "lose" : "";
      return word ? `The game is over: you ${word} ${amount(Math.abs(own)).slice(1)} ${unit}.`
        : "The game is over: you neither gain nor lose.";
    }
    const best = Math.max(...returns);
    const winners = returns.filter((r) => r === best).length;
    if (own < best) return "The game is over: you have lost.";
    return winners === this.seats ? "The game is over: a draw."
      : winners > 1 ? "The game is over: you share the win." : "The game is over: you have won.";
  }
}

/** @param {unknown} problem */
function fail(problem) {
  byId("turn").textContent = `The game has failed: ${problem instanceof Error ? problem.message : problem}`;
}

/** @param {Uint8Array<ArrayBuffer>} file that gzip has compressed */
const unpacked = async (file) => new Uint8Array(await new Response(
  new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());

async function main() {
  /** @type {Content} */
  const content = JSON.parse(byId("content").textContent ?? "");
  const { board } = await import(content.board);
  const page = new Page(await Game.open(await unpacked(bytes(content.file)), content.rules), content, board);
  page.begin();
}

addEventListener("error", ({ error }) => fail(error));
main().catch(fail);
