#!/bin/sh
# Builds the container image of the program, without a network:
#
#   deploy/image.sh [TAG [PROGRAM]]
#
# TAG is croupier if it is not given. PROGRAM is the static program for Linux, for example one
# of a release; if it is not given, it is built first. Only an image in which the program runs gets the tag.
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
image=$(docker build --quiet --file deploy/Dockerfile "$context")
if ! docker run --rm --network none "$image" --version >/dev/null; then
	docker rmi "$image" >/dev/null
	echo "deploy/image.sh: ${2:-the program} does not run in the image, which holds no libraries: it must be a static program for" \
		"Linux and for the processors of this machine" >&2
	exit 1
fi
docker tag "$image" "${1:-croupier}"
echo "$image"
