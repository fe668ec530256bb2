// The editor of positions of BANK!.

import { entry } from "./dice.js";
import { fields } from "./fields.js";

/** @type {[string, string][]} */
const STATES = [["in", "to answer"], ["passed", "passed"], ["now", "banked after this roll"],
  ["banked", "banked before"]];

/** @type {NonNullable<Board["editor"]>} */
export function editor(host, { rules, position, changed }) {
  const seats = Number(rules.players ?? 3);
  const all = Array.from({ length: seats }, (_, seat) => seat);
  const f = fields(host, () => changed(read()));
  const round = f.part("Round and roll");
  const number = f.number(round, "round", "Round", { min: 1, max: Number(rules.rounds ?? 10) });
  const roll = f.number(round, "roll", "Roll of the round", { min: 1, max: 10000 });
  const place = f.place(round, "dice");
  const dice = entry(place, { label: "The newest roll", count: 2,
    changed: (faces) => faces.length === 2 && f.edited() });
  const bank = f.number(round, "bank", "Bank after it", { step: 5 });
  const who = f.part("Players");
  const asked = f.choice(who, "seat", "Who is asked", all.map((seat) => [seat, `Seat ${seat + 1}`]));
  const players = all.map((seat) => {
    const part = f.part(`Seat ${seat + 1}`);
    return {
      total: f.number(part, `totals[${seat}]`, "Total", { step: 10 }),
      state: f.choice(part, `state[${seat}]`, "In this round", STATES),
    };
  });

  /** @param {...string} states */
  const those = (...states) => all.filter((seat) => states.includes(players[seat].state.get()));

  function read() {
    const [banked, now, passed] = [those("banked", "now"), those("now"), those("passed")];
    return {
      round: number.get(), roll: roll.get(), dice: dice.faces(), bank: bank.get(),
      totals: players.map((p) => p.total.get()), seat: asked.get(),
      ...(banked.length && { banked }), ...(now.length && { banked_now: now }), ...(passed.length && { passed }),
    };
  }

  /** @param {any} p @param {number} seat */
  function stateOf(p, seat) {
    if (p.banked_now?.includes(seat)) return "now";
    if (p.banked?.includes(seat)) return "banked";
    return p.passed?.includes(seat) ? "passed" : "in";
  }

  /** @param {any} p */
  function set(p) {
    f.clear();
    number.set(p.round);
    roll.set(p.roll);
    dice.set(p.dice);
    bank.set(p.bank);
    asked.set(p.seat);
    players.forEach((player, seat) => {
      player.total.set(p.totals[seat] ?? 0);
      player.state.set(stateOf(p, seat));
    });
  }

  set(position);
  return { set, complain: f.complain, destroy: f.destroy };
}
