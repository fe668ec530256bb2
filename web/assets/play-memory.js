// What the browser remembers for the page Play: the person's name, what was chosen last, and the
// keys of tables at which they sit.

import { keep, recall } from "./storage.js";

const KEY = "croupier.play";
const TABLES = 8; // remembered

/** @typedef {{ table: string, key: string, watch?: string, host?: string, game: string, title: string,
 *   at: number }} Known */
/** @typedef {{ name: string, game: string, timeout: number, levels: Record<string, string>, tables: Known[],
 *   person: string, bets: Record<string, number>, here: string[] }} Memory */

/**
 * What is remembered; change it by remember.
 * @type {Memory}
 */
export const memory = { name: "", game: "", timeout: -1, levels: {}, tables: [], person: "", bets: {}, here: [],
  ...recall(KEY) };

/** @param {Partial<Memory>} part */
export function remember(part) {
  Object.assign(memory, part);
  keep(KEY, memory);
}

/** personKey returns the key under which the server keeps what the person has played: made once,
 *   and nobody can guess it. */
export function personKey() {
  if (!/^[0-9a-f]{32}$/.test(memory.person)) {
    const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
    remember({ person: bytes.map((b) => b.toString(16).padStart(2, "0")).join("") });
  }
  return memory.person;
}

/** @param {Known} known */
export function rememberTable(known) {
  remember({ tables: [known, ...memory.tables.filter((t) => t.table !== known.table)].slice(0, TABLES) });
}

/** @param {string} table */
export function forgetTable(table) {
  remember({ tables: memory.tables.filter((t) => t.table !== table) });
}

/**
 * placeOf is the fragment of a table.
 * @param {{ table: string, key?: string, watch?: string, host?: string }} known
 */
export function placeOf({ table, key, watch, host }) {
  const place = new URLSearchParams({ table });
  if (key) place.set("key", key);
  if (watch && !key) place.set("watch", watch);
  if (host) place.set("host", host);
  return `#${place}`;
}
