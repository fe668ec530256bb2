// Several people at one device: the cards are covered between their turns, and a question to several of them at once
// takes one key or tap each.

import { byId, h } from "./dom.js";
import { capital } from "./format.js";

/**
 * byName names seats: "Mum, Dad and Anna".
 * @param {Show} show
 * @param {number[]} seats
 */
export function byName(show, seats) {
  const names = seats.map((seat) => show.seats[seat].name);
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/** @param {import("./table.js").TablePage} page */
export function deviceIn(page) {
  const place = byId("device");
  place.hidden = true;
  let drawn = "";
  const dialog = byId("undo-confirm", HTMLDialogElement);
  const { signal } = page.abort;
  dialog.addEventListener("close", () => { if (dialog.returnValue === "undo") page.request("/undo"); }, { signal });
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea")) return;
    const other = event.key === "Enter" && document.activeElement?.closest("button, a, summary");
    /** @type {HTMLElement | null} */ (other ? null : place.querySelector(`[data-key="${CSS.escape(event.key)}"]`))?.click();
  }, { signal });

  /** @param {Show} show @param {number} asked */
  function cover(show, asked) {
    const { name } = show.seats[asked];
    const button = h("button", { type: "button", id: "uncover", class: "main" }, `${name}, show my cards`);
    button.addEventListener("click", () => page.uncover(asked));
    return [h("p", { class: "pass-on", tabindex: -1 }, "Pass the device to ", h("b", {}, name), "."),
      h("p", { class: "buttons" }, button)];
  }

  /** @param {Show} show @param {Poll} poll */
  function question(show, poll) {
    const answer = (/** @type {number[]} */ seats, /** @type {string} */ key, /** @type {Child[]} */ ...text) => {
      const button = h("button", { type: "button", "data-key": key, "aria-keyshortcuts": key,
        class: seats.length > 0 ? "main" : "other" }, ...text, h("kbd", { "aria-hidden": "true" }, key));
      button.addEventListener("click", () => page.answer(seats));
      return button;
    };
    const bySeat = [...poll.seats].sort((a, b) => a - b);
    return [h("p", { class: "buttons", role: "group", "aria-label": `${byName(show, bySeat)}: ${poll.does.name}?` },
      bySeat.map((seat) => answer([seat], String(seat + 1), `${show.seats[seat].name}: ${poll.does.name}`)),
      answer([], "Enter", capital(`${poll.does_not.name}${bySeat.length > 1 ? ", all" : ""}`)))];
  }

  return {
    undo: () => { dialog.returnValue = ""; dialog.showModal(); },
    /** @param {Show} show */
    show(show) {
      const device = show.table?.device;
      const { asked = -1, covered = false, poll = undefined } = device ?? {};
      byId("table").classList.toggle("covered", covered);
      const state = JSON.stringify([show.step, asked, covered, poll]);
      if (state === drawn) return;
      drawn = state;
      const held = place.contains(document.activeElement);
      place.replaceChildren(...(covered ? cover(show, asked) : poll ? question(show, poll) : []));
      place.hidden = place.childElementCount === 0;
      if (covered) /** @type {HTMLElement} */ (place.firstElementChild).focus();
      else if (held) /** @type {HTMLElement | null} */ (place.querySelector(".other"))?.focus();
    },
    destroy() {
      byId("table").classList.remove("covered");
      place.replaceChildren();
      dialog.close();
    },
  };
}
