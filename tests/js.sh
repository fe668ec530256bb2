#!/bin/sh
# Checks the types of the page's scripts, which stand in comments (JSDoc), with the
# TypeScript compiler. It is a tool of development only: npx keeps it in a cache of its
# own, and nothing of it comes into the tree.
set -eu
cd "$(dirname "$0")/.."
if ! command -v npx >/dev/null 2>&1; then
	echo "lint: SKIPPED, there is no Node (npx) on this machine: types of the page's scripts"
	exit 0
fi
echo "lint: types of the page's scripts"
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
node tests/js/folders.mjs >"$project/tsconfig.json"
npx --yes --package typescript@5.9.3 tsc --project "$project"
