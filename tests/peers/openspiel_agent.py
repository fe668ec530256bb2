"""OpenSpiel's CFR+ as an agent for Croupier's Kuhn and Leduc (docs/guide/add-an-agent.md).

It solves the game when it is greeted and then plays the average policy. It needs the
package open-spiel of PyPI:

    croupier arena "exec:python tests/peers/openspiel_agent.py" solver:equilibrium --game kuhn
"""

import json
import random
import sys

import pyspiel

# Names of actions here and numbers there.
KUHN = {"check": 0, "fold": 0, "bet": 1, "call": 1}
LEDUC = {"fold": 0, "check": 1, "call": 1, "bet": 2, "raise": 2}


def kuhn(position):
    """The steps that lead to a position of Kuhn poker; the other's card is any other."""
    own = "JQK".index(position["card"])
    cards = [own, (own + 1) % 3]
    moves = position.get("moves", [])
    if len(moves) % 2 == 1:
        cards.reverse()
    return cards + [KUHN[m] for m in moves]


def leduc(position):
    """The steps that lead to a position of Leduc hold'em; the other's card is any that is left."""

    def number(card):
        return 2 * "JQK".index(card[0]) + "sh".index(card[1])

    own = number(position["card"])
    public = [number(position["public"])] if position["public"] else []
    other = next(c for c in range(6) if c not in [own] + public)
    first, second = position.get("first_round", []), position.get("second_round", [])
    cards = [own, other]
    if len(second if public else first) % 2 == 1:  # the first seat begins each round
        cards.reverse()
    return cards + [LEDUC[m] for m in first] + public + [LEDUC[m] for m in second]


GAMES = {
    "kuhn": ("kuhn_poker", kuhn, KUHN, 1000),
    "leduc": ("leduc_poker", leduc, LEDUC, 100),
}


class Agent:
    """A solved game."""

    def __init__(self, name):
        there, self.steps, self.names, iterations = GAMES[name]
        self.game = pyspiel.load_game(there)
        self.solver = pyspiel.CFRPlusSolver(self.game)  # which its policy points into
        for _ in range(iterations):
            self.solver.evaluate_and_update_policy()
        self.policy = self.solver.average_policy()

    def choose(self, question):
        """Draws an action of the average policy with the question's seed."""
        state = self.game.new_initial_state()
        for step in self.steps(question["position"]):
            state.apply_action(step)
        likely = dict(self.policy.action_probabilities(state))
        legal = question["legal"]
        weights = [likely.get(self.names[a["name"]], 0.0) for a in legal]
        return random.Random(question["seed"]).choices(legal, weights)[0]["action"]


def main():
    agent = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            agent = Agent(message["game"])
            answer = {"protocol": 1, "name": "OpenSpiel CFR+"}
        elif kind == "choose":
            answer = {"id": message["id"], "action": agent.choose(message)}
        elif kind == "quit":
            return
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
