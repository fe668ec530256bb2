// What the game is worth to the seats, for those who watch a table: asked for again after each step, one request at a
// time.

import { byId } from "./dom.js";
import { barsIn, largestOf } from "./outlook.js";
import { ask } from "./table-link.js";

/** @param {Show} show */
const revisionOf = (show) => show.table?.revision ?? 0;

/** @param {import("./table.js").TablePage} page */
export function outlookIn(page) {
  const bars = barsIn(byId("outlook"));
  let asking = false;
  let known = -1; // revision of the table of which was asked
  let largest = 0;
  let closed = false;

  /** @param {Show} show */
  async function find(show) {
    asking = true;
    known = revisionOf(show);
    try {
      /** @type {Outlook} */
      const outlook = await ask(page.link.path("/outlook"));
      largest = Math.max(largest, largestOf(outlook));
      const now = page.newest;
      if (!closed && now?.table?.outlook) bars.show(outlook, outlook.values[0], { names: now.seats.map((s) => s.name),
        eye: now.eye, over: now.over !== undefined && outlook.from === now.step, largest });
    } catch {
      bars.clear(); // the values are a help, without which the table is what it was
    }
    asking = false;
    if (!closed && page.newest) told(page.newest);
  }

  /** @param {Show} show */
  function told(show) {
    if (!show.table?.outlook) bars.clear();
    else if (!asking && revisionOf(show) !== known) find(show);
  }

  return {
    show: told,
    destroy() {
      closed = true;
      bars.clear();
    },
  };
}
