import assert from "node:assert/strict";
import { test } from "node:test";
import { standing } from "./standing.js";

const agent = (name, kind, rating, low, high) => ({ name, kind, rating, ...(low === undefined ? { best: true }
  : { to_best: { value: (low + high) / 2, low, high } }) });

test("the ladder says who is best, and of whom that is sure", () => {
  const agents = [
    agent("greedy:main@4", "network", 100), agent("greedy:main@5", "network", 110, -20, 40),
    agent("greedy:main@2", "network", 90, -60, 10), agent("main@2", "network", 95, -60, 20), agent("greedy:main@1", "network", -50, -200, -100),
    agent("random", "bot", -300, -500, -300), agent("chaser", "bot", 0, -150, -50),
    agent("greedy:trained", "network", 260, 100, 220), agent("solver:optimal", "solver", 120, -30, 70),
  ];
  assert.equal(standing({ agents }), "Best: Version 4. Clearly better than Version 1 and all bots. " +
    "Versions 2 and 5 and solver:optimal cannot be distinguished from it. Clearly weaker than the built-in network. " +
    "A version that is rated higher becomes best once it has passed the gate.");
  assert.equal(standing({ agents: agents.slice(4) }), "", "nobody is best");
  assert.equal(standing(null), "");
  const many = Array.from({ length: 9 }, (_, i) => agent(`greedy:main@${i + 10}`, "network", 0, -9, -1));
  assert.equal(standing({ agents: [agents[0], ...many] }), "Best: Version 4. Clearly better than 9 versions.");
});
