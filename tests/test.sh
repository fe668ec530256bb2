#!/bin/sh
# Runs all tests, each once, and checks how many of the statements of the parts named
# here their own tests run. The profile stays, to be looked at with go tool cover.
set -eu
cd "$(dirname "$0")/.."
covered="engine solver league learner messages actor"
profile=bin/cover.out
# One package more at the same time than there are cores: many tests mostly wait.
at_once=$(($(getconf _NPROCESSORS_ONLN) + 1))

# These take longest, so they begin first.
longest="./tests ./cmd/croupier ./cluster ./web/..."

mkdir -p bin
patterns=$(for part in $covered; do echo "./$part/..."; done)
others=$(go list ./... | grep -Ev "^croupier/($(echo "$covered" | tr ' ' '|'))(/|\$)")
status=0
# shellcheck disable=SC2086
go test -p "$at_once" -timeout 20m -coverprofile="$profile" -coverpkg="$(echo $patterns | tr ' ' ',')" $patterns || status=1
# shellcheck disable=SC2086
go test -p "$at_once" -timeout 20m $longest $others || status=1
[ "$status" = 0 ] || exit 1
# shellcheck disable=SC2086
go run ./tests/cover -least 90 "$profile" $covered
