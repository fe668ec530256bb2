"""How OpenSpiel's learners get on in Kuhn and Leduc poker: exact exploitability over processor seconds.

    python tests/peers/openspiel_learning.py nfsp leduc_poker 60 --seeds 1 2 3 > nfsp-leduc.jsonl

Algorithms are NFSP (Heinrich and Silver 2016), Deep CFR (Brown et al. 2019) and PPO as package open-spiel of
PyPI has them for PyTorch, with the settings of its own examples, on one core; uniform does not learn, and shows
that units agree. Each point is a line:

    {"game": "kuhn_poker", "algorithm": "nfsp", "seed": 1, "seconds": 10.0, "exploitability": 0.4, "episodes": 900}

exploitability is NashConv / 2 in antes, and seconds are the processor time of learning, user and system, without
imports and without the measuring itself. It needs open-spiel (2.0 or later), torch and dm-tree of PyPI.
docs/lab/experiments.md has what came out.
"""

import argparse
import json
import random
import time

import numpy as np
import pyspiel
import torch
from open_spiel.python import policy as policies
from open_spiel.python import rl_environment
from open_spiel.python.pytorch import deep_cfr, nfsp, ppo


def seeded_environment(game, seed):
    return rl_environment.Environment(game, chance_event_sampler=rl_environment.ChanceEventSampler(seed=seed))


class Uniform:
    """Plays at random and learns nothing."""

    episodes = 0

    def __init__(self, game, seed):
        pass

    def learn(self, share):
        time.sleep(0)

    def settle(self):
        pass

    def probabilities(self, state):
        legal = state.legal_actions()
        return {a: 1 / len(legal) for a in legal}


class NFSP:
    """Two agents; what counts is their average policies.

    open_spiel/python/examples/nfsp_kuhn_pytorch.py and nfsp_leduc_pytorch.py, with all settings of each; their
    lengths are 3 and 20 million episodes, over which exploration decays.
    """

    KUHN = dict(
        hidden_layers_sizes=[128], reservoir_buffer_capacity=int(2e6), anticipatory_param=0.1,
        replay_buffer_capacity=int(2e5), epsilon_decay_duration=int(3e6), epsilon_start=0.06, epsilon_end=0.001,
    )
    LEDUC = dict(
        hidden_layers_sizes=[128], reservoir_buffer_capacity=int(2e6), anticipatory_param=0.1,
        replay_buffer_capacity=int(2e5), epsilon_decay_duration=int(20e6), epsilon_start=0.06, epsilon_end=0.001,
        min_buffer_size_to_learn=1000, batch_size=128, learn_every=64, rl_learning_rate=0.01, sl_learning_rate=0.01,
        optimizer_str="sgd", loss_str="mse", update_target_network_every=19200, discount_factor=1.0,
    )
    EPISODES = 50  # between two looks at the clock

    def __init__(self, game, seed):
        self.environment = seeded_environment(game, seed)
        size = self.environment.observation_spec()["info_state"][0]
        actions = self.environment.action_spec()["num_actions"]
        settings = self.KUHN if game == "kuhn_poker" else self.LEDUC
        self.agents = [nfsp.NFSP(p, size, actions, seed=1000 * seed + p, **settings) for p in range(2)]
        self.episodes = 0

    def learn(self, share):
        for _ in range(self.EPISODES):
            step = self.environment.reset()
            while not step.last():
                answer = self.agents[step.observations["current_player"]].step(step)
                step = self.environment.step([answer.action])
            for agent in self.agents:
                agent.step(step)
        self.episodes += self.EPISODES

    def settle(self):
        pass

    def probabilities(self, state):
        player = state.current_player()
        info, legal = [None, None], [None, None]
        info[player], legal[player] = state.information_state_tensor(player), state.legal_actions(player)
        seen = {"info_state": info, "legal_actions": legal, "current_player": player}
        step = rl_environment.TimeStep(observations=seen, rewards=None, discounts=None, step_type=None)
        agent = self.agents[player]
        with agent.temp_mode_as(nfsp.MODE.AVERAGE_POLICY):
            p = agent.step(step, is_evaluation=True).probs
        return {a: p[a] for a in legal[player]}


class DeepCFR(deep_cfr.DeepCFRSolver):
    """External sampling and a network for each seat's advantages, new in every iteration.

    open_spiel/python/examples/deep_cfr_pytorch.py, which takes either game. The network of the average policy
    learns at each point from the beginning, as the solver does it at its end: this time belongs to the point, and
    not to those after it.
    """

    def __init__(self, game, seed):
        super().__init__(
            pyspiel.load_game(game), policy_network_layers=(64,), advantage_network_layers=(64,),
            num_traversals=375, reinitialize_advantage_networks=True, learning_rate=1e-3, batch_size_advantage=256,
            batch_size_strategy=256, memory_capacity=100_000, policy_network_train_steps=2500,
            advantage_network_train_steps=375, seed=1000 * seed,
        )
        self.episodes = 0

    def learn(self, share):
        """One iteration, as in the loop of DeepCFRSolver.solve."""
        for p in range(2):
            for _ in range(self._num_traversals):
                self._traverse_game_tree(self._root_node, p)
            self._reinitialize_advantage_network(p)
            self._learn_advantage_network(p)
        self._iteration += 1
        self.episodes += 2 * self._num_traversals

    def settle(self):
        self._reinitialize_policy_network()
        self._learn_strategy_network()

    def probabilities(self, state):
        return self.action_probabilities(state)


