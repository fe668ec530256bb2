#!/usr/bin/env python3
"""Says whether profile-guided optimisation pays.

    go build -pgo=off -o /tmp/croupier ./cmd/croupier
    /tmp/croupier bench --only engine,cluster --runs 500 --cpu-profile /tmp/cpu.pprof
    tests/pgo.py /tmp/cpu.pprof --pairs 5 --for 30s

Builds croupier without a profile and with this one, runs `croupier bench` with both in
turn, and prints for every measurement what is gained, median over the pairs. What is
compared bears with a busy machine: the largest rate of many short runs, and of the
cluster the decisions in training games per second of processor time. Flags that are not
in --help are those of croupier bench.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile

# By part: what names a measurement.
PARTS = {
    "engine": ("game", "mode"),
    "gemm": ("m", "n", "k", "threads", "packed"),
    "inference": ("net", "batch", "threads"),
    "learner": ("net", "threads"),
    "cfr": ("game",),
    "cluster": ("game", "net"),
}


def rates(report):
    """{measurement: rate}"""
    out = {}
    for part, keys in PARTS.items():
        for entry in report[part]:
            rate = entry["max"]
            if part == "cluster":
                rate = entry["training_decisions_per_second"] / (entry["cpu_share"] * report["machine"]["cores"])
            out[" ".join([part] + [str(entry[k]) for k in keys])] = rate
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profile", help="CPU profile")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each build")
    options, bench_flags = parser.parse_known_args()
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
    with tempfile.TemporaryDirectory() as scratch:
        builds = {"without": "off", "with": os.path.abspath(options.profile)}
        for name, profile in builds.items():
            subprocess.run(["go", "build", "-trimpath", f"-pgo={profile}", "-o", os.path.join(scratch, name),
                            "./cmd/croupier"], cwd=root, check=True)
        measured = {name: [] for name in builds}
        for pair in range(options.pairs):
            for name in list(builds)[::1 if pair % 2 == 0 else -1]:
                out = subprocess.run([os.path.join(scratch, name), "bench", "--json", *bench_flags],
                                     check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                measured[name].append(rates(json.loads(out.stdout)))
    print(f"{'measurement':40} {'without':>12} {'with':>12} {'gain':>8}")
    for name in measured["with"][0]:
        without, with_ = (statistics.median(run[name] for run in measured[build]) for build in builds)
        print(f"{name:40} {without:12.5g} {with_:12.5g} {100 * (with_ / without - 1):+7.1f}%")


if __name__ == "__main__":
    main()
