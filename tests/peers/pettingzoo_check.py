"""Holds the environments of the package in python/ to PettingZoo's own checks, and plays random games.

Every line of standard input is a JSON object: {"game": "leduc", "rules": {}}. The answer is a line with the history of a
game that the environment has played with random legal actions, what each seat observes at its end, and the sum of each
seat's rewards: {"history": [...], "observations": [[...], ...], "rewards": [...]}.
"""

import json
import sys
import warnings

import numpy as np
from pettingzoo.test import api_test, seed_test

import croupier_games


def play(game, rules):
    env = croupier_games.env(game, rules, render_mode="ansi")
    env.reset(seed=3)
    random, rewards = np.random.default_rng(4), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        if terminated or truncated:
            env.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        env.step(int(random.choice(legal)))
    assert env.render(), "a position is a text"
    history = env.node["state"]
    observations = [env.observe(agent)["observation"].tolist() for agent in env.possible_agents]
    env.close()
    return {"history": history, "observations": observations, "rewards": list(rewards.values())}


def refuses():
    env = croupier_games.env("kuhn")
    env.reset(seed=1)
    try:
        env.step(7)
        raise AssertionError("an illegal action was made")
    except ValueError as error:
        assert "action 7 of seat_0 is not legal: [0, 1] are" in str(error), error
    for game, rules, said in [("chess", {}, "chess"), ("kuhn", {"players": 3}, "players")]:
        try:
            croupier_games.env(game, rules)
            raise AssertionError("%s was made" % game)
        except croupier_games.GameError as error:
            assert said in str(error), error
    try:
        croupier_games.env("kuhn", program="no-such-program")
    except croupier_games.GameError as error:
        assert "put croupier into the path" in str(error), error


warnings.simplefilter("ignore")  # that observations are dictionaries
refuses()
for line in sys.stdin:
    request = json.loads(line)
    output, sys.stdout = sys.stdout, sys.stderr  # the checks print
    environment = croupier_games.env(request["game"], request["rules"])
    api_test(environment, num_cycles=50)
    environment.close()
    seed_test(lambda: croupier_games.env(request["game"], request["rules"]), num_cycles=20)
    answer = play(request["game"], request["rules"])
    sys.stdout = output
    print(json.dumps(answer), flush=True)