class PPO:
    """An agent for each seat; they learn in turn, a batch each, while the other one plays as it does by now.

    open_spiel/python/examples/ppo_example.py, whose agent learns in the place of one player. The learning rate
    falls with the share of the time that is over; the current policy counts, as PPO has no average.
    """

    ENVIRONMENTS, STEPS = 8, 128

    def __init__(self, game, seed):
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        loaded = pyspiel.load_game(game)
        self.environments = [seeded_environment(game, 100 * seed + i) for i in range(self.ENVIRONMENTS)]
        self.agents = [
            ppo.PPO(
                input_shape=tuple(loaded.information_state_tensor_shape()),
                num_actions=loaded.num_distinct_actions(), num_players=2, player_id=p, num_envs=self.ENVIRONMENTS,
                steps_per_batch=self.STEPS, num_minibatches=4, update_epochs=4, learning_rate=2.5e-4, gae=True,
                gamma=0.99, gae_lambda=0.95, normalize_advantages=True, clip_coef=0.1, clip_vloss=True,
                entropy_coef=0.01, value_coef=0.5, max_grad_norm=0.5, target_kl=None, agent_fn=ppo.PPOAgent,
            )
            for p in range(2)
        ]
        self.steps = [e.reset() for e in self.environments]
        self.player = 0
        self.episodes = 0

    def turn(self, player, rewards, over):
        """Lets the other one play and games end and begin, until it is the player's turn everywhere."""
        other = self.agents[1 - player]
        while True:
            for i, step in enumerate(self.steps):
                if step.last():
                    rewards[i], over[i] = step.rewards[player], True
                    self.steps[i] = self.environments[i].reset()
                    self.episodes += 1
            waiting = [i for i, s in enumerate(self.steps) if s.observations["current_player"] != player]
            if not waiting:
                return
            answers = other.step([self.steps[i] for i in waiting], is_evaluation=True)
            for i, answer in zip(waiting, answers):
                self.steps[i] = self.environments[i].step([answer.action])

    def learn(self, share):
        """One batch and its update for one seat."""
        agent, n = self.agents[self.player], self.ENVIRONMENTS
        self.turn(self.player, [0.0] * n, [False] * n)
        for _ in range(self.STEPS):
            answers = agent.step(self.steps)
            self.steps = [e.step([a.action]) for e, a in zip(self.environments, answers)]
            rewards, over = [0.0] * n, [False] * n
            self.turn(self.player, rewards, over)
            agent.post_step(rewards, over)
        agent.anneal_learning_rate(share, 1)
        agent.learn(self.steps)
        self.player = 1 - self.player

    def settle(self):
        pass

    def probabilities(self, state):
        player = state.current_player()
        legal = state.legal_actions(player)
        mask = ppo.legal_actions_to_mask([legal], state.num_distinct_actions())
        seen = torch.tensor([state.information_state_tensor(player)])
        with torch.no_grad():
            p = self.agents[player].get_action_and_value(seen, legal_actions_mask=mask)[4][0]
        return {a: p[a].item() for a in legal}


ALGORITHMS = {"uniform": Uniform, "nfsp": NFSP, "deep-cfr": DeepCFR, "ppo": PPO}


def exploitability(game, learner):
    """NashConv / 2 of the policy as a table."""
    loaded = pyspiel.load_game(game)
    table = policies.tabular_policy_from_callable(loaded, learner.probabilities)
    return pyspiel.nash_conv(loaded, policies.python_policy_to_pyspiel_policy(table)) / 2


def learn(game, algorithm, seed, seconds, points):
    """Yields points, the last one at the end of the time."""
    begun = time.process_time()
    learner = ALGORITHMS[algorithm](game, seed)
    spent, settling = time.process_time() - begun, 0.0
    for point in range(1, points + 1):
        while spent + settling < seconds * point / points:
            begun = time.process_time()
            learner.learn(min(spent / seconds, 0.999))
            spent += time.process_time() - begun
        begun = time.process_time()
        learner.settle()
        settling = time.process_time() - begun
        yield {
            "game": game, "algorithm": algorithm, "seed": seed, "seconds": round(spent + settling, 2),
            "exploitability": exploitability(game, learner), "episodes": learner.episodes,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("algorithm", choices=ALGORITHMS)
    parser.add_argument("game", choices=["kuhn_poker", "leduc_poker"])
    parser.add_argument("seconds", type=float, help="processor time of each seed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--points", type=int, default=6, help="measured so often, at equal distances")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for seed in options.seeds:
        for point in learn(options.game, options.algorithm, seed, options.seconds, options.points):
            print(json.dumps(point), flush=True)


if __name__ == "__main__":
    main()
