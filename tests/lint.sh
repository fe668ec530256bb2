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
go vet -tags long ./tests
GOARCH=arm64 go vet ./nn/kernel
go vet -tags purego ./nn/kernel
go tool staticcheck ./...

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
for package in messages nn/kernel; do
	mkdir -p "$fresh/$package"
	"$package/generate.sh" "$fresh/$package"
	for file in "$fresh/$package"/*; do
		if ! cmp -s "$file" "$package/${file##*/}"; then
			echo "$package/${file##*/} is not current: run make generate" >&2
			exit 1
		fi
	done
done
echo "lint: ok"
