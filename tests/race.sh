#!/bin/sh
# Runs the tests of all packages that start goroutines under the race detector. It leaves
# out tests that mainly compute: games solved as a whole and measurements of speed, which
# would take a quarter of an hour more. Their goroutines are those of the tests that stay.
set -eu
cd "$(dirname "$0")/.."
tests/needs.sh race
if [ "$(go env CGO_ENABLED)" != 1 ]; then
	echo "The race detector needs cgo, which is off: CGO_ENABLED=1" >&2
	exit 1
fi
starts='^[[:space:]]*(defer )?go (func|[a-zA-Z_.]+\()|\.Go\('
packages=$(git ls-files '*.go' | grep -v '_test\.go$' | xargs grep -lE "$starts" | xargs -n1 dirname | sort -u)
slow='^Test(Solve|Bench|WhatIsNotMeasured|BanluckVersions|ResponseWins|ValuesA|OptimumBeats|Study|TheGameIsADraw)'
echo "race: leaves out the tests $slow"
# shellcheck disable=SC2046
exec go test -race -timeout 14m -skip "$slow" $(echo "$packages" | sed 's|^|./|')
