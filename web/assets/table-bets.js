// Bets: in games for money in which people bet, what everybody bets in this hand and has gained so far, and what the
// person bets from the next hand on.

import { byId, h } from "./dom.js";
import { decimal } from "./format.js";
import { memory, remember } from "./play-memory.js";

const MOST = 100; // units of a bet

/** @param {import("./table.js").TablePage} page */
export function betsIn(page) {
  const place = byId("bets");
  place.hidden = true;
  const line = h("p", { class: "note" });
  const amount = h("input", { type: "number", id: "bet", min: 1, max: MOST, step: 1, inputmode: "numeric" });
  const form = h("form", { class: "fields" }, h("label", {}, "My bet from the next game on ", amount, " units"));
  form.addEventListener("submit", (event) => event.preventDefault());
  amount.addEventListener("change", async () => {
    if (!amount.reportValidity()) return;
    const units = Number(amount.value);
    await page.request("/bet", { units });
    if (page.newest) remember({ bets: { ...memory.bets, [page.newest.game]: units } });
  });
  place.replaceChildren(line, form);

  return {
    /** @param {Show} show */
    show(show) {
      const { bets, next_bets, sum } = show.table ?? {};
      place.hidden = !bets;
      if (!bets || !next_bets) return;
      const named = (/** @type {number} */ seat) => seat === show.eye ? "you" : show.seats[seat].name;
      const betting = bets.flatMap((units, seat) => units > 0 ? [`${named(seat)} ${decimal(units, 0)}`] : []);
      const gained = sum?.map((units, seat) => `${named(seat)} ${units > 0 ? "+" : ""}${decimal(units, 0)}`);
      line.textContent = `Bets in this game, in units: ${betting.join(", ")}.${
        gained ? ` Gained so far: ${gained.join(", ")}.` : ""}`;
      form.hidden = !(show.eye >= 0 && next_bets[show.eye] > 0);
      if (document.activeElement !== amount) amount.value = String(next_bets[show.eye]);
    },
  };
}
