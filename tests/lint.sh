#!/bin/sh
# What is checked without running anything of the program.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

step() { echo "lint: $*"; }
# none fails with a headline where anything was found.
none() {
	if [ -n "$2" ]; then
		printf '%s:\n%s\n' "$1" "$2" >&2
		exit 1
	fi
}

step "format, go.mod"
found=$(gofmt -l $(git ls-files '*.go'))
none "not formatted with gofmt" "$found"
go mod tidy -diff || none "run" "go mod tidy"

step "vet and staticcheck"
go vet ./...
go vet -tags long ./tests
go vet -tags purego ./nn/kernel
go tool staticcheck ./...

# On one platform wherever this runs, because each has kernels of its own.
step "functions that the program never calls"
found=$(GOOS=linux GOARCH=amd64 CGO_ENABLED=0 go tool deadcode ./cmd/...)
none "unreachable from ./cmd/..." "$found"

# Every system and every processor once: no file is for one pair of them alone, and make release builds all six.
# Compiled without optimisation: that is faster, and refuses the same.
for platform in linux/arm64 darwin/arm64 windows/amd64; do
	step "build for $platform"
	CGO_ENABLED=0 GOOS="${platform%/*}" GOARCH="${platform#*/}" \
		go build "-gcflags=all=-N -l -dwarf=false" -o "$scratch/" ./cmd/...
done
# Windows differs most: there the tests must build as well.
step "vet for windows/amd64"
CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go vet "-gcflags=all=-N -l -dwarf=false" ./...

step "generated files"
for package in messages nn/kernel; do
	mkdir -p "$scratch/$package"
	"$package/generate.sh" "$scratch/$package"
	for file in "$scratch/$package"/*; do
		cmp -s "$file" "$package/${file##*/}" ||
			none "not current, run make generate" "$package/${file##*/}"
	done
done

tests/js.sh
echo "lint: ok"
