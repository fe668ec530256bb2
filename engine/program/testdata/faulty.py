"""Cliff with a fault, which the argument names, from the tenth step of a game on or at once."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kits/python"))

import cliff
import croupier_game

FAULT = sys.argv[1]


class Faulty(cliff.Cliff):
    description = {**cliff.Cliff.description, "name": "faulty"}
    made = 0

    def late(self, state, step):
        """Says whether the fault is due: 400 steps after the trial of the game."""
        Faulty.made += 1
        return Faulty.made > 400

    def describe(self):
        if FAULT == "no seats":
            return {**self.description, "seats": 0}
        if FAULT == "other name":
            return {**self.description, "name": "faulty" if self.rules["target"] == 30 else "other"}
        return self.description

    def start(self):
        if FAULT == "no player":
            self.player = lambda state: 7
        if FAULT == "over":
            return [[0, 0, 30], 0, 0, False]
        return super().start()

    def apply(self, state, step):
        if FAULT == "at once":
            raise KeyError("lost")
        if FAULT == "remembers":
            Faulty.made += 1
            state = super().apply(state, step)
            return [state[0], state[1], state[2] + Faulty.made if state[2] else 0, state[3]]
        if self.late(state, step):
            if FAULT == "dies":
                print("no more dice", file=sys.stderr)
                os._exit(3)
            if FAULT == "hangs":
                time.sleep(3600)
            if FAULT == "raises":
                raise KeyError("lost")
            if FAULT == "nonsense":
                os.write(1, b"let me think\n")
            if FAULT == "unbalanced":
                return [[31, 31, 0], 0, 0, False]
        return super().apply(state, step)

    def returns(self, state):
        return [2, 2, 2] if state[0] == [31, 31, 0] else super().returns(state)

    def observe(self, state, seat):
        v = super().observe(state, seat)
        return v[1:] if FAULT == "short" else v

    def name(self, state, step):
        return "two\nlines" if FAULT == "lines" else ""


class Wrong:
    """A server that answers otherwise than it is asked."""

    def __init__(self, game, server=croupier_game._Server):
        self.server = server(game)
        self.item = None

    def answer(self, line):
        answer = self.server.answer(line)
        if FAULT == "old":
            answer["version"] = 0
        if FAULT == "no node":
            answer.pop("node", None)
        if FAULT == "fewer" and line["type"] == "steps":
            answer["nodes"] = answer["nodes"][1:]
        if FAULT == "no step" and line["type"] == "steps":
            answer["nodes"] = [[] for _ in answer["nodes"]]
        return answer


if FAULT == "other line":
    for text in sys.stdin:
        print(json.dumps({"id": 7, "version": 1}), flush=True)
if FAULT in ("old", "no node", "fewer", "no step"):
    croupier_game._Server = Wrong
croupier_game.run(Faulty)
