"""Any turn-based game of OpenSpiel, and simultaneous ones in turns. GAME is its name with parameters, as
pyspiel.load_game takes it. A state is the list of its actions as a text; those that were seen last are kept."""

import random
import zlib
from fractions import Fraction
from math import lcm

from croupier_game import CHANCE, HIDDEN, TERMINAL, UNNOTICED, Game, run

try:
    import pyspiel
except ImportError as missing:
    pyspiel, absent = None, missing

KEPT = 20_000  # states
LONGEST = 4_000  # bytes of a text


class OpenSpiel(Game):
    def __init__(self, rules):
        if pyspiel is None:
            raise RuntimeError(
                "this Python has no OpenSpiel (%s): python3 -m venv spiel && spiel/bin/pip install open-spiel, "
                "and name it with OPENSPIEL_PYTHON=spiel/bin/python" % absent
            )
        try:
            self.game = pyspiel.load_game(GAME)
            if self.game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
                self.game = pyspiel.load_game_as_turn_based(GAME)
        except pyspiel.SpielError as error:
            raise ValueError(str(error).split(". Available")[0].split("\n")[0][:300]) from None
        self.kind = self.game.get_type()
        self.check()
        self.seats = self.game.num_players()
        self.hides = self.kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION
        self.constant = (self.game.utility_sum() or 0) / self.seats
        self.recalls = self.hides and self.kind.provides_information_state_tensor
        if not self.recalls and not self.kind.provides_observation_tensor:
            self.recalls = True
        self.kept = {}
        self.covert = False  # until the description has found out

    def check(self):
        """Says why a game cannot be played."""
        types, kind = pyspiel.GameType, self.kind
        if kind.dynamics != types.Dynamics.SEQUENTIAL:
            raise ValueError("%s is of dynamics that have no turns: %s" % (GAME, kind.dynamics))
        if kind.utility not in (types.Utility.ZERO_SUM, types.Utility.CONSTANT_SUM):
            raise ValueError("the returns of %s do not sum to a constant: its utility is %s" % (GAME, kind.utility))
        if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
            raise ValueError("%s does not tell the outcomes of chance: it draws them itself" % GAME)
        if not (kind.provides_information_state_tensor or kind.provides_observation_tensor):
            raise ValueError("%s has no tensor of what a player knows" % GAME)
        if kind.information != types.Information.PERFECT_INFORMATION:
            if not (kind.provides_information_state_string or kind.provides_observation_string):
                raise ValueError("%s has no text of what a player knows" % GAME)

    def describe(self):
        game, kind = self.game, self.kind
        shape = game.information_state_tensor_size() if self.recalls else game.observation_tensor_size()
        chance = kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
        largest = max(abs(game.max_utility() - self.constant), abs(game.min_utility() - self.constant))
        d = {
            "name": ("openspiel-" + kind.short_name.replace("turn_based_simultaneous_game", "turns"))
            .replace("_", "-")[:40].rstrip("-"),
            "title": kind.long_name,
            "summary": "OpenSpiel's " + GAME,
            "seats": self.seats,
            "actions": [{"name": "action", "count": game.num_distinct_actions()}],
            "observation": [{"name": "tensor", "size": shape}],
            "payoff": "win-loss" if largest == 1 else "money",
            "max_return": largest,
            "unit": "wins" if largest == 1 else "points",
            "max_history": game.max_game_length() + (self.chances() if chance else 0),
        }
        if kind.short_name == "turn_based_simultaneous_game":
            d["name"] = "openspiel-" + GAME.split("(")[0].replace("_", "-")[:30].rstrip("-")
        if chance:
            d["outcomes"] = game.max_chance_outcomes()
        if self.hides:
            self.covert = self.unnoticed()
            d.update(hidden_information=True, covert=self.covert, temperature=1)
        return d

    def chances(self):
        """Returns how often chance moves in a game at most."""
        try:
            return self.game.max_chance_nodes_in_history()
        except pyspiel.SpielError:
            return 2 * self.game.max_game_length()

    def unnoticed(self):
        """Says whether there are steps that another seat does not notice, from random games."""
        rng = random.Random(1)
        for _ in range(20):
            s = self.game.new_initial_state()
            while not s.is_terminal():
                mover, before = s.current_player(), [self.known(s, seat) for seat in range(self.seats)]
                s.apply_action(rng.choice(s.legal_actions()))
                if mover >= 0 and any(i != mover and self.known(s, i) == before[i] for i in range(self.seats)):
                    return True
        return False

    def known(self, s, seat):
        """Returns what a seat knows, as a text."""
        if self.kind.provides_information_state_string:
            return s.information_state_string(seat)
        return s.observation_string(seat)

    def at(self, state):
        """Returns the state of OpenSpiel."""
        s = self.kept.get(state)
        if s is None:
            s = self.game.new_initial_state()
            for action in state.split():
                s.apply_action(int(action))
            self.keep(state, s)
        return s

    def keep(self, state, s):
        if len(self.kept) >= KEPT:
            self.kept.clear()
        self.kept[state] = s

    def start(self):
        return ""

    def player(self, state):
        s = self.at(state)
        if s.is_terminal():
            return TERMINAL
        return CHANCE if s.is_chance_node() else s.current_player()

    def steps(self, state):
        s = self.at(state)
        if not s.is_chance_node():
            return s.legal_actions()
        outcomes = sorted((o, p) for o, p in s.chance_outcomes() if p > 0)
        return list(zip([o for o, _ in outcomes], weights([p for _, p in outcomes])))

    def apply(self, state, step):
        key = "%s %d" % (state, step) if state else str(step)
        if key not in self.kept:
            child = self.at(state).clone()
            child.apply_action(step)
            self.keep(key, child)
        return key

    def key(self, state):
        s = self.at(state)
        return "%d %s" % (s.current_player(), s)

    def observe(self, state, seat):
        s = self.at(state)
        try:
            return s.information_state_tensor(seat) if self.recalls else s.observation_tensor(seat)
        except pyspiel.SpielError:
            if not s.is_terminal() and s.current_player() == seat:
                raise
            size = self.game.information_state_tensor_size() if self.recalls else self.game.observation_tensor_size()
            return [0] * size  # some games say nothing to those who are not to move

    def returns(self, state):
        return [r - self.constant for r in self.at(state).returns()]

    def seen(self, state, seat, step):
        """Returns a number of what the seat knows after the step, if it knows more than before."""
        s, child = self.at(state), self.at(self.apply(state, step))
        after = self.known(child, seat)
        if after != self.known(s, seat):
            return zlib.crc32(after.encode()) >> 1
        if s.current_player() == seat:
            return step
        return UNNOTICED if self.covert and not s.is_chance_node() else HIDDEN

    def name(self, state, step):
        s = self.at(state)
        return " ".join(s.action_to_string(s.current_player(), step).split())[:LONGEST]

    def text(self, state):
        return str(self.at(state))[:LONGEST]


def weights(probabilities):
    """Returns whole numbers in the proportion of probabilities: exact where these are fractions of small numbers."""
    fractions = [Fraction(p).limit_denominator(100_000) for p in probabilities]
    whole = lcm(*(f.denominator for f in fractions))
    exact = all(abs(float(f) - p) < 1e-14 for f, p in zip(fractions, probabilities))
    if not exact or whole > 1 << 31 or sum(fractions) != 1:
        return [max(1, round(p * (1 << 31))) for p in probabilities]
    return [int(f * whole) for f in fractions]


run(OpenSpiel)
