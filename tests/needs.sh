#!/bin/sh
# Makes sure that what the tests need beside Go is there: installs it where this
# may be done (root on Debian or Ubuntu), else says exactly what is missing. With the
# argument race it asks for what the race detector needs, instead.
set -eu
missing=
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
if [ "${1:-}" = race ]; then
	need "${CC:-gcc}" gcc
	[ "$(uname)" != Linux ] || [ -e /usr/include/stdlib.h ] || missing="$missing libc6-dev"
else
	need chromium chromium            # the browser tests
	need prometheus prometheus        # the scrape test
	need promtool prometheus          # the check of the alert rules
	need systemd-analyze systemd      # the check of the systemd units
	need protoc protobuf-compiler     # the check that generated code is current
	# A machine without AVX-512 cannot compare its results with those of AVX2.
	if [ -r /proc/cpuinfo ] && ! grep -q avx512f /proc/cpuinfo; then
		echo "skipped on this processor, which has no AVX-512: the tests that AVX2 and AVX-512 agree to the last bit (nn/kernel)"
	fi
fi
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "installing for the tests:$missing"
	apt-get update -qq
	# shellcheck disable=SC2086
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
	exit 0
fi
echo "The tests need programs that are not on this machine. On Debian or Ubuntu:" >&2
echo "  sudo apt-get install$missing" >&2
exit 1
