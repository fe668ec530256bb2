#!/bin/sh
# Runs the tests of each change (tests/runner) within the limits of tests/limits.yaml. Arguments go to the runner:
# -count 1 runs again what has passed.
set -eu
cd "$(dirname "$0")/.."
. tests/programs.sh
# One package more at the same time than there are cores: many tests mostly wait.
at_once=$(($(getconf _NPROCESSORS_ONLN) + 1))
# Collecting garbage less often saves an eighth of the processor time of cli, whose tests take most of all.
export GOGC=400
# These take longest, so they begin first.
exec go run ./tests/runner -p "$at_once" "$@" ./cli ./cluster ./tests/faults ./tests ./web/boards ./web ./...
