// croupier.ts makes a game in AssemblyScript a file for Croupier. docs/guide/own-games.md explains it step by step.
//
// A game is a class that extends Game. Its fields are the position, and may only be numbers and booleans: the program
// copies their bytes, and keeps nothing else. They begin as zeros. The file of the game ends with start, and exports
// what it has of the interface, text, name and view only if it defines them, and seen if information is hidden:
//
//   import { Game, start } from "./croupier";
//   export { game, reset, step, observe, text } from "./croupier";
//   class MyGame extends Game { … }
//   start(new MyGame(), SEATS, STEPS, OBSERVATION);
//
//   npx asc GAME.ts -o GAME.wasm -O3 --runtime stub --use abort=
//
// Nothing frees memory in this runtime. Where a game is played, it must not make strings, arrays or objects; texts are
// written with put and putNumber, which make none.

export const CHANCE = -1;
export const TERMINAL = -2;
export const HIDDEN_STEP = -1; // what seen returns if a seat sees that a step is made, but not which
export const UNNOTICED = -2; // or if it does not notice it
export const EVERYBODY = -1; // the eye of view that sees what everybody sees
export const ALL_OPEN = -2; // and the one that sees what is hidden as well

// Game is what a game defines.
export abstract class Game {
  abstract describe(): void; // puts the description, JSON
  begin(): void {} // the beginning of the game, from zeros
  abstract player(): i32; // the seat to move, CHANCE or TERMINAL
  abstract steps(): void; // calls can, or at a node of chance outcome, ascending
  abstract apply(step: i32): void; // makes a possible step
  abstract observe(seat: i32): void; // calls show for what a seat may know and is not 0
  abstract returns(): void; // calls pay at the end for each seat that gains or loses; the returns sum to 0
  scores(): void {} // calls score for each seat, if the game has points of its own
  seen(seat: i32, step: i32): i32 { return step; } // what a seat sees of a step that is about to be made
  name(step: i32): void {} // puts the name of an action or an outcome; nothing: that of the description
  text(): void {} // puts the position for people
  view(eye: i32): void {} // puts what is shown to a seat, EVERYBODY or ALL_OPEN, JSON
}

// What the program reads and writes.
const table = new StaticArray<u32>(12);
const node = new StaticArray<i32>(2); // the player, and how many steps are possible
const words = new StaticArray<u8>(32768);
let length = 0;
let rules = new StaticArray<i32>(0);
let possible = new StaticArray<i32>(0);
let weights = new StaticArray<u32>(0);
let observation = new StaticArray<f32>(0);
let paid = new StaticArray<f64>(0);
let points = new StaticArray<i64>(0);
let views = new StaticArray<i32>(0);
let it!: Game;

// start makes a game the one of the file. It says how many players it has at most, how many actions or outcomes of
// chance (whichever are more), how many numbers a player is shown, and how many rules can be changed.
export function start<T extends Game>(position: T, seats: i32, steps: i32, shown: i32, changeable: i32 = 0): void {
  it = position;
  rules = new StaticArray<i32>(changeable + 1);
  possible = new StaticArray<i32>(steps);
  weights = new StaticArray<u32>(steps);
  observation = new StaticArray<f32>(shown);
  paid = new StaticArray<f64>(seats);
  points = new StaticArray<i64>(seats);
  views = new StaticArray<i32>(seats);
  table[0] = 1;
  table[1] = <u32>changetype<usize>(words);
  table[2] = <u32>changetype<usize>(rules);
  table[3] = <u32>changetype<usize>(position);
  table[4] = <u32>max<usize>(offsetof<T>(), 1);
  table[5] = <u32>changetype<usize>(node);
  table[6] = <u32>changetype<usize>(possible);
  table[7] = <u32>changetype<usize>(weights);
  table[8] = <u32>changetype<usize>(observation);
  table[9] = <u32>changetype<usize>(paid);
  table[10] = <u32>changetype<usize>(points);
  table[11] = <u32>changetype<usize>(views);
}

// rule returns the value of a rule, by its place in the description: a number, 1 or 0 for true or false, or the place
// of a text among its values.
export function rule(i: i32): i32 { return rules[i]; }

// can says that an action is legal.
export function can(action: i32): void {
  possible[node[1]] = action;
  node[1] += 1;
}

// outcome says that chance can do something, in as many cases of all as weight says.
export function outcome(number: i32, weight: u32): void {
  weights[node[1]] = weight;
  can(number);
}

// show writes a number of the observation.
export function show(i: i32, value: f32): void { observation[i] = value; }

// pay writes the return of a seat.
export function pay(seat: i32, value: f64): void { paid[seat] = value; }

// score writes the points of a seat.
export function score(seat: i32, value: i64): void { points[seat] = value; }

// put appends to the text.
export function put(s: string): void {
  if (length + 3 * s.length >= words.length) return;
  length += <i32>String.UTF8.encodeUnsafe(changetype<usize>(s), s.length, changetype<usize>(words) + length);
}

// putNumber appends a whole number to the text.
export function putNumber(n: i64): void {
  if (n < 0) put("-");
  let rest: u64 = n < 0 ? -n : n, unit: u64 = 1;
  while (rest / unit >= 10) unit *= 10;
  for (; unit > 0 && length + 1 < words.length; unit /= 10) words[length++] = <u8>(48 + (rest / unit) % 10);
}

// address ends the text, of which an empty one is none.
function address(): usize {
  words[length] = 0;
  return length == 0 ? 0 : changetype<usize>(words);
}

function tell(): void {
  const player = it.player();
  node[0] = player;
  node[1] = 0;
  if (player == TERMINAL) it.returns();
  else it.steps();
  it.scores();
}

// The exports of the interface.

export function game(): usize {
  length = 0;
  it.describe();
  address();
  return changetype<usize>(table);
}

export function reset(): void {
  it.begin();
  tell();
}

export function step(made: i32, observing: i32): void {
  for (let seat = 0; seat < views.length; seat++) views[seat] = it.seen(seat, made);
  it.apply(made);
  tell();
  if (observing && node[0] >= 0) it.observe(node[0]);
}

export function observe(seat: i32): void { it.observe(seat); }

export function seen(seat: i32, step: i32): i32 { return it.seen(seat, step); }

export function name(step: i32): usize {
  length = 0;
  it.name(step);
  return address();
}

export function text(): usize {
  length = 0;
  it.text();
  return address();
}

export function view(eye: i32): usize {
  length = 0;
  it.view(eye);
  return address();
}
