#!/bin/sh
# Makes sure that what the checks need beyond Go is there, so that they need no network afterwards: installs it where
# this may be done (root on Debian or Ubuntu), else says exactly what is missing. Without an argument it asks for what
# make test needs; lint, race, release, nightly and long ask for what the commands of these names need.
set -eu
cd "$(dirname "$0")/.."
missing=
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

# refresh reads the list of packages, once.
refresh() {
	[ -z "${refreshed:-}" ] && may_install && apt-get update -qq
	refreshed=yes
}

# packaged says whether there is a package of this name.
packaged() {
	refresh
	apt-cache show "$1" >/dev/null 2>&1
}

# install brings the programs that are missing, or ends with their names.
install() {
	[ -n "$missing" ] || return 0
	if may_install; then
		echo "installing for the tests:$missing"
		refresh
		# shellcheck disable=SC2086
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
		return 0
	fi
	echo "The tests need programs that are not on this machine. On Debian or Ubuntu:" >&2
	echo "  sudo apt-get install$missing" >&2
	exit 1
}

# axe brings the checker of accessibility that the browser tests run (web/webtest/axe.go). It stays in a folder
# that git ignores: nothing of it comes into the tree.
axe() {
	[ ! -s tests/.cache/axe.min.js ] || return 0
	echo "fetching axe for the browser tests"
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	if python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$scratch" axe-core-python==0.1.0 &&
		python3 -m zipfile -e "$scratch"/*.whl "$scratch/axe"; then
		mkdir -p tests/.cache
		mv "$scratch/axe/axe_core_python/axe.min.js" tests/.cache/
		return 0
	fi
	echo "The browser tests need axe, which could not be fetched. Where there is a network:" >&2
	echo "  python3 -m pip download --no-deps axe-core-python==0.1.0" >&2
	echo "and axe_core_python/axe.min.js of that archive goes into tests/.cache" >&2
	exit 1
}

# kubernetes brings what the test of deploy/kubernetes runs: kustomize, and the published schemas with their validator.
kubernetes() {
	cache=$PWD/tests/.cache
	if [ ! -x "$cache/kustomize" ]; then
		echo "fetching kustomize"
		GOFLAGS='' GOBIN="$cache" go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1 || {
			echo "Where there is a network: GOBIN=tests/.cache go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1" >&2
			exit 1
		}
	fi
	if [ ! -d "$cache/kubernetes" ]; then
		echo "fetching the schemas of Kubernetes"
		rm -rf "$cache/kubernetes.tmp"
		python3 -m pip install --quiet --disable-pip-version-check --target "$cache/kubernetes.tmp" \
			kubernetes-validate==1.37.0 jsonschema==4.26.0 PyYAML==6.0.3 || {
			echo "Where there is a network: pip install --target tests/.cache/kubernetes kubernetes-validate==1.37.0" >&2
			exit 1
		}
		mv "$cache/kubernetes.tmp" "$cache/kubernetes"
	fi
}

# peer brings packages of PyPI that other programs are compared with (tests/peers), into a folder named after the first
# one. Without a network the tests say that they are missing. $1 = what is compared; the others are the packages.
peer() {
	what=$1
	shift
	folder=$PWD/tests/.cache/${1%%=*}
	[ ! -d "$folder" ] || return 0
	echo "fetching $*"
	rm -rf "$folder.tmp"
	if python3 -m pip install --quiet --disable-pip-version-check --target "$folder.tmp" "$@"; then
		mv "$folder.tmp" "$folder"
	else
		echo "left out without them (pip install --target tests/.cache/${1%%=*} $*): $what (tests/peers)"
	fi
}

# modules brings the Go modules that tests and tools are compiled from.
modules() { go list -deps -test ./... tool >/dev/null; }

# said names what the tests leave out on this machine, once, since go test says nothing of it.
said() {
	if [ -r /proc/cpuinfo ] && ! grep -q avx512f /proc/cpuinfo; then
		echo "skipped on this processor, which has no AVX-512: the tests that AVX2 and AVX-512 agree to the last bit (nn/kernel)"
	fi
	if [ "$(uname -m)" = x86_64 ] && [ -r /proc/cpuinfo ] && ! grep -q avx2 /proc/cpuinfo; then
		echo "skipped on this processor, which has no AVX2: the test that its results are those of other architectures (nn/kernel)"
	fi
	if ! grep -q avx512_bf16 /proc/cpuinfo 2>/dev/null; then
		echo "skipped on this processor, which has no AVX512-BF16: the tests of products in BF16 (nn/kernel, learner/train/graph)"
	elif ! grep -q amx_bf16 /proc/cpuinfo; then
		echo "skipped on this processor, which has no AMX: the tests of products in BF16 with tile registers (nn/kernel)"
	fi
	# (With CI set, the absence of root is a failure.)
	if [ "$(id -u)" != 0 ]; then
		echo "left out without root: tests with hosts of their own or full disks (tests, tests/faults): sudo make test"
	fi
}

browser() {
	# A part of Chromium that has no windows starts faster; where it is no package of its own, all of it will do.
	if ! command -v chromium-headless-shell >/dev/null 2>&1 && ! command -v chromium >/dev/null 2>&1; then
		shell=chromium
		! packaged chromium-headless-shell || shell=chromium-headless-shell
		missing="$missing $shell"
	fi
	need python3 python3 # fetching axe
	python3 -m pip --version >/dev/null 2>&1 || missing="$missing python3-pip"
}

list=${1:-test}
case $list in
lint)
	need protoc protobuf-compiler # the check that generated code is current
	install
	exit 0
	;;
race)
	need "${CC:-gcc}" gcc
	[ "$(uname)" != Linux ] || [ -e /usr/include/stdlib.h ] || missing="$missing libc6-dev"
	install
	exit 0
	;;
test | release | nightly | long) ;;
*)
	echo "needs.sh: $list is not lint, race, release, nightly or long" >&2
	exit 2
	;;
esac
if [ "$(uname)" != Linux ]; then
	echo "All tests run on Linux only, as they start hosts, containers and systemd units: a container or a virtual" >&2
	echo "machine with Debian will do. What Go alone can test runs here: make quick" >&2
	exit 1
fi
browser
if [ "$list" != test ]; then
	need qemu-aarch64-static qemu-user-static # the program and the kernels for arm64
fi
if [ "$list" = release ]; then
	install
	axe
	exit 0
fi
need ip iproute2             # hosts of tests
need prometheus prometheus   # the scrape test
need promtool prometheus     # the check of the alert rules
need systemd-analyze systemd # the check of the systemd units
if [ "$list" != test ]; then
	need dockerd docker.io            # the compose file and the image, in an engine of the test's own
	command -v docker >/dev/null 2>&1 || ! packaged docker-cli || need docker docker-cli # newer systems have it apart
	docker compose version >/dev/null 2>&1 || need docker-compose docker-compose
	need iptables iptables            # its firewall
	need protoc protobuf-compiler
fi
if [ "$list" = long ]; then
	need etcd etcd-server # the store of the Kubernetes API server, which is compiled below
	need openssl openssl
fi
install
axe
modules
kubernetes
if [ "$list" != test ]; then
	go mod download # of other systems too
	deploy/release.sh tools
	[ -x tests/.cache/govulncheck ] || GOFLAGS='' GOBIN="$PWD/tests/.cache" go install golang.org/x/vuln/cmd/govulncheck@v1.9.0
	peer "the comparison of exported models" onnxruntime==1.32.0
	peer "the reading of datasets" pyarrow==26.0.1 pandas==3.1.1
	peer "the environments of PettingZoo" pettingzoo==1.27.0
fi
if [ "$list" = long ] && [ ! -x tests/.cache/kube-apiserver ]; then
	(cd tests/apiserver && CGO_ENABLED=0 GOFLAGS='' go build -o ../.cache/kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver)
fi
said
