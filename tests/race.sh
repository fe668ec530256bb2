#!/bin/sh
# Runs the tests of the packages that start goroutines under the race detector. It leaves
# out what mainly computes, games solved as a whole, simulated ratings and reviews, and measurements of speed,
# which would take many minutes more: there goroutines only divide a loop. It leaves out what reads the documents and
# how pages are laid out. SubscribingWhileKeysAreRead makes the NATS server reload while its clients subscribe; there
# the server writes a pointer that others read, the same one as before, which is its own affair.
set -eu
cd "$(dirname "$0")/.."
tests/needs.sh race
if [ "$(go env CGO_ENABLED)" != 1 ]; then
	echo "The race detector needs cgo, which is off: CGO_ENABLED=1" >&2
	exit 1
fi
solved='solver/(bank|banluck(/.*)?|langestrasse)'
starts='^[[:space:]]*(defer )?go (func|[a-zA-Z_.]+\()|\.Go\('
packages=$(git ls-files '*.go' | grep -v '_test\.go$' | xargs grep -lE "$starts" | xargs -n1 dirname | sort -u |
	grep -Ev "^($solved)\$")
slow='^Test(Solve|Bench|WhatIsNotMeasured|BanluckVersions|ResponseWins|ValuesA|OptimumBeats|Study|TheGameIsADraw|ABoundedSolutionIsAsked|LevelsAreOrdered'
slow="$slow|ExploiterIsBounded|DrillDealsEveryGame|DrillsAreMistakes|DeterministicTraining\$|LearnsKuhnPoker|SuiteFindsEveryFault"
slow="$slow|IntervalsCover|IntervalsHold|IntervalsOfValues|IntervalOfTheMeanLoss|LossesInSimulation|NobodyChargesItself"
slow="$slow|AimsTakeFewer|ThinningChanges|RatingsThatDoNotFit|RatingsRecover|GateErrs"
slow="$slow|DocumentedCommands|LinksInDocs|ExamplesInHelp|EveryPageFits|PagesFit|TablesFit|SubscribingWhileKeysAreRead)"
# One package more at the same time than there are cores: many tests mostly wait.
at_once=$(($(getconf _NPROCESSORS_ONLN) + 1))
echo "race: leaves out the packages $solved and the tests $slow"
# shellcheck disable=SC2046
exec go test -race -p "$at_once" -timeout 20m -skip "$slow" $(echo "$packages" | sed 's|^|./|')
