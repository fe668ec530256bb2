"""Reads lines of JSON, {"game": NAME, "history": [...]}, and writes the returns that OpenSpiel has for each; without a
history what a player at random can lose, OpenSpiel's NashConv by the number of players. Needs open-spiel of PyPI."""

import json
import sys

import pyspiel


def load(name):
    game = pyspiel.load_game(name)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.load_game_as_turn_based(name)
    return game


def answer(line):
    game = load(line["game"])
    if "history" not in line:
        from open_spiel.python import policy
        from open_spiel.python.algorithms import exploitability

        return exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    state = game.new_initial_state()
    for step in line["history"]:
        assert not state.is_terminal() and step in state.legal_actions(), (line, step)
        state.apply_action(step)
    assert state.is_terminal(), line
    return state.returns()


for text in sys.stdin:
    print(json.dumps(answer(json.loads(text))), flush=True)
