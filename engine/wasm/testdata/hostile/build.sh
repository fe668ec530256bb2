#!/bin/sh
# Builds a module for each macro that hostile.c knows, and the module without any.
set -eu
cd "$(dirname "$0")"
for fault in NONE $(grep -oE 'defined [A-Z_]+' hostile.c | cut -d ' ' -f 2 | sort -u); do
  flags=
  case $fault in FILL) flags=-mbulk-memory ;; esac
  clang --target=wasm32 -O2 -nostdlib $flags -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=4096 -D"$fault" \
    -o "${OUT:-.}/$(echo "$fault" | tr A-Z_ a-z-).wasm" hostile.c
done
clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry -Wl,--strip-all -Wl,--initial-memory=33554432 -DNONE \
  -o "${OUT:-.}/initial-memory.wasm" hostile.c
