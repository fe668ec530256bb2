"""Croupier's games as games of OpenSpiel. Importing this registers "croupier" with the parameters game and rules.

    pyspiel.load_game("croupier(game=leduc)")
    pyspiel.load_game("croupier(game=bank,rules=players:2;rounds:10)")
"""

import functools

import numpy as np
import pyspiel

from .game import CHANCE, TERMINAL, Game, GameError

KEPT = 1 << 16  # nodes of a game in the cache
HIDDEN, UNNOTICED = -1, -2  # what a seat sees of a step that it does not see as a number
LARGEST = 1 << 14  # numbers of a tensor of the information state; games for which it would be larger have none
BITS = 63  # of what a seat sees that is no step


class Rules(Game):
    """The rules of a game, shared by all its states. Copies of a state share them; pickling keeps game and rules."""

    def __init__(self, game, rules):
        super().__init__(game, dict(pair.split(":", 1) for pair in rules.split(";") if pair))
        self.made_of = (game, rules)
        self.after = functools.lru_cache(maxsize=KEPT)(self._after)

    def _after(self, state, step):
        return self.step(state, step)

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _rules, self.made_of


@functools.lru_cache(maxsize=8)
def _rules(game, rules):
    for pair in rules.split(";"):
        if pair and ":" not in pair:
            raise GameError("rules %r: %r is not NAME:VALUE" % (rules, pair))
    return Rules(game, rules)


def load(game, rules=None):
    """Returns a game of OpenSpiel; rules holds the rules to change, by name."""
    text = ";".join("%s:%s" % (name, value) for name, value in (rules or {}).items())
    _rules(game, text)  # says what is wrong, where OpenSpiel's loader would end the process
    return pyspiel.load_game("croupier", {"game": game, "rules": text})


def _steps(description):
    """Returns how many numbers a step may have."""
    return max(sum(group["count"] for group in description["actions"]), description.get("outcomes", 0))


def _remembered(description):
    """Returns the shape of all that a seat has seen: by step its mover, what it was, and whether that was hidden."""
    hidden = 1 + BITS if description.get("hidden_information") else 0
    return description["max_history"], 1 + description["seats"] + _steps(description) + hidden


def _remembers(description):
    steps, size = _remembered(description)
    return steps * size <= LARGEST


def _type(description=None):
    types = pyspiel.GameType
    d = description or {"seats": 8, "outcomes": 1, "hidden_information": True}
    return types(
        short_name="croupier",
        long_name=d.get("title", "Croupier"),
        dynamics=types.Dynamics.SEQUENTIAL,
        chance_mode=types.ChanceMode.EXPLICIT_STOCHASTIC if d.get("outcomes") else types.ChanceMode.DETERMINISTIC,
        information=types.Information.IMPERFECT_INFORMATION
        if d.get("hidden_information")
        else types.Information.PERFECT_INFORMATION,
        utility=types.Utility.ZERO_SUM,
        reward_model=types.RewardModel.TERMINAL,
        max_num_players=d["seats"],
        min_num_players=d["seats"] if description else 1,
        provides_information_state_string=True,
        provides_information_state_tensor=description is None or _remembers(description),
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"game": "kuhn", "rules": ""},
    )


