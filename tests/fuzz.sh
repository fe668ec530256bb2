#!/bin/sh
# Fuzzes every decoder, one after the other, each for the given time (default 5m). What a decoder
# fails on is kept in testdata/fuzz next to its test, and fails there from then on in go test.
set -eu
cd "$(dirname "$0")/.."
status=0
git ls-files '*_test.go' | xargs grep -H '^func Fuzz' | sed 's|/[^/]*_test.go:func \(Fuzz[A-Za-z]*\).*| \1|' |
	{ while read -r folder target; do
		echo "$folder $target"
		go test "./$folder" -run '^$' -fuzz "^$target\$" -fuzztime "${1:-5m}" -parallel "${FUZZ_PROCESSES:-2}" || status=1
	done; exit $status; }
