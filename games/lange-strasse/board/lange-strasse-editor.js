// The editor of positions of Lange Strasse.

import { entry } from "./dice.js";
import { fields } from "./fields.js";

const DICE = 6;
const FACES = [1, 2, 3, 4, 5, 6];

/** @type {NonNullable<Board["editor"]>} */
export function editor(host, { position, changed }) {
  const f = fields(host, () => {
    fit();
    changed(read());
  });
  const dice = f.part("Dice");
  const group = f.choice(dice, "kept_groups", "Group that is kept",
    /** @type {[number, string][]} */ ([[0, "none"], ...FACES.map((n) => [n, `${n}s`])]));
  const size = f.choice(dice, "kept_groups", "of", /** @type {[number, string][]} */ (
    [[3, "three"], [4, "four"], [5, "five"]]));
  const ones = f.number(dice, "ones", "Single 1s kept", { max: 5 });
  const fives = f.number(dice, "fives", "Single 5s kept", { max: 5 });
  const thrown = entry(f.place(dice, "available_dice"), { label: "Thrown", count: DICE,
    changed: (faces) => faces.length === DICE - kept() && f.edited() });
  const roll = f.choice(dice, "roll", "The 1 and the 5 were kept from",
    /** @type {[number, string][]} */ ([[2, "one throw"], [3, "two throws"]]));
  const turn = f.part("Turn");
  const points = f.number(turn, "turn_score", "Points of finished sets", { step: 50 });
  const round = f.number(turn, "turn_number", "Round", { min: 1, max: 200 });
  const who = f.choice(turn, "players", "Whose turn", /** @type {[number, string][]} */ (
    [[0, "Seat 1"], [1, "Seat 2"], [2, "Seat 3"]]));
  const players = [0, 1, 2].map((seat) => {
    const part = f.part(`Seat ${seat + 1}`);
    return {
      score: f.number(part, `players[${seat}].score`, "Points", { step: 50 }),
      money: f.number(part, `players[${seat}].money_ct`, "Money so far, ct", { min: -1e6, max: 1e6, step: 50 }),
      strich: f.check(part, `players[${seat}].strich`, "has had a strich"),
    };
  });

  const kept = () => Math.min(DICE, (group.get() ? size.get() : 0) + ones.get() + fives.get());

  /** As many dice are thrown as are not kept. */
  function fit() {
    thrown.set(thrown.faces(), DICE - kept());
  }

  function read() {
    const groups = [
      ...(group.get() ? [Array(size.get()).fill(group.get())] : []),
      ...Array.from({ length: ones.get() }, () => [1]), ...Array.from({ length: fives.get() }, () => [5]),
    ];
    const open = !group.get() && ones.get() === 1 && fives.get() === 1;
    return {
      kept_groups: groups, available_dice: thrown.faces(), ...(open && { roll: roll.get() }),
      turn_score: points.get(), turn_number: round.get(),
      players: players.map((p, seat) => ({
        score: p.score.get(), strich: p.strich.get(), ...(seat === who.get() && { you: true }),
        ...(p.money.get() && { money_ct: p.money.get() }),
      })),
    };
  }

  /** @param {any} p */
  function set(p) {
    f.clear();
    /** @type {number[][]} */
    const groups = p.kept_groups;
    const large = groups.find((g) => g.length > 1);
    group.set(large?.[0] ?? 0);
    size.set(large?.length ?? 3);
    ones.set(groups.filter((g) => g.length === 1 && g[0] === 1).length);
    fives.set(groups.filter((g) => g.length === 1 && g[0] === 5).length);
    thrown.set(p.available_dice, DICE - kept());
    roll.set(p.roll ?? 2);
    points.set(p.turn_score);
    round.set(p.turn_number);
    who.set(p.players.findIndex((/** @type {any} */ one) => one.you));
    players.forEach((player, seat) => {
      player.score.set(p.players[seat].score);
      player.money.set(p.players[seat].money_ct ?? 0);
      player.strich.set(p.players[seat].strich);
    });
  }

  set(position);
  return { set, complain: f.complain, destroy: f.destroy };
}
