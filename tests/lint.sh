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
GOARCH=arm64 go vet ./nn/kernel
go vet -tags purego ./nn/kernel
go tool staticcheck ./...
fresh=$(mktemp)
kernels=$(mktemp -d)
trap 'mv "$fresh" messages/croupier.pb.go; rm -rf "$kernels"' EXIT
cp messages/croupier.pb.go "$fresh"
messages/generate.sh
if ! cmp -s messages/croupier.pb.go "$fresh"; then
	echo "messages/croupier.pb.go is not current: run make generate" >&2
	exit 1
fi
nn/kernel/generate.sh "$kernels"
for file in "$kernels"/*; do
	if ! cmp -s "$file" "nn/kernel/${file##*/}"; then
		echo "nn/kernel/${file##*/} is not current: run make generate" >&2
		exit 1
	fi
done
echo "lint: ok"
