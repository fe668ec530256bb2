// Plays games at random with the module of a page. Standard input is {file, rules, games}, the file as base64; the answer
// has for each game its positions, with all that the page asks of them.
import { readFileSync } from "node:fs";
import { register } from "node:module";

register("../../../tests/js/hooks.mjs", import.meta.url);
const { CHANCE, Game, TERMINAL } = await import("../offline-game.js");
const { file, rules, games } = JSON.parse(readFileSync(0, "utf8"));
const game = await Game.open(Buffer.from(file, "base64"), rules);
let drawn = 1;
const draw = (n) => {
  drawn = (drawn * 48271) % 2147483647;
  return drawn % n;
};
const seats = Array.from({ length: game.description.seats }, (_, seat) => seat);
const shown = (at) => ({
  player: at.player, steps: at.steps, returns: at.returns,
  probabilities: at.weights.map((w) => w / at.weights.reduce((sum, v) => sum + v, 0)),
  names: at.steps.map((step) => game.name(at, step)),
  seen: seats.map((seat) => at.steps.map((step) => game.seen(at, seat, step))),
  observations: at.player === CHANCE ? [] : seats.map((seat) => Array.from(game.observe(at, seat))),
});
console.log(JSON.stringify(Array.from({ length: games }, () => {
  const positions = [], history = [];
  for (let at = game.begin(); ; at = game.step(at, history.at(-1))) {
    positions.push(shown(at));
    if (at.player === TERMINAL) return { history, positions };
    history.push(at.steps[draw(at.steps.length)]);
  }
})));
