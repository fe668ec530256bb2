"""Holds our games as games of OpenSpiel to OpenSpiel's own checks, and plays random games.

Every line of standard input is a JSON object: {"game": "leduc", "rules": {}, "long": false, "twin": "leduc_poker"}. The
checks ask everything at each step, so that a long game is only played. The answer is a line with the history of a
random game, what each seat observes at its end, and its returns: {"history": [...], "observations": [[...], ...], "rewards":
[...]}; with a twin, a game of OpenSpiel, also "exploitable", pairs of numbers, ours and the twin's, that must be equal:
what a player at random can lose, and what one can after CFR.
"""

import json
import os
import random
import sys
import tempfile

import pyspiel
from absl import flags
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough
from open_spiel.python.observation import make_observation

import croupier_games

ITERATIONS = 10  # of CFR


def play(game):
    rng, state = random.Random(4), game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    observer, observations = make_observation(game), []
    for seat in range(game.num_players()):
        observer.set_from(state, seat)
        observations.append(observer.tensor.tolist())
    return {"history": state.history(), "observations": observations, "rewards": state.returns()}


def replay(game):
    """A playthrough is the same when its actions are made again."""
    text = generate_playthrough.playthrough(str(game), None)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "playthrough.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        expected, actual = generate_playthrough.replay(path)
    assert expected == actual, "the playthrough of %s differs" % game


def exploitable(game, learns):
    numbers = [exploitability.exploitability(game, policy.UniformRandomPolicy(game))]
    if learns:
        solver = cfr.CFRSolver(game)
        for _ in range(ITERATIONS):
            solver.evaluate_and_update_policy()
        numbers.append(exploitability.exploitability(game, solver.average_policy()))
    return numbers


def refuses():
    for game, rules, said in [("chess", {}, "chess"), ("kuhn", {"players": 3}, "players")]:
        try:
            croupier_games.openspiel(game, rules)
            raise AssertionError("%s was made" % game)
        except croupier_games.GameError as error:
            assert said in str(error), error
    state = croupier_games.openspiel("kuhn").new_initial_state()
    try:
        state.apply_action(7)
        raise AssertionError("an outcome was drawn that is not possible")
    except ValueError as error:
        assert "step 7 is not possible: [0, 1, 2] are" in str(error), error


flags.FLAGS(sys.argv[:1])  # which replay reads
refuses()
for line in sys.stdin:
    request = json.loads(line)
    ours = croupier_games.openspiel(request["game"], request["rules"])
    if not request["long"]:
        pyspiel.random_sim_test(ours, num_sims=2, serialize=True, verbose=False)
        replay(ours)
    answer = play(ours)
    if request["twin"]:
        learns = request["game"] == "kuhn"
        twin = pyspiel.load_game(request["twin"])
        answer["exploitable"] = list(zip(exploitable(ours, learns), exploitable(twin, learns)))
    print(json.dumps(answer), flush=True)
