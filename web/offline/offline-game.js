// A game from a file: a WebAssembly module with the interface of docs/guide/own-games.md. A position is the bytes of
// the module's state and what the module tells of it; it does not change.

import { instantiate } from "./offline-host.js";

/**
 * @typedef {object} Position
 * @property {Uint8Array} state
 * @property {number} player the seat to move, CHANCE or TERMINAL
 * @property {number[]} steps that are possible
 * @property {number[]} weights of the outcomes at a node of chance
 * @property {number[]} returns of each seat at the end
 *
 * @typedef {object} Description the keys that are read here
 * @property {string} name
 * @property {string} title
 * @property {string} summary
 * @property {number} seats
 * @property {string[]} [roles]
 * @property {{ name: string, count: number, names?: string[] }[]} actions
 * @property {number} [outcomes]
 * @property {string[]} [outcome_names]
 * @property {{ name: string, size: number }[]} observation
 * @property {string} payoff
 * @property {string} unit
 * @property {string} [coin] what people are shown returns in, of which a unit has `per_unit`; absent: the unit
 * @property {number} [per_unit]
 * @property {number} max_history
 * @property {boolean} [hidden_information]
 * @property {boolean} [covert]
 */

export const CHANCE = -1;
export const TERMINAL = -2;
export const UNNOTICED = -2;
export const EVERYBODY = -1;

// The words of the table.
const [DESCRIPTION, RULES, STATE, STATE_SIZE, NODE, STEPS, WEIGHTS, OBSERVATION, RETURNS] =
  [1, 2, 3, 4, 5, 6, 7, 8, 9];
const WORDS = 12;

export class Game {
  /**
   * open reads a file under rules, the numbers that the module gets.
   * @param {Uint8Array<ArrayBuffer>} file
   * @param {number[]} rules
   */
  static async open(file, rules) {
    return new Game(await instantiate(file), rules);
  }

  /** @param {any} module @param {number[]} rules */
  constructor(module, rules) {
    this.module = module;
    /** @type {number[]} */
    this.table = [];
    this.read();
    rules.forEach((v, i) => this.view().setInt32(this.table[RULES] + 4 * i, v, true));
    if (rules.length) this.read();
    /** @type {Description} */
    this.description = JSON.parse(this.text(this.table[DESCRIPTION]));
    this.names = this.description.actions.flatMap(({ name, count, names }) =>
      Array.from({ length: count }, (_, i) => names?.[i] ?? `${name} ${i}`));
    this.observed = this.description.observation.reduce((sum, { size }) => sum + size, 0);
  }

  read() {
    const table = this.module.game();
    this.table = Array.from({ length: WORDS }, (_, i) => this.view().getUint32(table + 4 * i, true));
  }

  view() {
    return new DataView(this.module.memory.buffer);
  }

  /** @param {number} address of a text that a zero ends */
  text(address) {
    const bytes = new Uint8Array(this.module.memory.buffer, address);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /**
   * on calls an export with a state.
   * @param {Uint8Array} state @param {string} name @param {number[]} values
   * @returns {number} what it returns, if anything
   */
  on(state, name, ...values) {
    const memory = new Uint8Array(this.module.memory.buffer);
    memory.set(state, this.table[STATE]);
    memory.fill(0, this.table[OBSERVATION], this.table[OBSERVATION] + 4 * this.observed);
    memory.fill(0, this.table[RETURNS], this.table[RETURNS] + 8 * this.description.seats);
    return this.module[name](...values);
  }

  /** @returns {Position} the position that the module has made */
  position() {
    const view = this.view();
    const [player, count] = [0, 4].map((i) => view.getInt32(this.table[NODE] + i, true));
    const list = (/** @type {number} */ word, /** @type {number} */ length) =>
      Array.from({ length }, (_, i) => view.getUint32(this.table[word] + 4 * i, true));
    return {
      state: new Uint8Array(view.buffer, this.table[STATE], this.table[STATE_SIZE]).slice(),
      player,
      steps: list(STEPS, count),
      weights: player === CHANCE ? list(WEIGHTS, count) : [],
      returns: player !== TERMINAL ? [] : Array.from({ length: this.description.seats }, (_, seat) =>
        view.getFloat64(this.table[RETURNS] + 8 * seat, true)),
    };
  }

  begin() {
    this.on(new Uint8Array(this.table[STATE_SIZE]), "reset");
    return this.position();
  }

  /** @param {Position} from @param {number} step a possible one */
  step(from, step) {
    this.on(from.state, "step", step, 0);
    return this.position();
  }

  /** @param {Position} at @param {number} seat */
  observe({ state }, seat) {
    this.on(state, "observe", seat);
    return new Float32Array(this.module.memory.buffer.slice(this.table[OBSERVATION],
      this.table[OBSERVATION] + 4 * this.observed));
  }

  /**
   * seen is what a seat sees of a step that is about to be made: the step, another number if it sees only a part, -1 if
   * it is hidden, UNNOTICED.
   * @param {Position} at @param {number} seat @param {number} step
   */
  seen({ state }, seat, step) {
    return this.description.hidden_information ? this.on(state, "seen", seat, step) : step;
  }

  /** @param {Position} at @param {number} step */
  name({ state, player }, step) {
    const address = this.module.name ? this.on(state, "name", step) : 0;
    if (address) return this.text(address);
    return player === CHANCE ? this.description.outcome_names?.[step] ?? String(step) : this.names[step];
  }

  /**
   * told is what a seat sees of a step, in words; "" if it sees only that it is made.
   * @param {Position} at @param {number} seat @param {number} step @param {number} what as seen returns it
   */
  told(at, seat, step, what) {
    if (what < 0) return "";
    const own = this.module.told ? this.on(at.state, "told", seat, step) : 0;
    if (own) return this.text(own);
    return at.player !== CHANCE || what === step ? this.name(at, step) : "";
  }

  /**
   * obvious is the action of the seat to move that needs no thought, or -1.
   * @param {Position} at
   */
  obvious({ state }) {
    return this.module.obvious ? this.on(state, "obvious") : -1;
  }

  /**
   * show is what a seat sees: the game's own view, with the position as text; without these, what it observes.
   * @param {Position} at @param {number} seat
   */
  show(at, seat) {
    const declared = this.module.view ? this.on(at.state, "view", seat) : 0;
    const view = declared ? JSON.parse(this.text(declared)) : {};
    const written = this.module.text && !this.description.hidden_information ? this.on(at.state, "text") : 0;
    if (written) view.text ||= this.text(written);
    return this.module.view || written ? view : { text: this.observation(at, seat) };
  }

  /** @param {Position} at @param {number} seat */
  observation(at, seat) {
    const values = this.observe(at, seat);
    let first = 0;
    return this.description.observation.map(({ name, size }) => {
      const part = Array.from(values.slice(first, first += size));
      const written = size <= WHOLE ? part.map(short).join(" ")
        : part.flatMap((v, i) => (v === 0 ? [] : v === 1 ? [`${i}`] : [`${i}: ${short(v)}`])).join(", ");
      return `${name.replaceAll("_", " ")}: ${written}`;
    }).join("\n");
  }
}

const WHOLE = 16; // the greatest size of a segment of which all numbers are shown

const short = (/** @type {number} */ v) => String(Number(v.toPrecision(3)));
