#!/bin/sh
# What is checked without running anything of the program. With the argument all it also compiles everything for
# Windows, with all of go vet, and links the program for every system, as make nightly does.
set -eu
cd "$(dirname "$0")/.."
tests/needs.sh lint
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Collecting garbage takes a third of the time of these programs, which end soon and need 4 GiB at most.
export GOGC=400 GOMEMLIMIT=4GiB

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
go vet -tags nightly,long ./...
go vet -tags purego ./nn/kernel
go vet -race ./nn/kernel
go tool staticcheck -tags nightly,long ./...

# On one platform wherever this runs, because each has kernels of its own.
step "functions that the program never calls"
# The package at the root is called by other modules.
found=$(GOOS=linux GOARCH=amd64 CGO_ENABLED=0 go tool deadcode ./cmd/... | grep -v '^croupier\.go:') || true
none "unreachable from ./cmd/..." "$found"

# Types are checked for other systems and processors: Windows differs most, so everything is there, its tests too; the
# others differ from this one only in packages with files of their own. The assembly of arm64 is go vet's.
own=$(git ls-files '*_linux*.go' '*_darwin*.go' '*_unix*.go' '*_other*.go' '*_arm64*.go' '*_amd64*.go' | xargs -n1 dirname |
	sort -u | grep -v '^tests$' | sed 's|^|./|')
go build -o "$scratch/types" ./tests/types
check() {
	step "types for $1"
	"$scratch/types" "$@"
}
check windows/amd64 ./...
# shellcheck disable=SC2086
check darwin/arm64 $own
step "vet for linux/arm64"
CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go vet ./nn/kernel
if [ "${1:-}" = all ]; then
	step "vet for windows/amd64"
	# Compiled without optimisation: that is faster, and refuses the same.
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go vet "-gcflags=all=-N -l -dwarf=false" ./...
	for platform in linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
		step "build for $platform"
		CGO_ENABLED=0 GOOS="${platform%/*}" GOARCH="${platform#*/}" go build -o "$scratch/" ./cmd/...
	done
fi

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
