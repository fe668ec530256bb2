#!/bin/sh
# Runs the tests of all packages that start goroutines under the race detector.
set -eu
cd "$(dirname "$0")/.."
tests/needs.sh race
if [ "$(go env CGO_ENABLED)" != 1 ]; then
	echo "The race detector needs cgo, which is off: CGO_ENABLED=1" >&2
	exit 1
fi
starts='^[[:space:]]*(defer )?go (func|[a-zA-Z_.]+\()|\.Go\('
packages=$(git ls-files '*.go' | grep -v '_test\.go$' | xargs grep -lE "$starts" | xargs -n1 dirname | sort -u)
# shellcheck disable=SC2046
exec go test -race -timeout 14m $(echo "$packages" | sed 's|^|./|')
