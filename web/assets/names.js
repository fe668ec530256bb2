// Names of agents for people: "Version 4" for greedy:main@4. The name itself is what commands take, and stands in
// tooltips.

/**
 * called is what people call an agent of a ladder.
 * @param {string} name
 * @param {string[]} [all] the names of the ladder: a version that is on it in two ways to play has two names
 */
export function called(name, all = []) {
  if (/^(\w+:)?trained$/.test(name)) return "the built-in network";
  const [, way = "", agent, version] = /^(?:([\w.]+):)?([\w-]+)@(\d+)$/.exec(name) ?? [];
  if (!version) return name;
  const text = agent === "main" ? `Version ${version}` : `Version ${version} of ${agent}`;
  if (way && way !== "greedy") return `${text} (${way})`;
  return !way && all.includes(`greedy:${name}`) ? `${text} as in training` : text;
}
