"""Right answers to positions, found without Croupier: python3 known_answers.py > ../known_answers.jsonl

Written from the rules alone, as simply as possible, in another language, so that it shares no mistake with the solvers
it checks. Each line is a position as `croupier advise` reads it, or a history as `croupier solve tysiac --double-dummy`
does, with the value of every action by its name. Needs Python 3.9 and NumPy; takes about two minutes.
"""

import itertools
import json
import sys
from collections import Counter
from functools import lru_cache

import numpy as np


def emit(game, position, values, tolerance, why, **more):
    values = {name: round(float(v), 12) + 0.0 for name, v in values.items()}
    print(json.dumps({"game": game, **more, "position": position, "values": values, "tolerance": tolerance, "why": why}))


# ---- Kuhn poker -----------------------------------------------------------------------------------------------------
# Values that all equilibria share (H. W. Kuhn, "A simplified two-person poker", 1950). The first player bets the jack
# with probability a and the king with 3a; the second bets the jack and calls with the queen 1/3 of the time each.

def kuhn():
    third = 1 / 3
    call_queen = 2 * (1 / 4) - 2 * (3 / 4)  # a bettor holds the jack 1 time in 4
    rows = [
        ("J", [], {"check": -1, "bet": third * (-2) / 2 + (1 - third) / 2 - 1}, "the bluff is worth as much as the fold"),
        ("Q", [], {"check": -third, "bet": 1 / 2 - 2 / 2}, "a bet is only called by the king"),
        ("K", [], {"check": (2 * third + 1 * (1 - third)) / 2 + 1 / 2, "bet": 1 / 2 + (2 * third + (1 - third)) / 2},
         "slow play and a bet are worth the same"),
        ("J", ["bet"], {"fold": -1, "call": -2}, "the jack beats nothing"),
        ("Q", ["bet"], {"fold": -1, "call": call_queen}, "the bettor's bluffs make the queen indifferent"),
        ("K", ["bet"], {"fold": -1, "call": 2}, "the king beats everything"),
        ("Q", ["check", "bet"], {"fold": -1, "call": call_queen}, "the bettor's bluffs make the queen indifferent"),
        ("K", ["check", "bet"], {"fold": -1, "call": 2}, "the king beats everything"),
    ]
    for card, moves, values, why in rows:
        emit("kuhn", {"card": card, "moves": moves}, values, 2e-3, why)


# ---- Leduc hold'em --------------------------------------------------------------------------------------------------
# Positions in which the pot is the seat's for sure: nobody else can pair the public card that it holds itself.

def leduc():
    for card, public in (("Ks", "Kh"), ("Jh", "Js")):
        for first, second in ((["raise", "call"], ["raise", "raise"]), (["check", "check"], ["raise", "raise"]),
                              (["raise", "raise", "call"], ["raise", "raise"])):
            put = 1 + 2 * first.count("raise")  # by each seat when the public card comes
            emit("leduc", {"card": card, "first_round": first, "public": public, "second_round": second},
                 {"fold": -(put + 4), "call": put + 8}, 1e-9, "no other hand can have the pair")


# ---- Pig ------------------------------------------------------------------------------------------------------------
# Value iteration (T. Neller, C. Presser, "Optimal play of the dice game Pig", 2004).

def pig(goal=100):
    win = np.zeros((goal, goal, goal))  # of who is to move: own points, the other's, points of the turn

    def options(i, j, k):
        other = win[j, i, 0]
        roll = (1 - other) / 6
        for die in range(2, 7):
            roll += (1 if i + k + die >= goal else win[i, j, k + die]) / 6
        hold = 1 - win[j, i + k, 0]
        return roll, hold

    def sweep(i, j):
        change = 0
        for k in range(goal - i - 1, -1, -1):
            best = max(options(i, j, k))
            change = max(change, abs(best - win[i, j, k]))
            win[i, j, k] = best
        return change

    for total in range(2 * goal - 2, -1, -1):  # only pairs of the same sum need each other
        pairs = [(i, total - i) for i in range(max(0, total - goal + 1), min(goal, total + 1)) if i <= total - i]
        for i, j in pairs:
            while max(sweep(i, j), sweep(j, i)) > 1e-13:
                pass
    for i, j, k in ((0, 0, 0), (0, 0, 20), (0, 0, 21), (30, 42, 18), (99, 99, 0), (0, 99, 30), (80, 40, 19), (50, 70, 33)):
        roll, hold = options(i, j, k)
        emit("pig", {"scores": [i, j], "turn": k, "seat": 0}, {"roll": roll, "hold": hold}, 1e-9, "value iteration")


