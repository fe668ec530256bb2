// The link to a table: what its eye sees, as it changes, through lost connections.

import { capital } from "./format.js";

const SILENCE = 25000; // ms without any event after which the connection counts as lost
const AGAIN = 1000; // ms before it is tried again

/** A refusal of the server: its sentence, and what else it said. */
export class Refused extends Error {
  /** @param {{ error?: string, field?: string, show?: Show }} answer @param {number} status */
  constructor(answer, status) {
    super(answer.error ?? "The server refused the request.");
    this.field = answer.field;
    this.show = answer.show;
    this.status = status;
  }
}

/**
 * ask sends a request and returns its document. It throws Refused, or the browser's error where there
 * is no connection.
 * @param {string} path
 * @param {unknown} [body] of a POST; without it, a GET
 * @param {RequestInit} [options] method, signal
 * @returns {Promise<any>}
 */
export async function ask(path, body, options = {}) {
  const sent = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body) };
  const response = await fetch(path, { cache: "no-store", ...sent, ...options });
  const text = await response.text();
  if (response.status === 401) logInAgain();
  if (response.ok) return text ? JSON.parse(text) : null;
  throw new Refused(text.startsWith("{") ? JSON.parse(text) : { error: text.trim() }, response.status);
}

/** logInAgain leads to the login and back, where a session has ended. Guests at a table have none. */
export function logInAgain() {
  if (document.documentElement.dataset.guest !== undefined) return;
  const { pathname, search, hash } = location;
  location.assign(`/login?${new URLSearchParams({ next: pathname + search + hash })}`);
}

/**
 * sentence reports what went wrong, for people.
 * @param {unknown} problem
 */
export function sentence(problem) {
  if (!(problem instanceof Refused)) return "There is no connection to Croupier.";
  return capital(problem.message) + (/[.!?]$/.test(problem.message) ? "" : ".");
}

/** A table as one eye has it. */
export class Link {
  /**
   * @param {string} id of the table
   * @param {string} key of a seat, of spectators or of its host
   * @param {{ show: (show: Show) => void, state: (state: "live" | "lost" | "gone", problem?: unknown) => void }} on
   */
  constructor(id, key, on) {
    this.id = id;
    this.key = key;
    this.on = on;
    this.revision = -1;
    this.watchdog = this.retry = 0;
    /** @type {EventSource | null} */
    this.source = null;
    this.again = () => { if (!document.hidden && !this.source) this.open(); };
    document.addEventListener("visibilitychange", this.again);
    addEventListener("online", this.again);
    this.open();
  }

  /** @param {string} what @param {string} [key] */
  path(what, key = this.key) {
    return `/api/tables/${encodeURIComponent(this.id)}${what}?key=${encodeURIComponent(key)}`;
  }

  /** use switches to another key, and shows what that one sees as if nothing had been shown. @param {string} key */
  use(key) {
    if (key === this.key) return;
    this.key = key;
    this.revision = -1;
    this.open();
  }

  open() {
    this.shut();
    const source = new EventSource(this.path("/events"));
    this.source = source;
    source.addEventListener("open", () => this.fetch());
    source.addEventListener("show", (event) => this.take(JSON.parse(event.data)));
    source.addEventListener("ping", () => this.alive());
    source.addEventListener("error", () => this.lost());
  }

  alive() {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.lost(), SILENCE);
    this.on.state("live");
  }

  /**
   * take shows what an eye sees, unless the link has another key by now: what others see is not for this one.
   * @param {Show} show
   * @param {string} [key] with which it was asked for
   */
  take(show, key = this.key) {
    if (key !== this.key) return;
    this.alive();
    const revision = show.table?.revision ?? 0;
    if (revision <= this.revision) return;
    this.revision = revision;
    this.on.show(show);
  }

  // fetch asks for the present position: what changed while there was no connection.
  async fetch() {
    const { key } = this;
    try {
      this.take(await ask(this.path("")), key);
    } catch (problem) {
      if (key === this.key) this.lost(problem);
    }
  }

  /** @param {unknown} [problem] */
  async lost(problem) {
    const { key } = this;
    if (problem === undefined) {
      try {
        await ask(this.path(""));
      } catch (found) {
        problem = found;
      }
    }
    if (key !== this.key) return;
    const gone = problem instanceof Refused && problem.status < 500;
    this.shut();
    this.on.state(gone ? "gone" : "lost", problem);
    if (!gone) this.retry = setTimeout(() => this.open(), AGAIN);
  }

  /**
   * post asks the table for something.
   * @param {string} what "/act"
   * @param {unknown} [body]
   * @param {{ key?: string, signal?: AbortSignal }} [options]
   */
  post(what, body = {}, { key, signal } = {}) {
    return ask(this.path(what, key), body, { signal });
  }

  shut() {
    clearTimeout(this.watchdog);
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  close() {
    this.shut();
    document.removeEventListener("visibilitychange", this.again);
    removeEventListener("online", this.again);
  }
}
