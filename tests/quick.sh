#!/bin/sh
# Runs, with Go alone and installing nothing, the tests of each change that are done in a minute on two cores when the
# packages are compiled. It leaves out
#
#   tests, tests/...            whole clusters of processes, deployment, checks of the checks
#   web, cluster, play, report  need a browser, or whole clusters
#   cli, sweep, bench           run commands and measure speeds
#   games/NAME/solve, league    solve large games, simulate many leagues
#   messages/bus, lease         start brokers by the dozen
#
# QUICK_SKIP is a regular expression of further tests to leave out. Arguments go to go test.
set -eu
cd "$(dirname "$0")/.."
left_out='tests(/.*)?|web(/.*)?|cluster|cli|sweep|bench(/.*)?|solver/.*|games/.*/solve(/.*)?|play|advice|agents/external|league(/rating)?|messages/(bus(/broker)?|lease)'
echo "quick: leaves out the packages $left_out${QUICK_SKIP:+ and the tests $QUICK_SKIP}; make test runs everything"
# shellcheck disable=SC2046
exec go test -vet=off -ldflags=-s -timeout 5m -skip "${QUICK_SKIP:-^\$}" "$@" $(go list ./... | grep -Ev "^$(go list -m)/($left_out)\$")
