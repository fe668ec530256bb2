// The actors of a run, with the outcome of the games of each.

import { get } from "./ask.js";
import { byId, empty, h, rooted } from "./dom.js";
import { count, percent } from "./format.js";

const AGAIN = 5000; // milliseconds between two questions

/** @param {Contribution} c */
function standing(c) {
  if (c.aside) return `quarantined by the ${c.aside.by} after ${c.aside.offences} offences: ${c.aside.detail}`;
  return c.present ? "present" : "gone";
}

/**
 * @param {string} title
 * @param {string} text
 * @param {boolean} number
 */
function cell(title, text, number) {
  return h("td", { "data-label": title, class: number ? "number" : "" }, h("div", {}, text));
}

/**
 * games are the cells for the fates of games.
 * @param {GamesGiven} g
 * @param {number} all games of everybody that were consumed
 */
function games(g, all) {
  return [
    cell("Games", count(g.consumed), true), cell("Share", all > 0 ? percent(g.consumed / all) : "–", true),
    cell("Stale", count(g.stale), true), cell("Refused", count(g.refused), true), cell("Lost", count(g.lost), true),
  ];
}

/** @param {Contributions} c */
function draw({ actors, others }) {
  const all = actors.reduce((sum, a) => sum + a.consumed, others.consumed);
  const rest = others.consumed + others.stale + others.refused + others.lost;
  if (actors.length === 0 && rest === 0) {
    byId("contributions").replaceChildren(empty("no actor has sent games yet"));
    return;
  }
  const titles = ["Actor", "Games", "Share", "Stale", "Refused", "Lost", "State"];
  byId("contributions").replaceChildren(h("table", { class: "roles" },
    h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col",
      class: ["Actor", "State"].includes(title) ? "" : "number" }, title)))),
    h("tbody", {},
      actors.map((a) => h("tr", { "data-actor": a.actor, "data-standing": a.present && !a.aside ? "present" : "gone" },
        h("th", { scope: "row" }, a.name ? h("span", {}, a.name) : "", h("code", {}, a.actor)), games(a, all),
        h("td", { "data-label": "State" }, h("span", { class: a.present || a.aside ? "lamp wrap" : "" },
          standing(a))))),
      rest > 0 && h("tr", { "data-actor": "" }, h("th", { scope: "row" }, "everybody else"), games(others, all),
        h("td", { "data-label": "State" }, "gone")))));
}

async function ask() {
  if (document.hidden) return;
  try {
    draw(await get(rooted("/api/actors")));
  } catch (problem) {
    byId("contributions").replaceChildren(empty(problem instanceof TypeError ? "the connection to Croupier is lost"
      : /** @type {Error} */ (problem).message));
  }
}

/** follow keeps the table up to date while somebody looks at it. */
export function follow() {
  ask();
  setInterval(ask, AGAIN);
  document.addEventListener("visibilitychange", ask);
}