# ---- BANK! for two --------------------------------------------------------------------------------------------------
# In the last round: who is ahead copies the other's answers and cannot lose; who is alone chases a known number.

ROLLS = [(a, b) for a in range(1, 7) for b in range(1, 7)]


@lru_cache(maxsize=None)
def alone(bank, rolled, need):
    """Share of the win of the only active seat, which wins with more than need points and ties with need."""
    return max(settled(bank - need), next_roll(bank, rolled, need))


def settled(lead):
    return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0


@lru_cache(maxsize=None)
def next_roll(bank, rolled, need):
    if bank > need:
        return 5 / 6 if rolled >= 3 else 1.0  # the next poll wins, if there is one
    share = 0.0
    for a, b in ROLLS:
        if rolled < 3:
            after = bank + (70 if a + b == 7 else a + b)
        elif a + b == 7:
            share += settled(-need) / 36
            continue
        else:
            after = 2 * bank if a == b else bank + a + b
        share += alone(after, min(rolled + 1, 3), need) / 36
    return share


def bank():
    for totals, (roll, dice, points) in itertools.product(
            ([1121, 1116], [300, 250]), ((2, [2, 3], 10), (5, [5, 6], 120))):
        lead = totals[0] - totals[1]
        # Whoever banks first leaves the other alone, who needs more than the new difference. Ahead, passing wins: the
        # answer to a bank is a bank.
        emit("bank", {"round": 10, "roll": roll, "dice": dice, "bank": points, "totals": totals, "seat": 0},
             {"pass": 1.0, "bank": 1 - chase(points, roll, lead + points)}, 1e-9,
             "who is ahead in the last round copies", rules={"players": 2})
        # The other has banked already: behind by need, alone.
        need = lead + points
        emit("bank", {"round": 10, "roll": roll, "dice": dice, "bank": points, "totals": [totals[1], totals[0] + points],
                      "seat": 0, "banked": [1], "banked_now": [1]},
             {"pass": next_roll(points, min(roll, 3), need), "bank": settled(points - need)}, 1e-9,
             "alone in the last round", rules={"players": 2})


def chase(bank, rolled, need):
    """Share of a seat that is asked again after the other's bank."""
    return max(settled(bank - need), next_roll(bank, min(rolled, 3), need))


# ---- The turn of Lange Strasse --------------------------------------------------------------------------------------
# A set is what is kept of it: groups as (face, count), singles as numbers of 1s and 5s. For points alone it is a
# Markov decision process; all starting scores of the set are computed at once, as vectors.

STEP, TOP = 50, 24_000
START = np.arange(0, TOP + 1, STEP, dtype=float)  # points of the finished sets


def points(groups, ones, fives):
    total = 100 * ones + 50 * fives
    for face, count in groups:
        total += (1000 if face == 1 else 100 * face) * 2 ** (count - 3)
    return total


@lru_cache(maxsize=None)
def rolls(n):
    count = Counter(tuple(sorted(r)) for r in itertools.product(range(1, 7), repeat=n))
    return [(r, c / 6**n) for r, c in count.items()]