class SpielGame(pyspiel.Game):
    """A game of Croupier."""

    def __init__(self, params=None):
        params = params or {}
        self.rules = _rules(params.get("game", "kuhn"), params.get("rules", ""))
        d = self.rules.description
        info = pyspiel.GameInfo(
            num_distinct_actions=sum(group["count"] for group in d["actions"]),
            max_chance_outcomes=d.get("outcomes", 0),
            num_players=d["seats"],
            min_utility=-float(d["max_return"]),
            max_utility=float(d["max_return"]),
            utility_sum=0.0,
            max_game_length=d["max_history"],
        )
        super().__init__(_type(d), info, params)

    def new_initial_state(self):
        return SpielState(self)

    def make_py_observer(self, iig_obs_type=None, params=None):
        if params:
            raise ValueError("there are no parameters of observations: %s" % params)
        return Observer(self.rules.description, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class SpielState(pyspiel.State):
    """A state of a game: its node, and what each seat has seen."""

    def __init__(self, game):
        super().__init__(game)
        self.rules = game.rules
        self.node = game.rules.start
        self.seen = [[] for _ in range(game.num_players())]
        self._observations = None

    def current_player(self):
        if self.node["player"] == TERMINAL:
            return pyspiel.PlayerId.TERMINAL
        return pyspiel.PlayerId.CHANCE if self.node["player"] == CHANCE else self.node["player"]

    def _legal_actions(self, player):
        return list(self.node["steps"]) if player == self.node["player"] else []

    def chance_outcomes(self):
        steps = self.node["steps"]
        weights = self.node.get("weights") or [1] * len(steps)
        whole = sum(weights)
        return [(step, weight / whole) for step, weight in zip(steps, weights)]

    def _apply_action(self, action):
        step = int(action)
        if step not in self.node["steps"]:
            raise ValueError("step %d is not possible: %s are" % (step, self.node["steps"]))
        node = self.rules.after(tuple(self.node["state"]), step)
        mover = self.node["player"]
        for seat, seen in enumerate(node.get("seen") or [step] * len(self.seen)):
            if seen != UNNOTICED:
                self.seen[seat].append((mover, seen))
        self.node, self._observations = node, None

    def _action_to_string(self, player, action):
        try:
            return self.rules.name(self.node["state"], int(action))
        except GameError:
            return str(int(action))  # one that is not possible here

    def is_terminal(self):
        return self.node["player"] == TERMINAL

    def returns(self):
        return [float(v) for v in self.node["returns"]] if self.is_terminal() else [0.0] * len(self.seen)

    def information(self, seat):
        """Returns what a seat knows: all it has seen, step by step, with who made it."""
        movers = ("chance" if mover == CHANCE else str(mover) for mover, _ in self.seen[seat])
        steps = ("?" if seen == HIDDEN else str(seen) for _, seen in self.seen[seat])
        return "%d: %s" % (seat, " ".join("%s=%s" % step for step in zip(movers, steps)))

    def remember(self, seat, rows, seats, steps):
        """Writes the same as numbers, a row for each step, which are zeros before."""
        for row, (mover, seen) in zip(rows, self.seen[seat]):
            row[mover + 1] = 1  # chance is the first
            what = row[1 + seats :]
            if 0 <= seen < steps:
                what[seen] = 1
            elif seen == HIDDEN:
                what[steps] = 1
            else:
                what[steps + 1 :] = [seen >> i & 1 for i in range(BITS)]

    def observation(self, seat):
        """Returns what the networks of Croupier see of a position."""
        if self.node["player"] == seat:
            return self.node["observation"]
        if self._observations is None:
            self._observations = self.rules.observations(self.node["state"])
        return self._observations[seat]

    def __str__(self):
        return self.rules.text(self.node["state"]) or " ".join(map(str, self.node["state"]))


class Observer:
    """What a seat knows (perfect recall), or sees now: numbers by segments, and their text."""

    def __init__(self, description, kind):
        self.recalls = kind.perfect_recall
        self.seats, self.steps = description["seats"], _steps(description)
        hides = description.get("hidden_information", False)
        private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self.sees = kind.public_info and (private or not hides)  # a part of it cannot be told from the rest
        self.tensor, self.dict = None, {}
        if not self.sees:
            return
        if self.recalls:
            if _remembers(description):
                self._recall(*_remembered(description))
            return
        self.tensor = np.zeros(sum(segment["size"] for segment in description["observation"]), np.float32)
        at = 0
        for segment in description["observation"]:
            self.dict[segment["name"]] = self.tensor[at : at + segment["size"]]
            at += segment["size"]

    def _recall(self, steps, size):
        self.tensor = np.zeros(self.seats + steps * size, np.float32)
        self.dict["seat"] = self.tensor[: self.seats]
        self.dict["seen"] = self.tensor[self.seats :].reshape(steps, size)

    def set_from(self, state, player):
        if self.tensor is None:
            return
        if not self.recalls:
            self.tensor[:] = state.observation(player)
            return
        self.tensor[:] = 0
        self.dict["seat"][player] = 1
        state.remember(player, self.dict["seen"], self.seats, self.steps)

    def string_from(self, state, player):
        if not self.sees:
            return None
        if self.recalls:
            return state.information(player)
        return "%d: %s" % (player, " ".join("%g" % v for v in state.observation(player)))


pyspiel.register_game(_type(), SpielGame)
