"""The games of Croupier for Python.

    import croupier_games

    env = croupier_games.env("leduc", rules={}, render_mode="ansi")   # a PettingZoo AEC environment
    game = croupier_games.openspiel("leduc", rules={})                # a game of OpenSpiel
    game = croupier_games.Game("leduc")                               # the rules alone, without a package

The program croupier must be in the path, or the environment variable CROUPIER must name it.
"""

from .game import CHANCE, TERMINAL, Game, GameError

__all__ = ["CHANCE", "TERMINAL", "Game", "GameError", "env", "openspiel"]


def env(game, rules=None, render_mode=None, program=None):
    """Returns a game as a PettingZoo environment (see environment.Environment)."""
    from .environment import Environment

    return Environment(game, rules, render_mode, program)


def openspiel(game, rules=None):
    """Returns a game as one of OpenSpiel, whose package open-spiel is needed (see spiel)."""
    from .spiel import load

    return load(game, rules)
