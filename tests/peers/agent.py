"""An agent for Croupier in Python, without dependencies: docs/guide/add-an-agent.md.

It plays Leduc hold'em by a simple rule and any other game at random:

    croupier arena check "exec:python3 tests/peers/agent.py" --game leduc
    croupier arena "exec:python3 tests/peers/agent.py" random --game leduc --games 200
    python3 tests/peers/agent.py --listen 8000    # as a server: http://127.0.0.1:8000/
"""

import argparse
import http.server
import json
import random
import sys


def leduc(position, names):
    """Raises with a pair or a king, folds a jack to a raise, else calls."""
    rank = position["card"][0]
    pair = position["public"] != "" and rank == position["public"][0]
    if pair or rank == "K":
        wishes = ["raise", "call"]
    elif rank == "J":
        wishes = ["fold", "call"] if "fold" in names else ["call"]
    else:
        wishes = ["call"]
    return next((wish for wish in wishes if wish in names), None)


class Agent:
    """Answers messages; it remembers the game from the greeting and nothing else."""

    def __init__(self):
        self.game = ""

    def answer(self, message):
        """Returns the answer to a message, None where there is none."""
        kind = message["type"]
        if kind == "hello":
            self.game = message["game"]
            return {"protocol": 1, "name": "a rule in Python"}
        if kind == "choose":
            return {"id": message["id"], "action": self.choose(message)}
        return None  # end, quit, and whatever later protocols have

    def choose(self, question):
        numbers = {a["name"]: a["action"] for a in question["legal"]}
        wish = leduc(question["position"], numbers) if self.game == "leduc" else None
        if wish is not None:
            return numbers[wish]
        return random.Random(question["seed"]).choice(sorted(numbers.values()))


def lines():
    """Speaks over standard input and output, a line a message."""
    agent = Agent()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "quit":
            return
        answer = agent.answer(message)
        if answer is not None:
            print(json.dumps(answer), flush=True)


def serve(port):
    """Speaks HTTP on 127.0.0.1: each message is the body of a POST."""
    agent = Agent()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(agent.answer(message)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    flags = argparse.ArgumentParser()
    flags.add_argument("--listen", type=int, metavar="PORT", help="serve HTTP instead")
    port = flags.parse_args().listen
    serve(port) if port else lines()
