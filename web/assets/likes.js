// How a person likes the curves: remembered by the browser, where it lets us.

const KEY = "croupier.curves";

/**
 * @typedef {object} Likes
 * @property {"seconds" | "samples"} axis
 * @property {number} smoothing see drawLine
 * @property {string[]} log titles of charts with a logarithmic axis
 * @property {string[]} hidden curves, as "TITLE/LABEL"
 * @property {string[]} folded sections that are folded or, where they are at first, unfolded
 */

/** @returns {Likes} */
function load() {
  /** @type {Likes} */
  const first = { axis: "seconds", smoothing: 0.05, log: [], hidden: [], folded: [] };
  try {
    return { ...first, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return first;
  }
}

/** What is liked; change it by like. */
export const likes = load();

/** @param {Partial<Likes>} part */
export function like(part) {
  Object.assign(likes, part);
  try {
    localStorage.setItem(KEY, JSON.stringify(likes));
  } catch {
    // for this visit only
  }
}
