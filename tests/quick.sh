#!/bin/sh
# Runs, with Go alone and installing nothing, the tests that take less than two minutes
# when the packages are compiled. It leaves out:
#
#   tests   whole clusters of processes, deployment; need Prometheus and systemd
#   web     needs a browser
set -eu
cd "$(dirname "$0")/.."
left_out='tests|web'
echo "quick: leaves out $left_out; make test runs everything"
# shellcheck disable=SC2046
exec go test -timeout 5m $(go list ./... | grep -Ev "^croupier/($left_out)\$")
