#!/bin/sh
# Gives the module another path, for whoever hosts it: wherever it is imported, required, linked to or named in the files
# that git has of this tree.
#
#   deploy/module-path.sh example.org/you/croupier
#
# Modules below tests/outside require the module by its new path, and still take it from next to them. The files are
# changed and not committed; the changelog stays as it is. It needs sed, and gofmt to put imports in their new order.
set -eu
if [ $# -ne 1 ]; then
	echo "usage: deploy/module-path.sh PATH" >&2
	exit 2
fi
new=$1
case $new in
*[!A-Za-z0-9./_~-]* | /* | */ | *//* | '' | -* | .* | */.*)
	echo "module-path.sh: $new is no path of a module" >&2
	exit 2
	;;
esac
cd "$(dirname "$0")/.."
old=$(sed -n 's/^module //p' go.mod | sed 's/[.]/[.]/g')

# The folders of packages, whose paths are recognised anywhere; the path alone only where it can mean nothing else.
folders=$(git ls-files '*.go' | sed -n 's,/.*,,p' | sort -u | tr '\n' '|')
package="s#(^|[^A-Za-z0-9_./~-])$old/(${folders%|})([^A-Za-z0-9_-]|\$)#\\1$new/\\2\\3#g"
changed=$(mktemp)
trap 'rm -f "$changed"' EXIT
git ls-files -z | xargs -0 grep -IlE "$old" | while read -r file; do
	case $file in CHANGELOG.md | deploy/module-path.sh) continue ;; esac
	# A match takes the character behind it, which the next one may begin with, so packages are looked for twice.
	sed -E -e "$package" -e "$package" \
		-e "s#^(import |[[:space:]]+)(([A-Za-z0-9_.]+) )?\"$old\"( //.*)?\$#\\1\\2\"$new\"\\4#" \
		-e "s#^module $old\$#module $new#" \
		-e "s#(require|replace) $old (v|=>)#\\1 $new \\2#g" \
		-e "s#^([[:space:]]*(const )?module +:?= \")$old(/?\")#\\1$new\\3#" "$file" >"$changed"
	cmp -s "$file" "$changed" || cat "$changed" >"$file"
done
if command -v gofmt >/dev/null; then
	gofmt -w $(git ls-files '*.go' | grep -v '/testdata/')
fi
