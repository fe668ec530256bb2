#!/bin/sh
# Gives the modules of this folder the versions of this module's dependencies, which they get by it. It needs no network.
set -eu
cd "$(dirname "$0")"
for module in */go.mod; do
	folder=$(dirname "$module")
	{
		sed -n '/^module /p' "$module"
		printf '\n'
		sed -n '/^go /p' ../../go.mod
		printf '\nrequire croupier v0.0.0\n\nreplace croupier => ../../..\n\nrequire (\n'
		sed -n '/^require (/,/^)/{/^\t/p;}' ../../go.mod | sed 's, *// indirect,,; s,$, // indirect,' | sort
		printf ')\n'
	} >"$module.new"
	mv "$module.new" "$module"
	cp ../../go.sum "$folder/go.sum"
done
