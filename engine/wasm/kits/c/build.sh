#!/bin/sh
# Builds the games in C given, or all of this folder: sh build.sh [GAME.c...]. The files in the repository were made
# with clang and lld 14.0.6, as Debian 12 has them, which make them byte for byte.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- *.c
for game in "$@"; do
  clang --target=wasm32 -O2 -nostdlib -Wall -Wextra -Werror -Wl,--no-entry -Wl,--strip-all \
    -o "${OUT:-.}/$(basename "$game" .c).wasm" "$game"
done
