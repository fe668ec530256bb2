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
 * ordered sends what is asked for, and returns the answer, or throws the reason of the refusal.
 * @param {string} path
 * @param {object} body
 */
export async function ordered(path, body) {
  const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body) });
  const text = await response.text();
  /** @type {any} */
  let answer = {};
  try {
    answer = JSON.parse(text || "{}");
  } catch {
    answer = { error: text };
  }
  if (response.ok) return answer;
  const problem = new Error(answer.error || `the server answers ${response.status}`);
  throw Object.assign(problem, { field: String(answer.field ?? ""), status: response.status });
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
