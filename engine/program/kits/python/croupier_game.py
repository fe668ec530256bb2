"""A game for Croupier in Python, without any package. Copy this file next to your game.

A game is a class below Game, and a state is any value of JSON (lists, numbers, texts, True, False, None). The functions
get a state and keep nothing: whatever else they remember may be lost, since there are several processes.

    from croupier_game import CHANCE, TERMINAL, Game, run

    class Nim(Game):
        description = {...}     # docs/reference/game-files.md, "The description"
        def start(self): ...
        ...

    run(Nim)

and then: croupier games "exec:python3 nim.py"
"""

import json
import sys

CHANCE = -1  # a die or a card is to move
TERMINAL = -2  # the game is over

HIDDEN = -1  # a seat sees that a step is made, and by whom
UNNOTICED = -2  # a seat does not notice the step, another seat's action

VERSION = 1


class Game:
    """What a game has to tell. Those of the first group are needed."""

    description = {}

    def __init__(self, rules):
        """The rules are those of the description, by their names."""
        self.rules = rules

    def describe(self):
        """Returns the description, which may follow from the rules."""
        return self.description

    def start(self):
        """Returns the state of the beginning."""
        raise NotImplementedError("start")

    def player(self, state):
        """Returns the seat to move, CHANCE or TERMINAL."""
        raise NotImplementedError("player")

    def steps(self, state):
        """Returns the legal actions, ascending; at CHANCE the outcomes, or pairs of an outcome and its weight."""
        raise NotImplementedError("steps")

    def apply(self, state, step):
        """Returns the state after one of these steps. It must not change the state that it gets."""
        raise NotImplementedError("apply")

    def observe(self, state, seat):
        """Returns what a seat may know, as numbers of about -1..1."""
        raise NotImplementedError("observe")

    def returns(self, state):
        """Returns the result of each seat at the end. They sum to 0."""
        raise NotImplementedError("returns")

    # Where different states are the same position, and all information is open:

    def key(self, state):
        """Returns a text that is the same for these states, "" for the state itself. Small games are solved by it."""
        return ""

    # Where information is hidden (hidden_information in the description):

    def seen(self, state, seat, step):
        """Returns what a seat sees of a step that is about to be made: the step, another number of 0 or more if it sees
        only a part, HIDDEN or UNNOTICED."""
        raise NotImplementedError("seen: the description says hidden_information")

    # Where the description says scores:

    def scores(self, state):
        """Returns the game's own points of each seat."""
        raise NotImplementedError("scores: the description says scores")

    # For people:

    def name(self, state, step):
        """Returns the name of an action or outcome where it depends on the position, else ""."""
        return ""

    def text(self, state):
        """Returns the position for people."""
        return ""


class _Server:
    """Answers the lines of the program."""

    def __init__(self, game):
        self.make = game
        self.game = None
        self.item = None  # of the line, while it is at work

    def answer(self, line):
        kind = line["type"]
        if kind == "game":
            return self._game(line.get("rules"))
        if kind == "steps":
            return {"nodes": [self._path(i, state, steps) for i, (state, steps) in enumerate(line["items"])]}
        state = line["state"]
        seats = range(self.seats)
        if kind == "observe":
            return {"observations": [list(self.game.observe(state, seat)) for seat in seats]}
        if kind == "seen":
            return {"seen": [self.game.seen(state, seat, line["step"]) for seat in seats]}
        if kind == "name":
            return {"text": self.game.name(state, line["step"])}
        if kind == "text":
            return {"text": self.game.text(state)}
        raise ValueError("unknown type of a line: %r" % kind)

    def _game(self, rules):
        described = getattr(self.make, "description", None) or {}
        own = {rule["name"]: rule["default"] for rule in described.get("rules", [])}
        self.game = self.make({**own, **(rules or {})})
        description = self.game.describe()
        self.seats = description["seats"]
        self.hidden = description.get("hidden_information", False)
        self.scored = description.get("scores", False)
        return {"version": VERSION, "description": description, "node": self._node(self.game.start())}

    def _path(self, item, state, steps):
        """Returns the nodes after steps, as far as these are possible."""
        self.item = item
        nodes = []
        for step in steps:
            if len(steps) > 1 and step not in self._possible(state)[0]:
                break  # one step alone is always possible
            seen = [self.game.seen(state, seat, step) for seat in range(self.seats)] if self.hidden else None
            state = self.game.apply(state, step)
            nodes.append(self._node(state))
            if seen:
                nodes[-1]["seen"] = seen
        self.item = None
        return nodes

    def _possible(self, state):
        """Returns the possible steps and their weights, which are empty where all are equal."""
        player = self.game.player(state)
        if player == TERMINAL:
            return [], []
        steps = list(self.game.steps(state))
        if player == CHANCE and steps and isinstance(steps[0], (list, tuple)):
            return [outcome for outcome, _ in steps], [weight for _, weight in steps]
        return steps, []

    def _node(self, state):
        player = self.game.player(state)
        node = {"state": state, "player": player}
        if not self.hidden:
            key = self.game.key(state)
            if key:
                node["key"] = key
        if player == TERMINAL:
            node["returns"] = list(self.game.returns(state))
        else:
            node["steps"], weights = self._possible(state)
            if weights:
                node["weights"] = weights
        if player >= 0:
            node["observation"] = list(self.game.observe(state, player))
        if self.scored:
            node["scores"] = list(self.game.scores(state))
        return node


def run(game):
    """Answers until the input ends. What the game prints goes to the standard error, where it disturbs no answer."""
    lines, out = sys.stdin, sys.stdout
    sys.stdout = sys.stderr
    server = _Server(game)
    for text in lines:
        line = json.loads(text)
        try:
            answer = server.answer(line)
            answer["id"] = line["id"]
            written = json.dumps(answer, separators=(",", ":"), allow_nan=False)
        except Exception as error:  # the program says it with the position, and ends this process
            written = json.dumps({"id": line.get("id"), "error": _told(error), "item": server.item})
        out.write(written + "\n")
        out.flush()


def _told(error):
    """Returns an error with the place in the game's file."""
    place, trace = "", error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        if code.co_filename != __file__:
            place = " (%s, line %d, in %s)" % (code.co_filename, trace.tb_lineno, code.co_name)
        trace = trace.tb_next
    return "%s: %s%s" % (type(error).__name__, error, place)
