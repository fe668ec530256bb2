#!/bin/sh
# Builds the games in AssemblyScript given, or the example: sh build.sh [GAME.ts...]. ASC is the compiler, `asc` without
# it. The file in the repository was made with assemblyscript 0.28.20, which makes it byte for byte.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- thirty.ts
for game in "$@"; do
  "${ASC:-asc}" "$game" -o "${OUT:-.}/$(basename "$game" .ts).wasm" -O3 --runtime stub --use abort=
done
