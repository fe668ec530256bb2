"""The games of Croupier for Python.

    import croupier_games

    env = croupier_games.env("leduc", rules={}, render_mode="ansi")   # a PettingZoo AEC environment
    game = croupier_games.openspiel("leduc", rules={})                # a game of OpenSpiel
    game = croupier_games.Game("leduc")                               # the rules alone; needs neither package

The program croupier must be in the PATH, or the environment variable CROUPIER must hold its path.
"""

from .game import CHANCE, TERMINAL, Game, GameError

__all__ = ["CHANCE", "TERMINAL", "Game", "GameError", "env", "openspiel"]


def env(game, rules=None, render_mode=None, program=None):
    """Returns the game as an environment of PettingZoo (see environment.Environment)."""
    from .environment import Environment

    return Environment(game, rules, render_mode, program)


def openspiel(game, rules=None):
    """Returns the game as a game of OpenSpiel (see spiel). It needs the package open-spiel."""
    from .spiel import load

    return load(game, rules)
