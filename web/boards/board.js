// Finding the board of a game.

import { board as plain } from "./board-plain.js";

/**
 * boardOf returns the board of a game: its own, or the plain one.
 * @param {string} game
 * @returns {Promise<Board>}
 */
export async function boardOf(game) {
  style("boards.css");
  const path = `/assets/board-${encodeURIComponent(game)}.js`;
  const found = await fetch(path, { method: "HEAD" });
  return found.ok ? (await import(path)).board : plain;
}

/**
 * style loads a style sheet of a board once.
 * @param {string} file
 */
export function style(file) {
  const href = `/assets/${file}`;
  if (document.querySelector(`link[href="${href}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  document.head.append(link);
}
