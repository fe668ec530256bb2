// Thirty: three players take turns to roll two dice. Each roll adds its sum to the turn, a double takes all that the
// turn has brought, and a player who stops keeps it. The first with 30 points wins; after ten turns of each, the most
// points win, and players with as many share the win.
import { CHANCE, Game, TERMINAL, can, outcome, pay, put, putNumber, rule, score, show, start } from "./croupier";
export { game, observe, reset, step, text, view } from "./croupier";

const SEATS = 3;
const ROLL = 0;
const DOUBLE = 0; // the outcome; the others are sums of two different dice, 3 to 11
const OUTCOMES = 10;
const OBSERVATION = 9;
const TURNS = 10; // of each player

class Thirty extends Game {
  first: i32 = 0; // points
  second: i32 = 0;
  third: i32 = 0;
  turn: i32 = 0; // points of this turn
  turns: i32 = 0; // that are over, of all players
  rolling: bool = false;
  over: bool = false;

  describe(): void {
    put('{"name": "thirty", "title": "Thirty", "seats": 3,');
    put('"summary": "Thirty: three players roll for more or stop before a double takes the points of the turn",');
    put('"actions": [{"name": "choice", "count": 2, "names": ["roll", "stop"]}],');
    put('"outcomes": 10, "outcome_names": ["double", "3", "4", "5", "6", "7", "8", "9", "10", "11"],');
    put('"observation": [{"name": "points", "size": 3}, {"name": "turn", "size": 2}, {"name": "left", "size": 1},');
    put('{"name": "lead", "size": 3}],');
    put('"payoff": "win-loss", "max_return": 2, "unit": "wins", "scores": true,');
    put('"rules": [{"name": "target", "help": "Points that win", "low": 1, "high": 1000, "default": 30}],');
    put('"max_history": ');
    putNumber(SEATS * TURNS * (2 * (this.target() / 3 + 1) + 1));
    put("}");
  }

  target(): i32 { return rule(0); }

  seat(): i32 { return this.turns % SEATS; }

  points(seat: i32): i32 { return seat == 0 ? this.first : seat == 1 ? this.second : this.third; }

  player(): i32 { return this.over ? TERMINAL : this.rolling ? CHANCE : this.seat(); }

  steps(): void {
    if (!this.rolling) {
      can(0);
      can(1);
      return;
    }
    outcome(DOUBLE, 6);
    for (let sum = 3; sum <= 11; sum++) { // as many throws of 36 as there are, without the double of an even sum
      outcome(sum - 2, (sum <= 7 ? sum - 1 : 13 - sum) - (sum % 2 == 0 ? 1 : 0));
    }
  }

  apply(step: i32): void {
    if (this.rolling) {
      this.rolling = false;
      if (step == DOUBLE) this.pass(0);
      else this.turn += step + 2;
    } else if (step == ROLL) {
      this.rolling = true;
    } else {
      this.pass(this.turn);
    }
  }

  // pass ends a turn that brings points.
  pass(points: i32): void {
    const seat = this.seat();
    if (seat == 0) this.first += points;
    else if (seat == 1) this.second += points;
    else this.third += points;
    this.turn = 0;
    if (this.points(seat) >= this.target() || this.turns + 1 == SEATS * TURNS) this.over = true;
    else this.turns++;
  }

  observe(seat: i32): void {
    const scale: f32 = 1 / <f32>this.target();
    for (let i = 0; i < SEATS; i++) { // the own points first
      const points = this.points((seat + i) % SEATS);
      show(i, <f32>points * scale);
      show(6 + i, <f32>(points - this.points(seat)) * scale);
    }
    show(3, <f32>this.turn * scale);
    show(4, this.seat() == seat ? 1 : 0);
    show(5, <f32>(SEATS * TURNS - this.turns) / <f32>(SEATS * TURNS));
  }

  returns(): void {
    const most = max(this.first, max(this.second, this.third));
    let winners = 0;
    for (let seat = 0; seat < SEATS; seat++) winners += this.points(seat) == most ? 1 : 0;
    for (let seat = 0; seat < SEATS; seat++) pay(seat, this.points(seat) == most ? <f64>(SEATS - winners) / <f64>winners : -1);
  }

  scores(): void {
    for (let seat = 0; seat < SEATS; seat++) score(seat, this.points(seat));
  }

  text(): void {
    for (let seat = 0; seat < SEATS; seat++) {
      put(seat == 0 ? "" : " : ");
      putNumber(this.points(seat));
    }
    put(" of ");
    putNumber(this.target());
    if (this.over) return;
    put(", player ");
    putNumber(this.seat() + 1);
    put(this.rolling ? " rolls with " : " has ");
    putNumber(this.turn);
    put(" in this turn");
  }

  view(eye: i32): void { // everybody sees everything
    put('{"parts": [');
    for (let seat = 0; seat < SEATS; seat++) {
      put('{"seat": ');
      putNumber(seat);
      put(', "track": {"at": ');
      putNumber(min(this.points(seat), this.target()));
      put(', "of": ');
      putNumber(this.target());
      put("}}, ");
    }
    put('{"label": "this turn", "chips": ');
    putNumber(this.turn);
    put('}, {"label": "turns that are over", "track": {"at": ');
    putNumber(this.turns);
    put(', "of": ');
    putNumber(SEATS * TURNS);
    put("}}]}");
  }
}

start(new Thirty(), SEATS, OUTCOMES, OBSERVATION, 1);
