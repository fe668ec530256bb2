#!/bin/sh
# Runs the tests of the packages that start goroutines, or are used by several, under the race detector.
#
#   race.sh         those of them whose code, tests or dependencies have changed: since RACE_BASE if it is set, else
#                   since the commit where this branch left origin/main, else, on that branch itself, within a day
#   race.sh all     all of them
#
# Some tests run with all alone, as shorter ones hold the same: networks of every kind train, which goroutines share in
# TestSharedNetwork; whole games are played by clicks, of which the other tests of tables have the moves; a goroutine
# alone computes gradients and products, with checks of pointers; games are solved twice; what tables show of whole
# games is compared with what is hidden; agents of a family play at its tables, which goroutines share as any game,
# and are asked there; and files of other encodings are those of long commands.
#
# It leaves out what mainly computes, games solved as a whole, simulated ratings and reviews, and measurements of speed,
# which would take many minutes more: there goroutines only divide a loop. It leaves out what reads the documents and
# how pages are laid out. SubscribingWhileKeysAreRead and the tests of keys after it make the NATS server reload while
# clients connect and work; there the server reads what it writes elsewhere without a lock, which is its own affair.
# WebWithLogin hashes passwords, slow by intent: under the detector for longer than a response may take.
set -eu
cd "$(dirname "$0")/.."
tests/needs.sh race
if [ "$(go env CGO_ENABLED)" != 1 ]; then
	echo "The race detector needs cgo, which is off: CGO_ENABLED=1" >&2
	exit 1
fi
solved='games/(bank|banluck|lange-strasse)/solve(/.*)?'
starts='^[[:space:]]*(defer )?go (func|[a-zA-Z_.]+\()|\.Go\('
# Networks start no goroutine, but those that play and learn share them.
packages=$({ git ls-files '*.go' | grep -v '_test\.go$' | xargs grep -lE "$starts" | xargs -n1 dirname
	echo nn/kernel; echo learner/train/graph; } | sort -u | grep -Ev "^($solved|tests/.*|internal/test.*)\$")
slow='^Test(Solve|Bench|WhatIsNotMeasured|BanluckVersions|ResponseWins|ValuesA|OptimumBeats|Study|TheGameIsADraw|OpenCardsAfterTheHand|ABoundedSolutionIsAsked|LevelsAreOrdered'
slow="$slow|ExploiterIsBounded|DrillDealsEveryGame|DrillsAreMistakes|DeterministicTraining\$|LearnsKuhnPoker|SuiteFindsEveryFault"
slow="$slow|IntervalsCover|IntervalsHold|IntervalsOfValues|IntervalOfTheMeanLoss|LossesInSimulation|NobodyChargesItself"
slow="$slow|LargeLaddersGoOutLessOften|DQNLearnsPig|ManifestWithAnyByteFlipped|ShapingChangesRewardsAlone"
slow="$slow|NumbersAgainstASet|ReviewsAndAdviceAgree|SecretsStayInside|Limiter\$"
slow="$slow|AimsTakeFewer|ThinningChanges|RatingsThatDoNotFit|RatingsRecover|GateErrs"
slow="$slow|DocumentedCommands|LinksInDocs|ExamplesInHelp|EveryPageFits|PagesFit|TablesFit|SubscribingWhileKeysAreRead|KeysChange"
slow="$slow|KeysOfActorsInQuarantine|AKeyIsTriedUntilItIsKnown|WebWithLogin"
night='EveryKindOfNetworkTrains|WholeGamesByClicks|GradientIsThatOfFiniteDifferences|ProductAgainstReference$'
night="$night|Beyond255|AttentionGradientAgainstReference|SolutionsAreKept|NothingHiddenTravels|AgentsOfAFamily"
night="$night|TheFirstRollIsNotBanked|TextsOfWindowsAreRead"
[ "${1:-}" = all ] || slow="$slow|$night"
slow="$slow)"

if [ "${1:-}" != all ]; then
	base=${RACE_BASE:-$(git merge-base HEAD origin/main 2>/dev/null || true)}
	if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
		base=$(git rev-list -1 --before=$(($(git log -1 --format=%ct) - 24 * 60 * 60)) HEAD)
	fi
	[ -n "$base" ] || base=$(git rev-list --max-parents=0 HEAD | tail -n 1)
	changed=$(git diff --name-only "$base" -- '*.go' '*.s' go.mod go.sum | sort -u)
	packages=$(go run ./tests/affected "$changed" $packages)
	if [ -z "$packages" ]; then
		echo "race: no package with goroutines has changed since $base"
		exit 0
	fi
	echo "race: what has changed since $base; all packages: tests/race.sh all"
fi
# One package more at the same time than there are cores: many tests mostly wait.
at_once=$(($(getconf _NPROCESSORS_ONLN) + 1))
echo "race: leaves out the packages $solved and the tests $slow"
# shellcheck disable=SC2046
exec go test -race -vet=off -ldflags=-s -p "$at_once" -timeout 20m -skip "$slow" $(echo "$packages" | sed 's|^|./|')