@lru_cache(maxsize=None)
def keeps(kept, roll):
    """The legal keeps of the roll: kept dice, new state. Groups are sorted."""
    groups, ones, fives = kept
    have = Counter(roll)
    options = []
    for choice in itertools.product(*[range(c + 1) for c in have.values()]):
        if not any(choice):
            continue
        new, new_ones, new_fives, legal = dict(groups), ones, fives, True
        for face, c in zip(have, choice):
            if c == 0:
                continue
            if face in new:
                new[face] += c
            elif c >= 3:
                new[face] = c
            elif face == 1:
                new_ones += c
            elif face == 5:
                new_fives += c
            else:
                legal = False
        if legal:
            options.append((choice, (tuple(sorted(new.items())), new_ones, new_fives)))
    return options


def size(kept):
    groups, ones, fives = kept
    return sum(c for _, c in groups) + ones + fives


def straight(kept, roll):
    groups, ones, fives = kept
    return not groups and ones <= 1 and fives <= 1 and sorted((1,) * ones + (5,) * fives + roll) == [1, 2, 3, 4, 5, 6]


def talheim(kept, roll):
    groups, ones, fives = kept
    faces = Counter((1,) * ones + (5,) * fives + roll)
    if groups or sorted(faces.values()) != [2, 2, 2]:
        return 0
    low, _, high = sorted(faces)
    return 1000 if high - low == 2 else 500


def new_set(fresh, score):
    """Value of a new set with score more points, beyond the table what the last entry is worth in points more."""
    shift = int(score) // STEP
    beyond = fresh[-1] + STEP * np.arange(1, shift + 1)
    return np.concatenate([fresh[shift:], beyond[max(0, shift - len(fresh)):]])[:len(START)] if shift else fresh


