// What pages ask the program, and how they say that it went wrong.

import { byId } from "./dom.js";

/**
 * get returns the answer of a path.
 * @param {string} path
 */
export async function get(path) {
  const response = await fetch(path, { cache: "no-store" });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/**
 * complain shows a problem above the page.
 * @param {unknown} problem
 */
export function complain(problem) {
  byId("banner").textContent = problem instanceof TypeError ? "The connection to Croupier is lost."
    : problem instanceof Error ? problem.message : String(problem);
  byId("banner").hidden = false;
}
