"""Ten counters: two players take one or two in turn, and the last one wins. A state is the history, which many share a
position with."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kits/python"))

from croupier_game import TERMINAL, Game, run


def left(state):
    return 10 - len(state) - sum(state)


class Heap(Game):
    description = {
        "name": "heap",
        "title": "Heap",
        "summary": "Heap: the last of ten counters wins",
        "seats": 2,
        "actions": [{"name": "take", "count": 2, "names": ["one", "two"]}],
        "observation": [{"name": "left", "size": 11}],
        "payoff": "win-loss",
        "max_return": 1,
        "unit": "wins",
        "max_history": 10,
    }

    def start(self):
        return []

    def key(self, state):
        return "%d counters, player %d" % (left(state), len(state) % 2)

    def player(self, state):
        return len(state) % 2 if left(state) else TERMINAL

    def steps(self, state):
        return [0, 1] if left(state) > 1 else [0]

    def apply(self, state, step):
        return state + [step]

    def observe(self, state, seat):
        return [float(left(state) == i) for i in range(11)]

    def returns(self, state):
        last = (len(state) + 1) % 2
        return [1 - 2 * last, 2 * last - 1]


run(Heap)
