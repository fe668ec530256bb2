"""Holds our games as games of OpenSpiel to OpenSpiel's own checks, and plays random games.

Every line of standard input is a JSON object: {"game": "leduc", "rules": {}, "long": false, "twin": "leduc_poker",
"learns": false}. The checks ask everything at each step, so that a long game is only played. The answer is a line with
the history of a random game, what each seat observes at its end, and its returns: {"history": [...], "observations":
[[...], ...], "rewards": [...]}; also

information: numbers that must be equal, of the texts of information states, of their tensors, and of pairs of both: in
    random games; with a twin, a game of OpenSpiel, in the whole tree, and the texts in that of the twin; nothing where
    there are no tensors
exploitable: with a twin, pairs of numbers, ours and the twin's, that must be equal: what a player at random can lose,
    and, where the game learns, what one can after CFR
learnt: where the game learns, what Q-learning has seat 1 win against a player at random, and in how many states
"""

import json
import os
import random
import sys
import tempfile

import numpy as np
import pyspiel
from absl import flags
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough, random_agent, tabular_qlearner
from open_spiel.python.observation import make_observation

import croupier_games

ITERATIONS = 10  # of CFR
EPISODES = 1000  # of Q-learning
SOME = 20  # random games whose information states are compared


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


def some_states(game):
    """Yields the decisions of random games."""
    rng = random.Random(5)
    for _ in range(SOME):
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                yield state
            state.apply_action(rng.choice(state.legal_actions()))


def all_states(game):
    """Yields the decisions of the whole tree."""
    states = [game.new_initial_state()]
    while states:
        state = states.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            yield state
        states += [state.child(action) for action in state.legal_actions()]


def information(states):
    pairs = {(state.information_state_string(), tuple(state.information_state_tensor())) for state in states}
    return [len({text for text, _ in pairs}), len({tensor for _, tensor in pairs}), len(pairs)]


def learnt(game, seat):
    """Q-learning knows a state by its tensor."""
    np.random.seed(1)
    chance = rl_environment.ChanceEventSampler(seed=1)
    env = rl_environment.Environment(game, chance_event_sampler=chance)
    actions = env.action_spec()["num_actions"]
    agents = [random_agent.RandomAgent(i, actions) for i in range(game.num_players())]
    agents[seat] = tabular_qlearner.QLearner(seat, actions)

    def episode(plays):
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.current_player()].step(step, is_evaluation=plays).action])
        for agent in agents:
            agent.step(step, is_evaluation=plays)
        return step.rewards[seat]

    for _ in range(EPISODES):
        episode(False)
    return [float(np.mean([episode(True) for _ in range(EPISODES)])), len(agents[seat]._q_values)]


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
    answer, tensors = play(ours), ours.get_type().provides_information_state_tensor
    if tensors and not request["twin"]:
        answer["information"] = information(some_states(ours))
    if request["twin"]:
        learns, twin = request["learns"], pyspiel.load_game(request["twin"])
        answer["information"] = information(all_states(ours))
        answer["information"].append(len({state.information_state_string() for state in all_states(twin)}))
        answer["exploitable"] = list(zip(exploitable(ours, learns), exploitable(twin, learns)))
        if learns:
            answer["learnt"] = learnt(ours, 1)
    print(json.dumps(answer), flush=True)
