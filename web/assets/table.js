// A table: the board of its game, whose turn it is, what may be asked, how it ended. The server
// decides; this page shows what its seat sees and sends the numbers of actions.

import { boardOf } from "./board.js";
import { byId, h } from "./dom.js";
import { paced } from "./paced.js";
import { forgetTable, placeOf, rememberTable } from "./play-memory.js";
import { showLine } from "./position.js";
import { drawer, settings } from "./settings.js";
import { betsIn } from "./table-bets.js";
import { clockIn } from "./table-clock.js";
import { byName, deviceIn } from "./table-device.js";
import { ending } from "./table-end.js";
import { helpIn } from "./table-help.js";
import { keysOf } from "./table-keys.js";
import { Link, Refused, sentence } from "./table-link.js";
import { inWords, logIn } from "./table-log.js";
import { outlookIn } from "./table-outlook.js";
import { partyIn } from "./table-party.js";
import { watchingIn } from "./table-watch.js";

const LATE = 409; // the answer to a click that another step was quicker than

/**
 * sitting opens the table of a fragment; it returns what closes it.
 * @param {URLSearchParams} place table with key (of a seat) or watch, and perhaps host
 */
export function sitting(place) {
  const page = new TablePage(place);
  return () => page.close();
}

/** What the parts of the page share. */
export class TablePage {
  /** @param {URLSearchParams} place */
  constructor(place) {
    this.place = place;
    this.id = place.get("table") ?? "";
    this.host = place.get("host") ?? "";
    /** @type {Show | null} the newest */
    this.newest = null;
    /** @type {Show | null} on the board */
    this.shown = null;
    /** @type {MountedBoard | null} */
    this.board = null;
    this.answering = -1; // the step to which an action is on its way
    this.held = true; // whether the focus was on the board, or nowhere: who sits down continues there
    this.mounting = "";
    const log = byId("log").querySelector("ol");
    if (!log) throw new Error("the page has no log");
    this.log = logIn(log);
    this.log.clear();
    this.strip();
    this.clock = clockIn(byId("clock"));
    this.help = helpIn(this);
    this.end = ending(this);
    this.party = partyIn(this);
    this.bets = betsIn(this);
    this.watching = watchingIn(this);
    this.outlook = outlookIn(this);
    this.abort = new AbortController();
    this.drawing = paced(() => this.draw());
    this.device = deviceIn(this);
    byId("log", HTMLDetailsElement).open = innerWidth > 900;
    byId("liked").replaceChildren(drawer(() => this.redraw()));
    keysOf(this);
    this.complain("");
    this.link = new Link(this.id, place.get("key") ?? place.get("watch") ?? this.host, {
      show: (show) => this.take(show),
      state: (state, problem) => this.connection(state, problem),
    });
  }

  strip() {
    /** @type {[string, string, string, () => void][]} */
    const buttons = [
      ["hint-button", "Hint", "h", () => this.help.hint()],
      ["undo-button", "Undo", "u", () => this.undo()],
      ["again-button", "New game", "n", () => this.again(false)],
      ["exchange-button", "Same deal, seats exchanged", "x", () => this.again(true)],
      ["leave-button", "Leave", "", () => this.leave()],
    ];
    byId("strip").replaceChildren(...buttons.map(([id, text, key, act]) => {
      const button = h("button", { type: "button", id, "aria-keyshortcuts": key || null }, text);
      button.addEventListener("click", act);
      return button;
    }));
  }

  /** @param {Show} show */
  take(show) {
    this.newest = show;
    if (show.table?.next) {
      this.follow(show.table.next);
      return;
    }
    if (show.table?.device?.covered) this.link.use(this.place.get("key") ?? "");
    if (this.board) this.drawing.ask();
    else this.mount(show.game);
  }

  /** @param {string} game */
  async mount(game) {
    if (this.mounting) return;
    this.mounting = game;
    const board = await boardOf(game);
    if (this.abort.signal.aborted || !this.newest) return;
    byId("board").replaceChildren();
    this.board = board.mount(byId("board"), { act: (action) => this.act(action), settings });
    this.drawing.ask();
  }

  draw() {
    const show = this.newest;
    if (!show) return;
    if (this.shown && this.shown.eye !== show.eye) this.turn();
    const before = this.shown;
    this.shown = show;
    const host = byId("board");
    if (host.contains(document.activeElement)) this.held = true;
    if (before?.step !== show.step) this.help.forget();
    this.board?.show(show, before && before.step <= show.step ? before : undefined);
    this.log.show(show);
    this.tell(show);
    this.clock.show(show.clock, show.mover === show.eye);
    this.help.show(show);
    this.party.show(show);
    this.device.show(show);
    this.bets.show(show);
    this.watching.show(show);
    this.outlook.show(show);
    this.end.show(show);
    if (before && before.step !== show.step) this.complain("");
    if (this.held) this.keepFocus(show);
    const section = byId("table");
    section.dataset.step = String(show.step);
    section.dataset.state = show.table?.state ?? "";
    section.dataset.mover = show.mover === show.eye ? "you" : String(show.mover);
  }

