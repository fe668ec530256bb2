"""Cliff: three players roll a die as often as they dare. A 1 loses what this turn brought; a player who stops keeps it.
The first with 30 points wins, those of the turn included."""

from croupier_game import CHANCE, TERMINAL, Game, run

ROLL, STOP = 0, 1


class Cliff(Game):
    description = {
        "name": "cliff",
        "title": "Cliff",
        "summary": "Cliff: three players roll until they stop or a 1 takes all",
        "seats": 3,
        "actions": [{"name": "turn", "count": 2, "names": ["roll", "stop"]}],
        "outcomes": 6,
        "outcome_names": ["1", "2", "3", "4", "5", "6"],
        "observation": [{"name": "scores", "size": 3}, {"name": "pot", "size": 1}],
        "payoff": "win-loss",
        "max_return": 2,
        "unit": "wins",
        "max_history": 2000,
        "scores": True,
        "rules": [{"name": "target", "help": "Points that win", "low": 2, "high": 1000, "default": 30}],
    }

    # A state: the scores, the seat whose turn it is, what was rolled in this turn, and whether the die is in the air.

    def start(self):
        return [[0, 0, 0], 0, 0, False]

    def player(self, state):
        scores, seat, pot, rolling = state
        if max(scores) >= self.rules["target"]:
            return TERMINAL
        return CHANCE if rolling else seat

    def steps(self, state):
        scores, seat, pot, rolling = state
        if rolling:
            return range(6)  # outcome 0 is a 1
        return [ROLL, STOP] if pot else [ROLL]

    def apply(self, state, step):
        scores, seat, pot, rolling = state
        if not rolling and step == ROLL:
            return [scores, seat, pot, True]
        if rolling and step > 0:
            pot += step + 1
            if scores[seat] + pot < self.rules["target"]:
                return [scores, seat, pot, False]
        if not rolling or step > 0:  # stopped, or won
            scores = scores[:seat] + [scores[seat] + pot] + scores[seat + 1 :]
        return [scores, (seat + 1) % 3, 0, False]

    def observe(self, state, seat):
        scores, turn, pot, rolling = state
        target = self.rules["target"]
        own = [scores[(seat + i) % 3] / target for i in range(3)]
        return own + [pot / target if turn == seat else 0]

    def returns(self, state):
        best = max(state[0])
        return [2 if score == best else -1 for score in state[0]]

    def scores(self, state):
        return state[0]

    def text(self, state):
        scores, seat, pot, rolling = state
        return "Scores %s; seat %d has rolled %d in this turn" % (scores, seat + 1, pot)


if __name__ == "__main__":
    run(Cliff)
