// Plays games with an agent that is one WebAssembly file, which is the first argument; the second is how many, the third
// the temperature, "" for the file's own. It takes steps at random. The answer has for each position what the file
// says, and how long it took to choose.
import { readFileSync } from "node:fs";

const [, , path, games, temperature] = process.argv;
const { instance } = await WebAssembly.instantiate(readFileSync(path), {});
const agent = instance.exports;
if (temperature !== "") agent.temperature.value = Number(temperature);
let drawn = 1;
const random = () => (drawn = drawn * 48271 % 2147483647) / 2147483647;
const description = () => {
  const bytes = new Uint8Array(agent.memory.buffer, agent.description());
  return JSON.parse(new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0))));
};

let choices = 0;
let nanoseconds = 0n;
const played = Array.from({ length: Number(games) }, () => {
  agent.reset();
  const positions = [];
  while (agent.count() > 0) {
    const possible = Array.from({ length: agent.count() }, (_, i) => agent.possible(i));
    const began = process.hrtime.bigint();
    const choice = agent.choose(random());
    if (agent.player() >= 0) {
      nanoseconds += process.hrtime.bigint() - began;
      choices++;
    }
    const step = possible[Math.floor(random() * possible.length)];
    positions.push({
      player: agent.player(), possible, choice, step, value: agent.value(),
      probabilities: possible.map((_, i) => agent.probability(i)),
    });
    if (agent.step(step) !== 1) throw new Error(`step ${step} was not made`);
  }
  const returns = Array.from({ length: description().seats }, (_, seat) => agent.returns(seat));
  return { positions, returns };
});
console.log(JSON.stringify({ name: description().name, microseconds: Number(nanoseconds) / 1000 / choices, played }));