class Turn:
    def __init__(self):
        self.fresh = START.copy()
        for _ in range(60):
            self.memo = {}
            value = self.rolled(((), 0, 0))
            change = np.max(np.abs(value - self.fresh)[: len(START) // 2])
            self.fresh = value
            if change < 1e-10:
                break
        self.memo = {}

    def rolled(self, kept):
        if kept not in self.memo:
            value = np.zeros(len(START))
            for roll, p in rolls(6 - size(kept)):
                options = list(self.options(kept, roll).values())
                if options:
                    value += p * np.max(options, axis=0)
            self.memo[kept] = value
        return self.memo[kept]

    def options(self, kept, roll):
        values = {}
        if straight(kept, roll):
            values["Lange Strasse"] = new_set(self.fresh, 1250)
        if score := talheim(kept, roll):
            values["Talheim"] = START + score
        for choice, after in keeps(kept, roll):
            dice = "-".join(str(f) for f, c in zip(Counter(roll), choice) for _ in range(c))
            score = points(*after)
            if size(after) == 6:
                if "Lange Strasse" not in values:
                    values[f"keep {dice}, roll"] = new_set(self.fresh, score)
                continue
            values[f"keep {dice}, roll"] = self.rolled(after)
            if score >= 300:
                values[f"keep {dice}, stop"] = START + score
        return values


def lange_strasse():
    turn = Turn()
    print(f"Lange Strasse: a turn is worth {turn.fresh[0]:.4f} points", file=sys.stderr)
    for groups, ones, fives, roll, start in (
            ((), 0, 0, (1, 1, 2, 3, 5, 5), 0), ((), 0, 0, (1, 2, 3, 4, 5, 6), 0), ((), 0, 0, (2, 2, 3, 3, 4, 4), 0),
            ((), 0, 0, (1, 1, 5, 5, 6, 6), 0), (((5, 3),), 0, 0, (1, 2, 4), 1500), (((5, 3),), 0, 0, (1, 2, 4), 0),
            (((2, 3),), 1, 0, (2, 5), 0), ((), 2, 1, (1, 3, 4), 300), (((6, 3),), 0, 0, (1, 5, 6), 600)):
        kept = (groups, ones, fives)
        values = {name: v[start // STEP] for name, v in turn.options(kept, roll).items()}
        position = {
            "kept_groups": [[f] * c for f, c in groups] + [[1]] * ones + [[5]] * fives,
            "available_dice": list(roll), "turn_score": start, "turn_number": 7,
            "players": [{"score": 4550, "strich": True}, {"score": 1300, "strich": True, "you": True},
                        {"score": 6400, "strich": False}],
        }
        emit("lange-strasse", position, values, 1e-5, "expectimax over the turn", agent="turn-optimum")


# ---- Tysiąc with open cards -----------------------------------------------------------------------------------------
# The last tricks of random deals by plain minimax. Cards are suit × 6 + rank, ranks 9 J Q K 10 A.

CARD_POINTS = (0, 2, 3, 4, 10, 11)
MELDS = (40, 60, 80, 100)
PLAY, MELD = 80, 104


def beats(card, led, trump):
    if card // 6 == led // 6:
        return card > led
    return card // 6 == trump


def leads(hand, melded):
    for card in sorted(hand):
        yield card, False
        suit, rank = divmod(card, 6)
        if rank in (2, 3) and suit * 6 + 5 - rank in hand and suit not in melded:
            yield card, True


def replies(hand, led, trump):
    same = [c for c in hand if c // 6 == led // 6]
    if same:
        return [c for c in same if c > led] or same
    return [c for c in hand if c // 6 == trump] or list(hand)


def lead(hand, other, trump, melded):
    """Points that the leader still gets, less the other's."""
    return max((value_of_lead(hand, other, trump, melded, *move) for move in leads(hand, melded)), default=0)


def value_of_lead(hand, other, trump, melded, card, meld):
    bonus = 0
    if meld:
        trump, bonus, melded = card // 6, MELDS[card // 6], melded | {card // 6}
    hand = hand - {card}
    return bonus + min(trick(hand, other, trump, melded, card, reply) for reply in replies(other, card, trump))


def trick(hand, other, trump, melded, card, reply):
    other = other - {reply}
    won = CARD_POINTS[card % 6] + CARD_POINTS[reply % 6]
    if beats(reply, card, trump):
        return -won - lead(other, hand, trump, melded)
    return won + lead(hand, other, trump, melded)


def tysiac(deals=12, cards_left=4):
    rng = np.random.default_rng(20)
    for deal in range(deals):
        deck = [int(c) for c in rng.permutation(24)]
        hands = [set(deck[:10]), set(deck[10:20])]
        # Forehand, seat 1, opens, the dealer passes; musik 1; no bomb; two cards back; the contract is the bid.
        steps = deck + [1, 0, 21, 24]
        hands[1] |= set(deck[20:22])
        for back in sorted(int(c) for c in rng.choice(sorted(hands[1]), 2, replace=False)):
            hands[1].remove(back)
            steps.append(25 + back)
        steps.append(49)
        leader, trump, melded = 1, -1, frozenset()
        while len(hands[leader]) > cards_left:
            moves = list(leads(hands[leader], melded))
            card, meld = moves[rng.integers(len(moves))]
            if meld:
                trump, melded = card // 6, melded | {card // 6}
            follow = replies(hands[1 - leader], card, trump)
            reply = follow[rng.integers(len(follow))]
            hands[leader].remove(card)
            hands[1 - leader].remove(reply)
            steps += [action(card, meld), PLAY + int(reply)]
            leader = 1 - leader if beats(reply, card, trump) else leader
        mine, other = frozenset(hands[leader]), frozenset(hands[1 - leader])
        if deal % 2:  # the follower is to move: the values stay the leader's
            moves = list(leads(mine, melded))
            card, meld = moves[rng.integers(len(moves))]
            if meld:
                trump, melded = card // 6, melded | {card // 6}
            steps.append(action(card, meld))
            values = {str(PLAY + r): trick(mine - {card}, other, trump, melded, card, r)
                      for r in replies(other, card, trump)}
        else:
            values = {str(action(c, m)): value_of_lead(mine, other, trump, melded, c, m) for c, m in leads(mine, melded)}
        print(json.dumps({"game": "tysiac-hand", "history": steps, "values": values, "tolerance": 0, "why": "minimax"}))


def action(card, meld):
    return MELD + 2 * (card // 6) + (0 if card % 6 == 3 else 1) if meld else PLAY + int(card)


if __name__ == "__main__":
    kuhn()
    leduc()
    pig()
    bank()
    lange_strasse()
    tysiac()
