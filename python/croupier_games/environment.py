"""Games as environments of PettingZoo (agent environment cycle)."""

import gymnasium
import numpy as np
from pettingzoo import AECEnv

from .game import CHANCE, TERMINAL, Game


class Environment(AECEnv):
    """A game as an AEC environment. Its agents are the seats: "seat_0", "seat_1" and so on.

    An observation is a dictionary: "observation" (float32), the numbers that Croupier's networks see, and "action_mask"
    (int8), 1 for each legal action of the agent to move and 0 otherwise. The environment draws chance by itself, from
    the seed of reset. Rewards are 0 until the end of the game, and then the returns in the game's unit. A game that
    reaches its longest history is truncated.
    """

    metadata = {"render_modes": ["ansi"], "name": "croupier_v0", "is_parallelizable": False}

    def __init__(self, game, rules=None, render_mode=None, program=None):
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise ValueError('render_mode %r is neither None nor "ansi"' % (render_mode,))
        self.game = Game(game, rules, program)
        self.render_mode = render_mode
        described = self.game.description
        self.metadata = {**self.metadata, "name": described["name"] + "_v0"}
        self.size = sum(segment["size"] for segment in described["observation"])
        self.actions = sum(group["count"] for group in described["actions"])
        self.possible_agents = ["seat_%d" % seat for seat in range(described["seats"])]
        self.agents = list(self.possible_agents)
        self._random = np.random.default_rng()
        self._observation_space = gymnasium.spaces.Dict(
            {
                "observation": gymnasium.spaces.Box(-np.inf, np.inf, (self.size,), np.float32),
                "action_mask": gymnasium.spaces.Box(0, 1, (self.actions,), np.int8),
            }
        )
        self._observation_spaces = {agent: self._observation_space for agent in self.possible_agents}
        self._action_spaces = {agent: gymnasium.spaces.Discrete(self.actions) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self._observation_spaces[agent]

    def action_space(self, agent):
        return self._action_spaces[agent]

    def reset(self, seed=None, options=None):
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._go_on(self.game.start)

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action not in self.node["steps"]:
            raise ValueError("action %s of %s is not legal: %s are" % (action, agent, self.node["steps"]))
        self._cumulative_rewards[agent] = 0.0
        self._go_on(self.game.step(self.node["state"], int(action)))
        self._accumulate_rewards()

    def _go_on(self, node):
        """Continues from a node: draws chance until a seat is to move or the game is over."""
        longest = self.game.description["max_history"]
        while node["player"] == CHANCE and len(node["state"]) < longest:
            weights = np.array(node.get("weights") or [1] * len(node["steps"]), np.float64)
            outcome = self._random.choice(node["steps"], p=weights / weights.sum())
            node = self.game.step(node["state"], int(outcome))
        self.node, self._observations = node, None
        player = node["player"]
        if player == TERMINAL:
            self.rewards = dict(zip(self.possible_agents, map(float, node["returns"])))
            self.terminations = {agent: True for agent in self.agents}
        elif len(node["state"]) >= longest:
            self.truncations = {agent: True for agent in self.agents}
        if player >= 0:
            self.agent_selection = self.possible_agents[player]

    def observe(self, agent):
        seat = self.possible_agents.index(agent)
        mask = np.zeros(self.actions, np.int8)
        if self.node["player"] == seat:
            mask[self.node["steps"]] = 1
            values = self.node["observation"]
        else:
            if self._observations is None:
                self._observations = self.game.observations(self.node["state"])
            values = self._observations[seat]
        return {"observation": np.array(values, np.float32), "action_mask": mask}

    def render(self):
        if self.render_mode is None:
            gymnasium.logger.warn("render() without render_mode: make the environment with render_mode=\"ansi\"")
            return None
        return self.game.text(self.node["state"])

    def close(self):
        self.game.close()
