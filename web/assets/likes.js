// How a person likes the curves: remembered by the browser, where it lets us.

import { keep, recall } from "./storage.js";

const KEY = "croupier.curves";

/**
 * @typedef {object} Likes
 * @property {"seconds" | "samples"} axis
 * @property {number} smoothing see drawLine
 * @property {string[]} log titles of charts with a logarithmic axis
 * @property {string[]} hidden curves, as "TITLE/LABEL"
 * @property {string[]} folded sections that are folded or, where they are at first, unfolded
 */

/**
 * What is liked; change it by like.
 * @type {Likes}
 */
export const likes = { axis: "seconds", smoothing: 0.05, log: [], hidden: [], folded: [], ...recall(KEY) };

/** @param {Partial<Likes>} part */
export function like(part) {
  Object.assign(likes, part);
  keep(KEY, likes);
}
