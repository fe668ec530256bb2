#!/bin/sh
# Runs, with Go alone and installing nothing, the tests of each change that are done in 1½ minutes on two cores when
# the packages are compiled. It leaves out
#
#   tests, tests/...                        whole clusters of processes, deployment, checks of the checks
#   web, cluster, play, report, games/page  need a browser, or whole clusters
#   cli, sweep, bench                       run commands and measure speeds
#   games/NAME/solve, league                solve large games, simulate many leagues
#   messages/bus, lease                     start brokers by the dozen
#
# and of the others the tests that take more than a second of a core: learning, kills, passwords, damage of every byte.
# QUICK_SKIP is a regular expression of the tests to leave out instead. Arguments go to go test.
set -eu
cd "$(dirname "$0")/.."
left_out='tests(/.*)?|web(/.*)?|games/page|cluster|cli|sweep|bench(/.*)?|solver/.*|games/.*/solve(/.*)?|play|advice|agents/external|league(/rating)?|messages/(bus(/broker)?|lease)'
skip='^Test(AccountsThroughKills|MergedAccountsThroughKills|LearnsKuhnPoker|DQNLearnsPig|ThirdAlgorithmInACluster'
skip="$skip|ConformanceOf.*|LateFaults|ProgramsThatAreNoGames|PanicInGoSaysWhy|PublishingThatFailsFast"
skip="$skip|PositionsAndTheWholeTreeSayTheSame|GradientIsThatOfFiniteDifferences|BotsStandInOrder|Residual|PriorOutweighsNoise|FlippedByte|SetPassword|DoorIsBounded)\$"
skip=${QUICK_SKIP:-$skip}
echo "quick: leaves out the packages $left_out and the tests $skip; make test runs everything"
# shellcheck disable=SC2046
exec go test -vet=off -ldflags=-s -timeout 5m -skip "$skip" "$@" $(go list ./... | grep -Ev "^$(go list -m)/($left_out)\$")
