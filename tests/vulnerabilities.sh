#!/bin/sh
# Looks for known vulnerabilities in what the program uses of its modules and of Go. It needs no network, but
#
#   tests/.cache/govulncheck   which tests/needs.sh nightly installs (go install golang.org/x/vuln/cmd/govulncheck)
#   tests/.cache/vulndb        the database: https://vuln.go.dev/vulndb.zip, unpacked; VULNDB names another folder
#
# Where there is a network, the database is fetched once a day. Where there is none and no database, the look is left out,
# which is an error if CI is set.
set -eu
cd "$(dirname "$0")/.."
database=${VULNDB:-$PWD/tests/.cache/vulndb}
checker=$PWD/tests/.cache/govulncheck

# left_out says what is missing.
left_out() {
	echo "LEFT OUT: the look for vulnerabilities: $1" >&2
	[ -z "${CI:-}" ] || exit 1
	exit 0
}

# fetch replaces the database by the newest, if that can be had.
fetch() {
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	if curl --fail --silent --location --max-time 120 --output "$scratch/vulndb.zip" https://vuln.go.dev/vulndb.zip &&
		python3 -m zipfile -e "$scratch/vulndb.zip" "$scratch/vulndb" && [ -s "$scratch/vulndb/index/db.json" ]; then
		rm -rf "$database"
		mkdir -p "$(dirname "$database")"
		mv "$scratch/vulndb" "$database"
	fi
}

[ -x "$checker" ] || left_out "$checker is missing: GOBIN=$PWD/tests/.cache go install golang.org/x/vuln/cmd/govulncheck@v1.9.0"
index=$database/index/db.json
if [ -z "${VULNDB:-}" ] && { [ ! -s "$index" ] || [ -n "$(find "$index" -mtime +0)" ]; }; then
	fetch
fi
[ -s "$index" ] || left_out "$index is missing: unpack https://vuln.go.dev/vulndb.zip into $database"
[ -z "$(find "$index" -mtime +30)" ] || echo "vulnerabilities: the database in $database is older than 30 days" >&2
exec "$checker" -db "file://$database" ./...
