// Runs decisions through networks with the page's own forward pass. Standard input is a list of {plan, weights,
// decisions}; the answer has for each decision what the network says of the legal actions, and the value.
import { readFileSync } from "node:fs";
import { register } from "node:module";

register("../../../tests/js/hooks.mjs", import.meta.url);
const { Network } = await import("../offline-network.js");
const answers = JSON.parse(readFileSync(0, "utf8")).map(({ plan, weights, decisions }) => {
  const network = new Network(plan, Float32Array.from(weights));
  const memory = network.memory();
  return decisions.map(({ observation, legal }) => {
    const { actions, value } = network.decide(Float32Array.from(observation), legal, memory);
    return { actions: legal.map((a) => actions[a]), value };
  });
});
console.log(JSON.stringify(answers));
