#!/bin/sh
# Regenerates croupier.pb.go, in the given directory or here. Needs protoc (Debian:
# protobuf-compiler); the Go plugin is pinned in go.mod.
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
plugin=$(mktemp -d)
trap 'rm -rf "$plugin"' EXIT
go build -o "$plugin/protoc-gen-go" google.golang.org/protobuf/cmd/protoc-gen-go
PATH="$plugin:$PATH" protoc --go_out="$out" --go_opt=paths=source_relative \
	--go_opt=Mcroupier.proto="$(go list .)" croupier.proto
# protoc's own version differs between machines and says nothing about the code.
sed -i '/^\/\/ \tprotoc  *v/d' "$out/croupier.pb.go"
