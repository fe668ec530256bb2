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
  const form = h("form", { class: "fields" });
  form.addEventListener("submit", (event) => event.preventDefault());
  place.replaceChildren(line, form);
  /** @type {Map<number, HTMLInputElement>} by seat */
  const amounts = new Map();

  /** @param {number} seat @param {string} name "" of the only person here */
  function field(seat, name) {
    const amount = h("input", { type: "number", id: name ? `bet-${seat}` : "bet", min: 1, max: MOST, step: 1, inputmode: "numeric" });
    amount.addEventListener("change", async () => {
      if (!amount.reportValidity()) return;
      const units = Number(amount.value);
      await page.request("/bet", { units, seat });
      if (page.newest && !name) remember({ bets: { ...memory.bets, [page.newest.game]: units } });
    });
    amounts.set(seat, amount);
    return h("label", {}, `${name ? `${name}'s` : "My"} bet from the next game on `, amount, " units");
  }

  return {
    /** @param {Show} show */
    show(show) {
      const { bets, next_bets: next, sum, device } = show.table ?? {};
      place.hidden = !bets;
      if (!bets || !next) return;
      const named = (/** @type {number} */ seat) => seat === show.eye && !device ? "you" : show.seats[seat].name;
      const betting = bets.flatMap((units, seat) => units > 0 ? [`${named(seat)} ${decimal(units, 0)}`] : []);
      const gained = sum?.map((units, seat) => `${named(seat)} ${units > 0 ? "+" : ""}${decimal(units, 0)}`);
      line.textContent = `Bets in this game, in units: ${betting.join(", ")}.${
        gained ? ` Gained so far: ${gained.join(", ")}.` : ""}`;
      const mine = (device?.seats ?? [show.eye]).filter((seat) => next[seat] > 0);
      if (mine.join() !== [...amounts.keys()].join()) {
        amounts.clear();
        form.replaceChildren(...mine.map((seat) => field(seat, device ? show.seats[seat].name : "")));
      }
      form.hidden = mine.length === 0;
      for (const [seat, amount] of amounts) if (document.activeElement !== amount) amount.value = String(next[seat]);
    },
  };
}
