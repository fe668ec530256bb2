#!/bin/sh
# Prints the version of the commit that is checked out: 0.1.0 if it has the tag v0.1.0 and nothing
# is changed, else devel. With two such tags the newer one counts; 0.1.0-rc.1 is older than 0.1.0.
#
#   deploy/version.sh [VERSION]
#
# With VERSION it fails, and says why, unless that is what it would print.
set -eu
cd "$(dirname "$0")/.."
tag=$(git -c versionsort.suffix=- tag --points-at HEAD --sort=-v:refname |
	grep -E '^v(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}(-rc\.[0-9]+)?$' | head -n 1)
version=${tag#v}
if [ -z "$tag" ] || [ -n "$(git diff HEAD --name-only)" ]; then
	version=devel
fi
if [ -n "${1:-}" ] && [ "$1" != "$version" ]; then
	if [ "v$1" = "$tag" ]; then
		echo "version: this is $tag with changes that are not committed" >&2
	else
		echo "version: this is not $1: the commit that is checked out has ${tag:-no tag of a release}, not v$1" >&2
	fi
	exit 1
fi
echo "$version"
