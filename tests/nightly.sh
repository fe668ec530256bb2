#!/bin/sh
# The list of every night, or the named parts of it, all of which run whatever fails:
#
#   lint      as for each change, and the program linked for every system
#   tests     those of each change and those with the build tag nightly, in full length
#   race      all packages with goroutines, under the race detector
#   release   a release of the program, tried
#   fuzz      every decoder for a minute
#   known     vulnerabilities that are known of the modules, without a network (tests/vulnerabilities.sh)
#
# All of it takes some two hours on two cores.
set -u
cd "$(dirname "$0")/.."
failed=
run_lint() { tests/lint.sh all; }
run_tests() {
	tests/needs.sh nightly && . tests/programs.sh &&
		go run ./tests/runner -free -count 1 -tags nightly -timeout 60m ./...
}
run_race() { tests/needs.sh nightly && tests/race.sh all; }
run_release() { tests/needs.sh release && deploy/release.sh; }
run_fuzz() { tests/fuzz.sh 1m; }
run_known() { tests/needs.sh nightly && tests/vulnerabilities.sh; }
[ $# -gt 0 ] || set -- lint tests race release fuzz known
for part in "$@"; do
	case $part in
	lint | tests | race | release | fuzz | known) ;;
	*)
		echo "nightly: $part is not lint, tests, race, release, fuzz or known" >&2
		exit 2
		;;
	esac
done
for part in "$@"; do
	began=$(date +%s)
	"run_$part" || failed="$failed $part"
	echo "nightly: $part took $(($(date +%s) - began)) s"
done
if [ -n "$failed" ]; then
	echo "nightly: failed:$failed" >&2
	exit 1
fi
echo "nightly: ok"