  // turn forgets what another eye has seen.
  turn() {
    this.shown = null;
    this.log.clear();
  }

  // uncover shows the cards of the one at the device who is asked.
  /** @param {number} seat */
  uncover(seat) {
    this.held = true;
    this.link.use(`${this.place.get("key")}:${seat}`);
  }

  // answer says which of those at the device who are asked together do it.
  /** @param {number[]} seats */
  async answer(seats) {
    const show = this.newest;
    if (!show || this.answering === show.step) return;
    this.answering = show.step;
    await this.request("/poll", { step: show.step, seats });
    if (this.answering === show.step) this.answering = -1;
  }

  // keepFocus puts the focus back onto the board where showing a position took it away.
  /** @param {Show} show */
  keepFocus(show) {
    const active = document.activeElement;
    if (active && active !== document.body) {
      this.held = byId("board").contains(active);
      return;
    }
    for (const { action } of show.actions) {
      const element = /** @type {HTMLElement | null | undefined} */ (this.board?.element(action));
      if (!element || element.matches(":disabled")) continue;
      const target = element.matches("button, [tabindex]") ? element
        : /** @type {HTMLElement | null} */ (element.querySelector("button, [tabindex]"));
      target?.focus({ preventScroll: true });
      if (target && target === document.activeElement) return;
    }
  }

  redraw() {
    if (this.shown) this.board?.show(this.shown);
  }

  /** @param {Show} show */
  tell(show) {
    const turn = byId("turn");
    turn.setAttribute("aria-live", show.eye >= 0 ? "polite" : "off");
    const here = show.table?.device;
    const mine = show.mover === show.eye && !show.over;
    const last = show.events.at(-1);
    turn.classList.toggle("yours", mine || here !== undefined && here.asked >= 0);
    turn.replaceChildren(h("b", {}, turnOf(show)), " ", h("span", {}, last && !show.over ? inWords(show, last) : ""));
    byId("sitting").replaceChildren(...show.seats.map((seat, i) => h("li", {
      class: seat.kind, title: seat.about, "aria-current": i === show.mover ? "true" : null,
    }, seat.name, seat.kind === "person" && !seat.present && h("small", {}, " (away)"),
      seat.kind === "open" && h("small", {}, " (free)"))));
    byId("table-title").textContent = show.title;
    byId("table-rules", HTMLAnchorElement).href = rulesOf(show);
    showLine(byId("position-line"), show.line);
    document.title = `${mine && !here ? "● Your turn · " : ""}Play · Croupier`;
    this.buttons(show, mine);
  }

  /** @param {Show} show @param {boolean} mine */
  buttons(show, mine) {
    const seated = show.eye >= 0 || show.table?.device !== undefined;
    const { help = false, undo = false } = show.table ?? {};
    const set = (/** @type {string} */ id, /** @type {boolean} */ there, /** @type {boolean} */ possible = true) => {
      const button = byId(id, HTMLButtonElement);
      button.hidden = !there;
      button.disabled = !possible;
    };
    set("hint-button", seated && help && !show.over, mine);
    set("undo-button", seated && !show.over, undo);
    byId("again-button").textContent = show.table?.bets ? "Next hand" : "New game";
    set("again-button", seated || (this.host !== "" && show.over !== undefined));
    set("exchange-button", seated && show.seats.length > 1);
    set("leave-button", seated);
    byId("thoughts").hidden = !(seated && help);
  }

  /** @param {string} text */
  complain(text) {
    byId("rule").textContent = text;
  }

  /** @param {number} action */
  async act(action) {
    const show = this.newest;
    if (!show || show.over || show.eye < 0 || this.answering === show.step) return;
    if (show.mover !== show.eye) {
      this.complain(show.mover >= 0 ? `It is not your turn: ${show.seats[show.mover].name} is to move.`
        : "It is not your turn yet.");
      return;
    }
    this.answering = show.step;
    await this.request("/act", { step: show.step, action });
    if (this.answering === show.step) this.answering = -1;
  }

  // undo takes back a move; people at one device have to agree.
  undo() {
    if (this.newest?.table?.device) return this.device.undo();
    return this.request("/undo");
  }

