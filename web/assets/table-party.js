// Several people at one table: how they join, who is still missing, and the screen that everybody
// looks at while each plays on a device of their own.

import { byId, h, runName } from "./dom.js";
import { capital } from "./format.js";
import { copying } from "./position.js";
import { ask } from "./table-link.js";

/** @param {import("./table.js").TablePage} page */
export function partyIn(page) {
  const place = byId("party");
  place.hidden = true;
  const section = byId("table");
  /** @type {string | null} */
  let drawn = null;

  /** @param {Show} show */
  function joinLink(show) {
    return `${location.origin}/play#${new URLSearchParams({ join: show.table?.code ?? "" })}`;
  }

  /** @param {Show} show */
  function invitation(show) {
    const link = joinLink(show);
    const here = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
    return h("div", { class: "invitation" },
      h("img", { src: `/api/qr?${new URLSearchParams({ text: link })}`, alt: "The link to join, as a code for cameras",
        width: 220, height: 220 }),
      h("div", {},
        h("p", {}, "Join with the code"), h("p", { class: "code", id: "shown-code" }, show.table?.code ?? ""),
        h("p", {}, h("a", { href: link }, link), " ", copying(link, "Copy link")),
        here && h("p", { class: "note" }, "Other devices cannot reach this address. Start Croupier with --listen 0.0.0.0:8080 and the flags that it then asks for, and open the page under this machine's address.")));
  }

  // fill lets agents take the seats that are still free.
  /** @param {Show} show */
  async function fill(show) {
    const choice = h("select", { "aria-label": "Agent for the free seats" });
    const button = h("button", { type: "submit", id: "fill" }, "Begin: agents take the free seats");
    const form = h("form", { class: "buttons" }, choice, button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      page.request("/fill", { agent: choice.value }, page.host);
    });
    place.append(form);
    /** @type {{ levels: Level[] }} */
    const { levels } = await ask(`/api/levels?${new URLSearchParams({ game: show.game, run: runName(), rules: JSON.stringify(show.rules) })}`);
    choice.replaceChildren(...levels.map((l, i) => h("option",
      { value: l.agent, selected: i === Math.floor(levels.length / 2) }, capital(l.name))));
  }

  /** @param {Show} show */
  function seatForm(show) {
    const name = h("input", { id: "seat-name", maxlength: 24, autocomplete: "nickname" });
    const form = h("form", { class: "card" }, h("p", { class: "fields" }, h("label", {}, "Your name ", name),
      h("button", { type: "submit" }, "Take the seat")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      page.join(name.value.trim() || `Player ${show.eye + 1}`);
    });
    return form;
  }

  /** @param {Show} show */
  function missing(show) {
    const away = show.seats.filter((s) => s.kind === "person" && !s.present).map((s) => s.name);
    return away.length > 0 && !show.over && h("p", { class: "note" },
      `${away.join(" and ")} ${away.length === 1 ? "has" : "have"} lost the connection; the seat is kept.`);
  }

  return {
    /** @param {Show} show */
    show(show) {
      section.classList.toggle("screen", show.eye < 0 && !show.table?.device && show.seats.some(
        (s) => s.kind === "person" || s.kind === "open"));
      const free = show.eye >= 0 && show.seats[show.eye].kind === "open";
      const waiting = show.table?.state === "waiting";
      const state = JSON.stringify([free, waiting, show.table?.code, show.seats.map((s) => [s.kind, s.present])]);
      if (state === drawn) return;
      drawn = state;
      place.replaceChildren(...[free && seatForm(show), waiting && !free && show.table?.code && invitation(show),
        missing(show)].filter((e) => e instanceof Node));
      if (waiting && page.host) fill(show);
      place.hidden = place.childElementCount === 0;
    },
  };
}
