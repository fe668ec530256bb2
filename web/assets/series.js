// Names of curves.

/**
 * partsOf splits the name of a curve: those of learning agents other than the main one begin with their learner's.
 * @param {string} name
 * @returns {{ agent: string, series: string }} agent is "" for the main one
 */
export function partsOf(name) {
  const [, agent = "", series = name] = /^learner-([^/]+)\/(.+)$/.exec(name) ?? [];
  return { agent, series };
}

/**
 * chartOf says in which chart of all agents a curve is: that of the main agent's curve of the same kind. The league's
 * curves of the other agents end in their names.
 * @param {string} name
 * @returns {{ agent: string, series: string }} agent is "" for the main one
 */
export function chartOf(name) {
  const [, kind, agent] = /^(rating|exploit_share|exploit_return)\/(.+)$/.exec(name) ?? [];
  if (!agent || name === "rating/newest" || name === "rating/best") return partsOf(name);
  return { agent, series: kind === "rating" ? "rating/newest" : kind };
}
