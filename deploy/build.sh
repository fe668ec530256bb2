#!/bin/sh
# Builds the program as OUT for this machine, or for GOOS and GOARCH:
#
#   deploy/build.sh OUT
#
# It is static and names its commit, and its version if that commit has the tag of a release. From
# one commit one release of Go makes the same bytes, wherever and whenever: nothing else of this
# machine, its folders or its settings comes in.
set -eu
case "$1" in /*) out=$1 ;; *) out=$PWD/$1 ;; esac
cd "$(dirname "$0")/.."
commit=$(git describe --always --abbrev=40 --exclude='*' --dirty)
date=$(git log -1 --format=%cs)
named=$(deploy/version.sh)
[ "$named" != devel ] || named=
export CGO_ENABLED=0 GOFLAGS= GOWORK=off GOEXPERIMENT= GOAMD64=v1 GOARM64=v8.0
# The games as WebAssembly, which pages hold (games/page). Git ignores the file.
module=games/page/module/games.wasm.gz
trap 'rm -f "$module"' EXIT
env -u GOOS -u GOARCH go run -trimpath -buildvcs=false ./games/page/build "$module"
go build -trimpath -buildvcs=false -o "$out" -ldflags "-s -w -buildid= -X croupier/cluster.version=$named \
-X croupier/cluster.commit=$commit -X croupier/cluster.date=$date" ./cmd/croupier
