// What a ladder comes to, in words: who is best, and of whom that is sure.

import { called } from "./names.js";

/** @param {string[]} names */
const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

const MOST = 6; // agents that are named; of more, their number is shown

/**
 * grouped names agents: "Versions 1, 3 and 4, all bots and solver:optimal".
 * @param {Agent[]} agents
 * @param {Agent[]} all of the ladder
 */
function grouped(agents, all) {
  const names = all.map((a) => a.name);
  const number = (/** @type {Agent} */ a) => /^Version (\d+)$/.exec(called(a.name, names))?.[1];
  const numbers = agents.map(number).filter((n) => n !== undefined).sort((a, b) => Number(a) - Number(b));
  const bots = agents.filter((a) => a.kind === "bot");
  const every = bots.length > 1 && bots.length === all.filter((a) => a.kind === "bot").length;
  const others = agents.filter((a) => !number(a) && !(every && a.kind === "bot")).map((a) => called(a.name, names));
  const some = numbers.length > MOST ? [`${numbers.length} versions`]
    : numbers.length > 1 ? [`Versions ${listed(numbers)}`] : numbers.map((n) => `Version ${n}`);
  return listed([...some, ...(every ? ["all bots"] : []),
    ...(others.length > MOST ? [`${others.length} other agents`] : others)]);
}

/**
 * standing reports which agent is best, than which it is clearly better, and which cannot be distinguished from it, by
 * the 95 % intervals of the differences of the ratings.
 * @param {Ladder | null} ladder
 */
export function standing(ladder) {
  const all = ladder?.agents ?? [];
  const best = all.find((a) => a.best);
  if (!best) return "";
  // A version that is there as it plays in training as well is listed once.
  const twice = (/** @type {Agent} */ a) => all.some(({ name }) => name === `greedy:${a.name}`);
  const which = (/** @type {(to: Interval) => boolean} */ fits) =>
    all.filter((a) => a.to_best && fits(a.to_best) && !twice(a));
  const [below, even, above] = [which((d) => d.high < 0), which((d) => d.low <= 0 && d.high >= 0),
    which((d) => d.low > 0)];
  const sentences = [
    `Best: ${called(best.name, all.map((a) => a.name))}.`,
    below.length > 0 && `Clearly better than ${grouped(below, all)}.`,
    even.length > 0 && `${grouped(even, all)} cannot be distinguished from it.`,
    above.length > 0 && `Clearly weaker than ${grouped(above, all)}.`,
  ];
  if (all.some((a) => a !== best && !twice(a) && a.name.includes("@") && a.rating > best.rating)) {
    sentences.push("A version that is rated higher becomes best once it has passed the gate.");
  }
  return sentences.filter(Boolean).join(" ");
}
