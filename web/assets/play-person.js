// What a person has played so far, from the file that the server keeps for their key.

import { byId, h, s } from "./dom.js";
import { capital, decimal, number, percent } from "./format.js";
import { personKey } from "./play-memory.js";
import { ask, sentence } from "./table-link.js";

const WIDTH = 240;
const HEIGHT = 48;

/**
 * @typedef {object} Tally
 * @property {string} game
 * @property {string} what "all", "against Expert", "in seat 1"
 * @property {number} games
 * @property {number} won
 * @property {number} tied
 * @property {number} return mean
 * @property {string} unit
 * @property {number} reviewed
 * @property {number} accuracy mean of the reviewed games
 * @property {number[]} [accuracies] of the reviewed games, oldest first
 * @property {{ Value: number, Weight: number }[] | null} figures
 */

const path = () => `/api/person?key=${personKey()}`;

/** @param {string} title of the game @param {Tally[]} rows */
function table(title, rows) {
  const [{ unit }] = rows;
  const money = unit !== "wins";
  const tied = rows.some((t) => t.tied > 0);
  const reviewed = rows.some((t) => t.reviewed > 0);
  const cell = (/** @type {string} */ text) => h("td", { class: "number" }, text);
  const head = (/** @type {string} */ text) => h("th", { class: "number" }, text);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Your results: ${title}` },
    h("table", {},
    h("thead", {}, h("tr", {}, h("th", {}, "Which"), head("Games"), head(money ? "Gained in" : "Won"),
      tied && head("Tied"),
      money && head(`Mean (${unit})`), reviewed && head("Accuracy"))),
    h("tbody", {}, rows.map((t) => h("tr", {}, h("th", { scope: "row" }, t.what === "all" ? "All" : capital(t.what)),
      cell(String(t.games)), cell(String(t.won)), tied && cell(String(t.tied)), money && cell(decimal(t.return, 2)),
      reviewed && cell(t.reviewed > 0 ? decimal(t.accuracy, 0) : "–"))))));
}

/** @param {Tally} all @param {PlayedGame} [game] */
function figures(all, game) {
  const known = (game?.figures ?? []).flatMap((figure, i) => {
    const sum = all.figures?.[i];
    return sum && sum.Weight > 0 ? [{ ...figure, value: sum.Value / sum.Weight }] : [];
  });
  return known.length > 0 && h("ul", {}, known.map((f) => h("li", {}, `${capital(f.help)}: `,
    h("b", {}, f.unit === "share" ? percent(f.value) : number(f.value)),
    f.unit === "share" ? "" : ` ${f.unit} per ${f.per}`)));
}

/** @param {number[]} accuracies */
function overTime(accuracies) {
  if (accuracies.length < 2) return false;
  const at = accuracies.map((a, i) =>
    `${((i * WIDTH) / (accuracies.length - 1)).toFixed(1)},${(HEIGHT * (1 - a / 100)).toFixed(1)}`);
  const label = `Accuracy of ${accuracies.length} games, from ${decimal(accuracies[0], 0)} in the oldest to ${decimal(accuracies[accuracies.length - 1], 0)} in the newest`;
  return h("figure", {}, s("svg", { viewBox: `-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`, role: "img", "aria-label": label },
    s("polyline", { points: at.join(" ") })),
    h("figcaption", { class: "note" }, `${label}, of 100.`));
}

/**
 * statistics shows the person's games, if any are kept, with a way to delete them.
 * @param {PlayedGame[]} games
 * @param {AbortSignal} signal
 */
export async function statistics(games, signal) {
  const section = byId("person");
  const told = byId("person-told");
  const forget = byId("person-forget", HTMLButtonElement);
  const dialog = byId("person-confirm", HTMLDialogElement);
  forget.addEventListener("click", () => { dialog.returnValue = ""; dialog.showModal(); }, { signal });
  dialog.addEventListener("close", async () => {
    if (dialog.returnValue !== "delete") return;
    try {
      await ask(path(), undefined, { method: "DELETE", signal });
      byId("statistics").replaceChildren();
      forget.hidden = true;
      told.textContent = "Your games are deleted.";
    } catch (problem) {
      told.textContent = sentence(problem);
    }
    told.focus();
  }, { signal });
  try {
    /** @type {Tally[]} */
    const tallies = await ask(path(), undefined, { signal });
    section.hidden = tallies.length === 0;
    forget.hidden = false;
    told.textContent = "Kept for this browser only, without the moves.";
    byId("statistics").replaceChildren(...tallies.filter((t) => t.what === "all").map((all) => {
      const game = games.find((g) => g.name === all.game);
      const title = game?.title ?? all.game;
      return h("div", {}, h("h3", {}, title), table(title, tallies.filter((t) => t.game === all.game)),
        figures(all, game), overTime(all.accuracies ?? []));
    }));
  } catch { // without an answer there is nothing to show
    section.hidden = true;
  }
}
