#!/usr/bin/env python3
"""Times PyTorch on the reference network R128, to compare with `croupier bench`.

R128: dense 128 -> 128 ReLU, LSTM 128 -> 128, a policy head of 32 actions and a value.

inference  one step of the network for a batch of rows, each with its recurrent state,
           and a sampled action with its log-probability for each row
learner    one PPO update on 64 sequences of 32 decisions: forward, clipped surrogate +
           value + entropy, backward, clipping of the global norm, Adam

Prints the same JSON fields as `croupier bench --json --only inference,learner`.
README.md in this folder says what to install.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import time

try:
    import torch
    from torch import nn
except ImportError:
    sys.exit("PyTorch is missing. On Debian: apt-get install python3-torch libopenblas0, and run this with /usr/bin/python3;\n"
             "elsewhere: pip install torch, best in a virtual environment.")

INPUTS, UNITS, ACTIONS = 128, 128, 32
SEQUENCES, STEPS = 64, 32
CLIP, VALUE_COEFFICIENT, ENTROPY_COEFFICIENT, GRADIENT_NORM = 0.2, 0.5, 0.01, 0.5


class R128(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(INPUTS, UNITS)
        self.lstm = nn.LSTM(UNITS, UNITS)
        self.policy = nn.Linear(UNITS, ACTIONS)
        self.value = nn.Linear(UNITS, 1)

    def forward(self, observations):
        """observations [steps, rows, INPUTS] -> log-probabilities [steps, rows, ACTIONS], values [steps, rows]"""
        x, _ = self.lstm(torch.relu(self.dense(observations)))
        return self.heads(x)

    def heads(self, x):
        return torch.log_softmax(self.policy(x), -1), self.value(x).squeeze(-1)


def inference(net, batch):
    """Returns a function that makes one batch of decisions and says how many."""
    cell = nn.LSTMCell(UNITS, UNITS)  # for a single step faster than nn.LSTM
    cell.load_state_dict({name.removesuffix("_l0"): weights for name, weights in net.lstm.state_dict().items()})
    observations = torch.randn(batch, INPUTS)
    state = (torch.zeros(batch, UNITS), torch.zeros(batch, UNITS))

    @torch.no_grad()
    def work():
        nonlocal state
        state = cell(torch.relu(net.dense(observations)), state)
        log_probs, _ = net.heads(state[0])
        actions = torch.multinomial(log_probs.exp(), 1)
        log_probs.gather(1, actions)
        return batch

    return work


def update(net, bf16):
    """Returns a function that makes one PPO update and says how many samples it had; bf16: with autocast to bfloat16."""
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-6, eps=1e-5)
    shape = (STEPS, SEQUENCES)
    observations = torch.randn(*shape, INPUTS)
    actions = torch.randint(ACTIONS, shape)
    behaviour = torch.full(shape, -torch.log(torch.tensor(float(ACTIONS))).item())
    advantages, targets = torch.randn(shape), torch.randn(shape)

    def work():
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
            log_probs, values = net(observations)
        log_probs, values = log_probs.float(), values.float()
        ratio = (log_probs.gather(2, actions.unsqueeze(2)).squeeze(2) - behaviour).exp()
        surrogate = torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages).mean()
        value = 0.5 * (values - targets).square().mean()
        entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
        loss = -surrogate + VALUE_COEFFICIENT * value - ENTROPY_COEFFICIENT * entropy
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), GRADIENT_NORM)
        optimiser.step()
        return STEPS * SEQUENCES

    return work


def measure(work, threads, runs, seconds):
    """Median, smallest and largest rate of several runs, and the CPU share."""
    torch.set_num_threads(threads)
    rates, shares = [], []
    for _ in range(runs):
        work()
        units, began, cpu = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - began < seconds:
            units += work()
        elapsed = time.perf_counter() - began
        rates.append(units / elapsed)
        shares.append(min(1.0, (time.process_time() - cpu) / (elapsed * threads)))
    return statistics.median(rates), {
        "min": min(rates), "max": max(rates), "runs": runs, "cpu_share": statistics.median(shares)}


def cpu_model():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":", 1)[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=25, help="runs of each measurement")
    parser.add_argument("--seconds", type=float, default=0.05, help="length of one run")
    options = parser.parse_args()
    torch.manual_seed(1)
    net = R128()
    report = {
        "machine": {
            "cpu": cpu_model(), "cores": os.cpu_count(), "load": os.getloadavg()[0],
            "python": platform.python_version(), "torch": torch.__version__,
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())},
        "inference": [], "learner": []}
    for threads in sorted({1, min(2, os.cpu_count())}):
        for batch in (1, 64, 256):
            rate, spread = measure(inference(net, batch), threads, options.runs, options.seconds)
            report["inference"].append(
                {"net": "R128", "batch": batch, "threads": threads, "decisions_per_second": rate, **spread})
        for precision in ("fp32", "bf16"):
            rate, spread = measure(update(net, precision == "bf16"), threads, options.runs, options.seconds)
            report["learner"].append(
                {"net": "R128", "precision": precision, "threads": threads, "samples_per_second": rate,
                 "ms_per_update": 1000 * STEPS * SEQUENCES / rate, **spread})
    json.dump(report, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
