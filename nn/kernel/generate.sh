#!/bin/sh
# Regenerates the kernels for amd64 and arm64 in the given directory, by default in this one.
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
generator=$(mktemp -d)
trap 'rm -rf "$generator"' EXIT
go build -o "$generator/asm" ./asm
go build -o "$generator/neon" ./asm/neon
cd "$out"
for set in avx2 avx512 bf16 amx; do
	"$generator/asm" -set "$set" -pkg kernel -out "${set}_amd64.s" -stubs "${set}_amd64.go"
	"$generator/asm" -encode "${set}_amd64.s"
done
"$generator/neon" -out neon_arm64.s -stubs neon_arm64.go
