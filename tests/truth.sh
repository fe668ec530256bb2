#!/bin/sh
# Runs the checks that docs/explain/truth.md names in full length, and nothing else.
set -eu
cd "$(dirname "$0")/.."
# "`./league TestPlacesHold`" -> "./league TestPlacesHold"
named=$(grep -o '`\./[a-z/-]* Test[A-Za-z0-9]*`' docs/explain/truth.md | tr -d '`' | sort -u)
for package in $(echo "$named" | cut -d ' ' -f 1 | sort -u); do
	tests=$(echo "$named" | awk -v package="$package" '$1 == package { print $2 }' | paste -s -d '|' -)
	go test -tags nightly -count=1 -v -run "^($tests)\$" "$package" | grep -v '^=== '
done