  // join takes the open seat whose link this is; the seat then has a key that only this page knows.
  /** @param {string} name */
  async join(name) {
    try {
      const { table, key } = await this.link.post("/join", { name });
      this.go({ table, key, host: this.host });
    } catch (problem) {
      this.complain(sentence(problem));
    }
  }

  // request asks for a change; the answer is the position after it, or why there is none.
  /** @param {string} what @param {unknown} [body] @param {string} [key] */
  async request(what, body, key) {
    const eye = this.link.key;
    try {
      const show = await this.link.post(what, body, { key });
      this.complain("");
      if (show?.seats) this.link.take(show, eye);
    } catch (problem) {
      if (problem instanceof Refused && problem.show) this.link.take(problem.show, eye);
      if (!(problem instanceof Refused && problem.status === LATE)) this.complain(sentence(problem));
    }
  }

  /** @param {boolean} exchange */
  async again(exchange) {
    try {
      const key = this.place.has("key") ? undefined : this.host;
      this.enter(await this.link.post("/again", { exchange }, { key }));
    } catch (problem) {
      this.complain(sentence(problem));
    }
  }

  // enter goes to a table that was made from this one.
  /** @param {MadeTable} made */
  enter(made) {
    const key = made.keys.find(Boolean) ?? "";
    this.go({ table: made.table, key, watch: made.watch, host: made.host || this.host });
  }

  /** @param {{ table: string, key: string }} next */
  follow({ table, key }) {
    this.go({ table, ...(this.place.has("key") ? { key } : { watch: key }), host: this.host });
  }

  /** @param {{ table: string, key?: string, watch?: string, host?: string }} to */
  go(to) {
    forgetTable(this.id);
    if (to.key) rememberTable({ ...to, key: to.key, game: this.newest?.game ?? "", title: this.newest?.title ?? "",
      at: Date.now() });
    location.hash = placeOf(to);
  }

  async leave() {
    const seated = this.newest && (this.newest.eye >= 0 || this.newest.table?.device);
    if (seated) await this.link.post("/leave").catch(() => {}); // gone already
    forgetTable(this.id);
    location.hash = "";
  }

  /** @param {"live" | "lost" | "gone"} state @param {unknown} [problem] why it is gone */
  connection(state, problem) {
    byId("table").dataset.link = state;
    const banner = byId("table-lost");
    banner.hidden = state === "live";
    if (state === "live") return;
    const text = state === "gone" ? goneInWords(problem)
      : `The connection to the table is lost; trying again. Your seat is kept${
        this.newest?.table?.kept ? ", also when Croupier is started again" : " as long as Croupier runs"}.`;
    if (banner.textContent !== text) banner.textContent = text;
    if (state === "gone" && isMissing(problem)) forgetTable(this.id);
  }

  close() {
    this.abort.abort();
    this.drawing.stop();
    this.link.close();
    this.clock.destroy();
    this.help.destroy();
    this.end.destroy();
    this.device.destroy();
    this.outlook.destroy();
    this.board?.destroy();
    byId("board").replaceChildren();
    for (const id of ["party", "hint"]) byId(id).replaceChildren();
  }
}

const MISSING = 404;

/** @param {unknown} problem */
const isMissing = (problem) => problem instanceof Refused && problem.status === MISSING;

/** goneInWords says why a table cannot be shown. @param {unknown} problem */
const goneInWords = (problem) => `${isMissing(problem)
  ? "This table no longer exists: it was left or not used for a day, Croupier was started again without it, or the link is wrong."
  : sentence(problem)} Choose another game with Play above.`;

/** rulesOf is where the rules that matter now are explained. @param {Show} show */
const rulesOf = ({ game, stage }) =>
  `/game/${encodeURIComponent(game)}#rules${stage ? `-${stage}` : ""}`;

/** @param {Show} show */
function turnOf(show) {
  if (show.over) return "The game is over.";
  const open = show.seats.filter((s) => s.kind === "open").length;
  if (show.table?.state === "waiting") return `Waiting for ${open} more ${open === 1 ? "person" : "people"}.`;
  if (show.table?.state === "paused") return "Paused.";
  const here = show.table?.device;
  if (here?.poll) return `${byName(show, here.poll.seats)} ${here.poll.seats.length > 1 ? "are" : "is"} asked`;
  if (here && here.asked >= 0) return `${show.seats[here.asked].name} is to move`;
  if (show.mover === -1) return "Chance decides.";
  if (show.mover < 0) return "Somebody else is to move";
  return show.mover === show.eye ? "Your turn" : `${show.seats[show.mover].name} is to move`;
}
