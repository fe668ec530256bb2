#!/bin/sh
# Builds the games in Rust given, or all of this folder: sh build.sh [GAME.rs...]. The files in the repository were made
# with rustc 1.95.0, which makes them byte for byte, and its target: rustup target add wasm32-unknown-unknown.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- $(ls ./*.rs | grep -v croupier.rs)
for game in "$@"; do
  rustc --target wasm32-unknown-unknown --crate-type cdylib -C opt-level=3 -C panic=abort -C lto=fat \
    -C codegen-units=1 -C strip=symbols -C link-arg=-zstack-size=65536 --remap-path-prefix "$PWD=." \
    -D warnings -o "${OUT:-.}/$(basename "$game" .rs).wasm" "$game"
done
