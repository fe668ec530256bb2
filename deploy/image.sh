#!/bin/sh
# Builds the container image of the program, without a network:
#
#   deploy/image.sh [TAG [PROGRAM]]
#
# TAG is croupier if it is not given. PROGRAM is the static program for Linux, for example one
# of a release; if it is not given, it is built first.
set -eu
cd "$(dirname "$0")/.."
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
mkdir -p "$context/volumes/data" "$context/volumes/runs"
if [ -n "${2:-}" ]; then
	install -m 755 "$2" "$context/croupier"
else
	GOOS=linux deploy/build.sh "$context/croupier"
fi
docker build --quiet --tag "${1:-croupier}" --file deploy/Dockerfile "$context"
