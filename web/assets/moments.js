// The cards of a version's worst moments: the board in small, what it cost, and the way to it on the board.

import { boardOf } from "./board.js";
import { byId, h, runName } from "./dom.js";
import { called } from "./names.js";
import { settings } from "./settings.js";
import { ask, sentence } from "./table-link.js";
import { awaits, judges, momentsOf, progress, told } from "./worst.js";

/**
 * @typedef {import("./worst.js").Moment} Moment
 * @typedef {import("./games.js").Listing} Listing
 */

const CARDS = 6; // at first, and more by each click
const SOON = 3000; // ms between looks for more while games are judged one after the other
const LATE = 15000; // and otherwise: a look costs the training some time
const BOARD = 760; // width at which boards are laid out before they are drawn smaller
const PHONE = 380; // the same where they are laid out for phones
const MOST = 200; // games that are looked through, the dearest first
const OPEN = -2; // the eye that sees all cards

let agent = "";
let cards = CARDS;
let timer = 0;
/** @type {Listing | null} */
let listing = null;
let drawn = ""; // what the cards show
/** @type {MountedBoard[]} */
let boards = [];

/** The query of games that the version has lost. */
const lost = () => new URLSearchParams({ run: runName(), agent, result: "lost", purpose: "arena", sort: "worst" });

/**
 * momentsFor shows the worst moments of the version that is best now.
 * @param {string} best
 */
export function momentsFor(best) {
  if (best === agent || !document.querySelector('#pages a[href^="/games"]')) return; // not all servers have archives
  agent = best;
  byId("moments").hidden = false;
  byId("moments-games", HTMLAnchorElement).href = `/games?${lost()}`;
  look();
}

async function look() {
  clearTimeout(timer);
  if (!document.hidden) {
    const of = agent;
    try {
      const found = /** @type {Listing} */ (await ask(`/api/games?${lost()}&limit=${MOST}`));
      if (of !== agent) return; // another look is on its way
      listing = found;
      draw();
    } catch (problem) {
      byId("moments-note").textContent = sentence(problem);
    }
  }
  timer = window.setTimeout(look, listing && awaits(listing) ? SOON : LATE);
}

/** @param {string} id */
const field = (id) => byId(id, HTMLSelectElement);

function draw() {
  if (!listing) return;
  const note = [progress(listing, agent), judges(listing.games)].filter(Boolean).join(" ");
  if (byId("moments-note").textContent !== note) byId("moments-note").textContent = note;
  byId("moments-games").hidden = listing.total === 0;
  const all = momentsOf(listing.games, agent);
  byId("moments-fields").hidden = all.length === 0;
  offer([...new Set(all.flatMap((m) => m.against))].sort());
  const shown = momentsOf(listing.games, agent, { whose: field("moments-whose").value,
    against: field("moments-against").value });
  byId("moments-more").hidden = shown.length <= cards;
  const some = shown.slice(0, cards);
  const key = JSON.stringify(some.map((m) => [m.game.id, m.step]));
  if (key === drawn) return;
  drawn = key;
  for (const board of boards) board.destroy();
  boards = [];
  byId("moments-list").replaceChildren(...some.map(card));
  if (all.length > 0 && some.length === 0) byId("moments-list").append(h("li", { class: "none" },
    "No certain mistake of theirs is known in these games."));
}

/**
 * offer lists the opponents to choose from.
 * @param {string[]} names
 */
function offer(names) {
  const select = field("moments-against");
  if (names.join() === [...select.options].slice(1).map((o) => o.value).join()) return;
  const { value } = select;
  select.replaceChildren(h("option", { value: "" }, "anybody"),
    ...names.map((name) => h("option", { value: name, selected: name === value }, called(name))));
}

/** @param {Moment} m */
function card(m) {
  const place = h("div", { inert: true });
  const query = new URLSearchParams({ run: listing?.run ?? "", game: m.game.id, step: String(m.step) });
  const against = m.against.map((name) => called(name)).join(" and ");
  const whose = m.whose === agent ? called(agent) : `its opponent ${called(m.whose)}`;
  const item = h("li", {}, h("div", { class: "mini" }, place), h("a", { href: `/replay?${query}` },
    h("b", { class: "mistake" }, m.cost), `: ${told(m)}`),
  h("p", { class: "note" }, `${whose}, step ${m.step + 1}`, m.whose === agent && against ? `, against ${against}` : ""));
  small(m, place);
  return item;
}

const BOARDS = { get motion() { return false; }, get fourColours() { return settings.fourColours; }, sound() {} };

/**
 * small draws the board at the moment.
 * @param {Moment} m
 * @param {HTMLElement} place
 */
async function small(m, place) {
  try {
    const { history } = await ask(`/api/games/${m.game.id}?${new URLSearchParams({ run: listing?.run ?? "" })}`);
    const names = m.game.agents.map((a) => called(a.name));
    const [{ shows, games }] = [await ask("/api/replay", { histories: history, game: 0, eye: OPEN, from: m.step, count: 1,
      names })];
    const board = await boardOf(games[0].game);
    if (!place.isConnected) return;
    const mounted = board.mount(place, { act() {}, settings: BOARDS });
    boards.push(mounted);
    mounted.show(shows[0], undefined);
  } catch (problem) {
    place.replaceChildren(h("p", { class: "empty" }, sentence(problem))); // the game may have been thrown away
  }
}

new ResizeObserver(([{ target }]) => {
  const first = target.querySelector(".mini");
  if (!first) return;
  const width = matchMedia("(max-width: 720px)").matches ? PHONE : BOARD;
  byId("moments-list").style.setProperty("--board", `${width}px`);
  byId("moments-list").style.setProperty("--scale", String(first.clientWidth / width));
}).observe(byId("moments-list"));
for (const id of ["moments-whose", "moments-against"]) field(id).addEventListener("change", draw);
byId("moments-more").addEventListener("click", () => {
  cards += CARDS;
  draw();
});
