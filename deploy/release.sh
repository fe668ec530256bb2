#!/bin/sh
# Makes a release of the commit that is checked out, in dist/:
#
#   croupier-OS-ARCHITECTURE            the program for Linux, macOS (darwin) and Windows on amd64 and arm64
#   croupier-OS-ARCHITECTURE.cdx.json   the modules in it (SBOM, CycloneDX)
#   LICENSES.txt                        its licence, and those of the libraries in it
#   croupier-man.tar                    the man pages of its commands, as man1/croupier-COMMAND.1
#   SHA256SUMS                          the checksums of all of that: sha256sum -c SHA256SUMS
#
# The version is that of the commit's tag, v0.1.0. Without a tag the programs are development builds,
# and say so. VERSION=0.1.0 asks for that version, and fails if the commit is another one.
#
# The source is vetted for each system. The program for Linux on arm64 is run on an emulated
# processor, and so are the tests of tests/quick.sh. With the argument build it only builds, with
# tools it only fetches what lists the modules. PLATFORMS="linux/amd64" names fewer of them.
set -eu
cd "$(dirname "$0")/.."
platforms=${PLATFORMS:-"linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"}
sbom=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
lister=$PWD/tests/.cache/${sbom##*/}

# licenses prints the licence of the program and those of all modules and of Go, each under its name.
licenses() {
	printf '==== croupier\n\n'
	cat LICENSE
	for platform in $platforms; do
		CGO_ENABLED=0 GOOS="${platform%/*}" GOARCH="${platform#*/}" go list -deps \
			-f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/croupier
	done | LC_ALL=C sort -u | while read -r module version dir; do
		found=$(find "$dir" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) |
			LC_ALL=C sort)
		if [ -z "$found" ]; then
			echo "release: no licence in $dir" >&2
			exit 1
		fi
		echo "$found" | while read -r file; do
			printf '\n==== %s %s: %s\n\n' "$module" "$version" "${file##*/}"
			cat "$file"
		done
	done || return 1
	printf '\n==== Go %s\n\n' "$(go env GOVERSION)"
	cat "$(go env GOROOT)/LICENSE"
}

# manual packs the man pages, with nothing of this machine. macOS has GNU tar as gtar.
manual() {
	pages=$(mktemp -d)
	go run ./cmd/croupier help --man "$pages/man1"
	"$(command -v gtar || echo tar)" --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
		--mode=u=rwX,go=rX -C "$pages" -cf dist/croupier-man.tar man1
	rm -r "$pages"
}

# tools fetches what lists the modules in a program. It is built as the program is, because a list names its checksum.
tools() {
	[ ! -x "$lister/cyclonedx-gomod" ] || return 0
	echo "release: fetching ${sbom##*/}"
	env -u GOOS -u GOARCH CGO_ENABLED=0 GOFLAGS=-trimpath GOBIN="$lister" go install "$sbom" || {
		echo "Where there is a network: GOFLAGS=-trimpath GOBIN=$lister go install $sbom" >&2
		return 1
	}
}

if [ "${1:-}" = tools ]; then
	tools
	exit 0
fi
if [ -n "$(git status --porcelain)" ]; then
	echo "release: there are changes that are not committed: commit them first, a release names its commit" >&2
	exit 1
fi
version=$(deploy/version.sh "${VERSION:-}")
case $version in
devel)
	label=$(git rev-parse HEAD)
	echo "release: this commit has no tag of a release, as v0.1.0: its programs call themselves development builds"
	;;
*)
	label=v$version
	if ! grep -qF "## [${version%-rc.*}] - " CHANGELOG.md; then
		echo "release: CHANGELOG.md has no section of ${version%-rc.*}" >&2
		exit 1
	fi
	;;
esac
tools
rm -rf dist
mkdir dist
for platform in $platforms; do
	name=croupier-${platform%/*}-${platform#*/}
	[ "${platform%/*}" != windows ] || name=$name.exe
	echo "release: $name"
	GOOS="${platform%/*}" GOARCH="${platform#*/}" deploy/build.sh "dist/$name"
	"$lister/cyclonedx-gomod" bin -json -std -noserial -notimestamp -version "$label" -output "dist/$name.cdx.json" "dist/$name"
done
licenses >dist/LICENSES.txt
manual
# macOS calls it shasum. The order of names is that of bytes.
sums=$(cd dist && export LC_ALL=C && if command -v sha256sum >/dev/null; then sha256sum -- *; else shasum -a 256 -- *; fi)
echo "$sums" >dist/SHA256SUMS
if [ "${1:-}" = build ]; then
	echo "release: built $version, in dist"
	exit 0
fi

# With -trimpath, as it was built: what is compiled already serves again.
for platform in $platforms; do
	echo "release: vet for $platform"
	CGO_ENABLED=0 GOOS="${platform%/*}" GOARCH="${platform#*/}" go vet -trimpath ./...
done
tests/needs.sh release
echo "release: croupier-linux-arm64 on an emulated processor"
qemu-aarch64-static dist/croupier-linux-arm64 --version
# Tests with limits in seconds, for a browser, an answer or a whole run, that an emulated processor does not keep.
late='^Test(DrillDealsEveryGame|TablesFit|WholeGamesByClicks|OpenCardsAfterTheHand|DiskFillsUpAndIsFreed)$'
echo "release: left out there, because they allow less time than an emulated processor needs: $late"
CGO_ENABLED=0 GOARCH=arm64 QUICK_SKIP=$late tests/quick.sh -p 1 -exec qemu-aarch64-static -timeout 2h
echo "release: $version is ok, in dist"
