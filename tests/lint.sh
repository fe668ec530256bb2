#!/bin/sh
# What is checked without running anything.
set -eu
cd "$(dirname "$0")/.."
unformatted=$(gofmt -l $(git ls-files '*.go'))
if [ -n "$unformatted" ]; then
	echo "not formatted with gofmt:" >&2
	echo "$unformatted" >&2
	exit 1
fi
go vet ./...
go tool staticcheck ./...
fresh=$(mktemp)
trap 'mv "$fresh" messages/croupier.pb.go' EXIT
cp messages/croupier.pb.go "$fresh"
messages/generate.sh
if ! cmp -s messages/croupier.pb.go "$fresh"; then
	echo "messages/croupier.pb.go is not current: run make generate" >&2
	exit 1
fi
echo "lint: ok"
