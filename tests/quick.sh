#!/bin/sh
# Runs, with Go alone and installing nothing, what is tested in two minutes on two cores
# when the packages are compiled. It leaves out
#
#   tests, tests/faults         whole clusters of processes, deployment: need Prometheus, systemd and root
#   web, solver/banluck/report  need a browser
#   solver/bank, solver/banluck solve large games for minutes
#
# and the tests of commands that solve such games or measure speeds. QUICK_SKIP is a regular expression of further
# tests to leave out. Arguments go to go test.
set -eu
cd "$(dirname "$0")/.."
left_out='tests(/faults)?|web(/.*)?|solver/(bank|banluck(/.*)?)'
slow='^Test(SolveBank|SolveLangeStrasse|Bench|WhatIsNotMeasured|BanluckVersions)'
slow="$slow${QUICK_SKIP:+|$QUICK_SKIP}"
echo "quick: leaves out the packages $left_out and the tests $slow; make test runs everything"
# shellcheck disable=SC2046
exec go test -timeout 5m -skip "$slow" "$@" $(go list ./... | grep -Ev "^croupier/($left_out)\$")
