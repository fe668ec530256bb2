// The parts of a declared view (engine/described, View): grids of cells and pieces, cards, dice, chips, tracks. A tap
// on a cell does what the view says it does, and so does Enter on it; arrow keys go from cell to cell.

import { style } from "./board.js";
import { SUITS, picture as card } from "./cards.js";
import { stack } from "./chips.js";
import { picture as dice } from "./dice.js";
import { h } from "./dom.js";

/**
 * @typedef {object} Grid
 * @property {number} columns
 * @property {string[]} cells
 * @property {number[]} [actions]
 * @property {number[]} [column_actions]
 */

/**
 * @typedef {object} Part
 * @property {string} [label]
 * @property {number} [seat]
 * @property {Grid} [grid]
 * @property {string[]} [cards]
 * @property {number[]} [dice]
 * @property {number} [chips]
 * @property {{at: number, of: number}} [track]
 * @property {string} [note]
 */

const NONE = -1;
const KNOWN = /^(10|[2-9AKQJ])([scdh])$/;

/** @param {Grid} grid @param {number} i the action of a cell */
const actionAt = (grid, i) => grid.actions?.[i] ?? grid.column_actions?.[i % grid.columns] ?? NONE;

/**
 * What is in a cell: the seat whose piece it is, and letters.
 * @param {string} cell
 */
function inside(cell) {
  const piece = /^@([0-7])(.*)$/.exec(cell);
  return piece ? { seat: Number(piece[1]), letters: piece[2] } : { seat: NONE, letters: cell };
}

/** @param {string} cell @param {Show} show */
function said(cell, show) {
  const { seat, letters } = inside(cell);
  const whose = seat < 0 ? "" : show.seats[seat]?.name ?? `Seat ${seat + 1}`;
  return [whose, letters].filter(Boolean).join(" ") || "empty";
}

/**
 * @param {Grid} first its shape does not change
 * @param {Pick<Table, "act">} table
 */
function gridOf(first, table) {
  /** @type {Grid} */
  let grid = first;
  /** @type {Set<number>} */
  let legal = new Set();
  const element = h("div", { class: "board-grid", role: "group", "aria-label": "Board" });
  element.style.setProperty("--columns", String(first.columns));
  const tappable = Boolean(first.actions || first.column_actions);
  const cells = first.cells.map((_, i) => {
    const cell = tappable ? h("button", { type: "button", tabindex: i ? -1 : 0 }) : h("span", { role: "img" });
    cell.className = "cell";
    if (tappable) {
      cell.addEventListener("click", () => {
        const action = actionAt(grid, i);
        if (legal.has(action)) table.act(action);
      });
    }
    return cell;
  });
  element.append(...cells);
  element.addEventListener("keydown", (event) => {
    const at = cells.findIndex((cell) => cell === document.activeElement);
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -grid.columns, ArrowDown: grid.columns }[event.key];
    if (at < 0 || by === undefined) return;
    event.preventDefault();
    const row = (/** @type {number} */ i) => Math.floor(i / grid.columns);
    const to = at + by;
    if (!cells[to] || (Math.abs(by) === 1 && row(to) !== row(at))) return;
    for (const cell of cells) cell.tabIndex = -1;
    cells[to].tabIndex = 0;
    cells[to].focus();
  });
  return {
    element,
    /** @param {Part} part @param {Show} show */
    show(part, show) {
      grid = part.grid ?? grid;
      legal = new Set(show.actions.map(({ action }) => action));
      grid.cells.forEach((cell, i) => {
        const { seat, letters } = inside(cell);
        const action = show.actions.find((a) => a.action === actionAt(grid, i));
        const place = `row ${Math.floor(i / grid.columns) + 1}, column ${(i % grid.columns) + 1}: ${said(cell, show)}`;
        cells[i].setAttribute("aria-label", action ? `${action.name} (${place})` : place);
        cells[i].toggleAttribute("data-legal", Boolean(action));
        cells[i].dataset.cell = cell;
        cells[i].replaceChildren(seat < 0 ? letters : h("span", { class: `piece seat-${seat}` }, letters));
      });
    },
    /** @param {number} action */
    at(action) {
      const i = cells.findIndex((_, at) => actionAt(grid, at) === action);
      return cells[i] ?? null;
    },
  };
}

/** @param {string} name */
function cardOf(name) {
  if (name === "?") return card("");
  const known = KNOWN.exec(name);
  return known ? card(known[1] + SUITS["scdh".indexOf(known[2])]) : h("span", { class: "word-card" }, name);
}

/** @param {number} face */
const dieOf = (face) => (face === 0 ? h("span", { class: "cup", role: "img", "aria-label": "under its cup" }, "?")
  : dice([face], "die"));

/** @param {Part} part */
function thing(part) {
  if (part.cards) return part.cards.map(cardOf);
  if (part.dice) return part.dice.map(dieOf);
  if (part.chips !== undefined) return [stack(part.chips, `${part.chips}`)];
  if (part.track) {
    const { at, of } = part.track;
    return [h("progress", { value: at, max: of, "aria-label": part.label ?? "Track" }), ` ${at} of ${of}`];
  }
  return [part.note ?? ""];
}

/** @param {Part} part @param {Show} show */
function labelOf(part, show) {
  const whose = part.seat === undefined ? "" : show.seats[part.seat]?.name ?? "";
  return [whose, part.label].filter(Boolean).join(": ");
}

/**
 * parts shows the parts of a view.
 * @param {Pick<Table, "act">} table
 */
export function parts(table) {
  style("parts.css");
  const element = h("div", { class: "parts" });
  /** @type {Map<string, ReturnType<typeof gridOf>>} */
  let grids = new Map();
  return {
    element,
    /** @param {Show} show */
    show(show) {
      const focused = document.activeElement;
      /** @type {Part[]} */
      const list = show.view?.parts ?? [];
      /** @type {typeof grids} */
      const kept = new Map();
      const shown = list.map((part, i) => {
        const label = labelOf(part, show);
        const row = h("div", { class: part.grid ? "part wide" : "part" }, label ? h("p", { class: "label" }, label) : null);
        if (part.grid) {
          const { columns, cells, actions, column_actions } = part.grid;
          const shape = [i, columns, cells.length, Boolean(actions || column_actions)].join();
          const grid = grids.get(shape) ?? gridOf(part.grid, table);
          kept.set(shape, grid);
          grid.show(part, show);
          row.append(grid.element);
        } else {
          row.append(h("div", { class: "things" }, thing(part)));
        }
        return row;
      });
      grids = kept;
      element.replaceChildren(...shown);
      if (focused instanceof HTMLElement && element.contains(focused)) focused.focus({ preventScroll: true });
      element.hidden = list.length === 0;
    },
    /** @param {number} action the cell that stands for it, or null */
    at: (action) => [...grids.values()].map((grid) => grid.at(action)).find(Boolean) ?? null,
  };
}
