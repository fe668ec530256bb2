"""The rules of a game, from a process "croupier games program GAME", which answers lines of JSON."""

import json
import os
import subprocess

CHANCE = -1  # the next step is chance: a die, a card
TERMINAL = -2  # the game is over


class GameError(Exception):
    """The program cannot be started, does not accept the game, or refuses a request."""


class Game:
    """A game with its rules. A state is the list of the steps so far.

    description is that of docs/reference/game-files.md. start is the initial node. A node is a dictionary with
    state, player (a seat, CHANCE or TERMINAL), steps (possible ones), weights (of outcomes; missing if all are equally
    likely), observation (of the seat to move), returns (at the end, in the game's unit), scores, and seen (what each
    seat saw of the last step).
    """

    def __init__(self, game, rules=None, program=None):
        """Starts the process. game is a name or the path of a file; rules holds the rules to change, by name."""
        self.asked = 0
        self.process = None
        command = [program or os.environ.get("CROUPIER") or "croupier", "games", "program", game]
        for name, value in (rules or {}).items():
            command += ["--set", "rules.%s=%s" % (name, value if isinstance(value, str) else json.dumps(value))]
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
            )
        except OSError as error:
            raise GameError(
                "%s cannot be started (%s): put croupier into the path, or name it with the environment variable CROUPIER"
                % (command[0], error.strerror)
            ) from None
        answer = self.ask("game", version=1)
        self.description = answer["description"]
        self.start = answer["node"]

    def ask(self, kind, **fields):
        """Sends a request (docs/guide/game-programs.md) and returns the answer; raises GameError if it is refused."""
        if self.process is None:
            raise GameError("the game is closed")
        self.asked += 1
        line = json.dumps({"type": kind, "id": self.asked, **fields})
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except OSError:
            answer = ""
        if not answer:
            said = self.process.stderr.read().strip()
            self.close()
            raise GameError(said or "croupier has ended")
        answer = json.loads(answer)
        if "error" in answer:
            raise GameError(answer["error"])
        return answer

    def step(self, state, step):
        """Returns the node after a possible step from a state."""
        return self.ask("steps", items=[[state, [step]]])["nodes"][0][0]

    def observations(self, state):
        """Returns the observation of each seat, as lists of numbers."""
        return self.ask("observe", state=state)["observations"]

    def text(self, state):
        """Returns the position as text for people, hidden information included."""
        return self.ask("text", state=state)["text"]

    def name(self, state, step):
        """Returns the name of a possible step."""
        return self.ask("name", state=state, step=step)["text"]

    def close(self):
        """Ends the process."""
        process, self.process = self.process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout, process.stderr):
            try:
                pipe.close()
            except OSError:
                pass  # the process has ended
        process.wait()

    def __del__(self):
        self.close()
