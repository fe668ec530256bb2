"""Kuhn poker, as games/kuhn has it: three cards, jack, queen and king; each of two seats antes 1 and is dealt one, which
the other does not see. There is one bet of 1."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kits/python"))

from croupier_game import CHANCE, HIDDEN, TERMINAL, Game, run

PASS, BET = 0, 1


def paid(state, seat):
    return 1 + sum(state[2 + seat :: 2])


class Kuhn(Game):
    description = {
        "name": "kuhn-twin",
        "title": "Kuhn poker from a program",
        "summary": "Kuhn poker: three cards, one bet; the smallest poker with bluffs",
        "seats": 2,
        "actions": [{"name": "betting", "count": 2}],
        "outcomes": 3,
        "outcome_names": ["J", "Q", "K"],
        "observation": [
            {"name": "seat", "size": 2},
            {"name": "card", "size": 3},
            {"name": "pot", "size": 2},
            {"name": "betting", "size": 6},
        ],
        "payoff": "money",
        "max_return": 2,
        "unit": "antes",
        "max_history": 5,
        "hidden_information": True,
        "temperature": 1,
    }

    def start(self):
        return []

    def player(self, state):
        moves = state[2:]
        if len(state) < 2:
            return CHANCE
        if len(moves) == 3 or len(moves) == 2 and (moves[0] == BET or moves[1] == PASS):
            return TERMINAL
        return len(moves) % 2

    def steps(self, state):
        if len(state) < 2:
            return [(card, 7) for card in range(3) if card not in state]
        return [PASS, BET]

    def apply(self, state, step):
        return state + [step]

    def seen(self, state, seat, step):
        return HIDDEN if len(state) < 2 and len(state) != seat else step

    def observe(self, state, seat):
        v = [0] * 13
        v[seat] = 1
        if len(state) > seat:
            v[2 + state[seat]] = 1
        v[5], v[6] = paid(state, seat) / 2, paid(state, 1 - seat) / 2
        for i, move in enumerate(state[2:]):
            v[7 + 2 * i + move] = 1
        return v

    def returns(self, state):
        first, second = paid(state, 0), paid(state, 1)
        won = min(first, second)
        if first < second or first == second and state[0] < state[1]:
            won = -won
        return [won, -won]

    def name(self, state, step):
        if len(state) < 2:
            return ""
        if len(state) > 2 and state[-1] == BET:
            return "call" if step == BET else "fold"
        return "bet" if step == BET else "check"

    def text(self, state):
        return "".join(("JQK" if i < 2 else "pb")[step] for i, step in enumerate(state)) or "no card yet"


if __name__ == "__main__":
    run(Kuhn)
