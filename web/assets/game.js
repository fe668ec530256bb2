// The home of a game: the server has written it; dice and cards are drawn, and the person's own record is added.

import { picture as cards } from "./cards.js";
import { picture as dice } from "./dice.js";
import { h } from "./dom.js";
import { decimal, percent } from "./format.js";
import { called } from "./names.js";
import { personKey } from "./play-memory.js";
import { ask } from "./table-link.js";

/** @typedef {import("./play-person.js").Tally} Tally */

// A step's dice or cards are written as a terminal shows them: "[2] [5]", "[K♥] [ ]".
for (const shown of document.querySelectorAll(".shown")) {
  const names = [...(shown.textContent ?? "").matchAll(/\[([^\]]*)\]/g)].map(([, name]) => name.trim());
  const thrown = shown.hasAttribute("data-dice");
  shown.replaceChildren(...(thrown ? [dice(names.map(Number))] : names.map((name) => cards(name))));
}

/** @param {Tally} all */
function sentence(all) {
  const games = all.games === 1 ? "one game" : `${all.games} games`;
  if (all.unit === "wins") return `You have won ${all.won} of ${games} (${percent(all.won / all.games)}).`;
  return `You have played ${games}: ${decimal(all.return, 2)} ${all.unit} a game.`;
}

const champion = document.querySelector("#champion b");
if (champion) {
  const name = champion.textContent ?? "";
  champion.setAttribute("title", name);
  champion.textContent = called(name);
}

const record = document.getElementById("record");
if (record) {
  try {
    /** @type {Tally[]} */
    const tallies = await ask(`/api/person?key=${personKey()}`);
    const mine = tallies.filter((t) => t.game === record.dataset.game);
    const all = mine.find((t) => t.what === "all");
    if (all) {
      record.replaceChildren(h("p", {}, sentence(all)), h("p", { class: "detail" },
        h("a", { href: "/play" }, "Against whom, and how well")));
    }
  } catch {
    // a guest has no record, and the sentence that is there stays
  }
}
