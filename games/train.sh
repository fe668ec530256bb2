#!/bin/sh
# Trains the networks that come with the program and compares the agents of every game.
# "make agents" runs it: two hours and a half of training and an hour of games on one core. A name
# of a game does it for this game alone; COMPARE_ONLY=1 leaves the networks as they are.
# Training is not reproducible to the bit, so its networks differ a little each time.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# train GAME LENGTH [SEED [NAME [FLAG...]]]: the newest version after LENGTH, nearly all of it spent on training games;
# NAME is network or family.
train() {
	game=$1 length=$2 seed=${3:-1} name=${4:-network}
	shift $(($# < 4 ? $# : 4))
	CGO_ENABLED=0 go build -trimpath -o "$work/croupier" ./cmd/croupier
	GOMAXPROCS=1 "$work/croupier" train "$game" --for "$length" --seed "$seed" --actors 1 --run "$work/$name-$game" \
		--listen off --quiet "$@" \
		--set actor.arena_share=0.02 --set league.precision=10000 --set league.reference_sets=10 \
		--set league.final_sets=10 --set league.gate_sets=10 --set league.max_sets=10
	newest=$(ls "$work/$name-$game/population" | sed -n 's/^main@\([0-9]*\)\.safetensors$/\1/p' | sort -n | tail -1)
	"$work/croupier" export --run "$work/$name-$game" --version "$newest" --force --out "games/$game/trained/$name.safetensors"
}

# tables GAME LENGTH GAMES [SETTING...]: the network for the game's other tables, and comparisons there.
tables() {
	game=$1 length=$2 games=$3
	shift 3
	if [ -z "${COMPARE_ONLY:-}" ]; then
		train "$game" "$length" 1001 family --family "$@"
	fi
	CGO_ENABLED=0 go build -trimpath -o "$work/croupier" ./cmd/croupier
	"$work/croupier" advise compare "$game" --tables --games "$games" --force --out "games/$game/trained/tables.jsonl"
}

# compare GAME GAMES [AGENT...]
compare() {
	game=$1 games=$2
	shift 2
	CGO_ENABLED=0 go build -trimpath -o "$work/croupier" ./cmd/croupier
	"$work/croupier" advise compare "$game" "$@" --games "$games" --force --out "games/$game/trained/comparison.json"
}

# agents GAME: everything for one game.
agents() {
	if [ -z "${COMPARE_ONLY:-}" ]; then
		case $1 in
		tysiac) train "$1" 30m 2 ;;
		lange-strasse) train "$1" 15m ;;
		tysiac-hand) train "$1" 12m ;;
		leduc) train "$1" 10m ;;
		bank) train "$1" 10m 1001 ;;
		banluck) train "$1" 6m ;;
		bank-cards) train "$1" 12m ;;
		pig) train "$1" 5m ;;
		kuhn) train "$1" 2m ;;
		esac
	fi
	case $1 in
	kuhn | leduc | pig | banluck) compare "$1" 4000 ;;
	bank)
		compare "$1" 2100
		tables "$1" 25m 2000 --set "network.dense=[128, 128]" --set rules.family.default=0.15
		;;
	bank-cards)
		compare "$1" 2000
		tables "$1" 25m 2000 --set rules.players=4 --set rules.family.default=0.5
		;;
	lange-strasse) compare "$1" 1500 ;;
	tysiac-hand) compare "$1" 400 search:trained greedy:trained trained heuristic greedy ;;
	tysiac)
		compare "$1" 100 search:trained greedy:trained heuristic greedy
		tables "$1" 35m 300 --from trained --set rules.family.default=0.15 --set learner.learning_rate_start=0.001 \
			--set learner.ppo.entropy_start=0.005 --set learner.ppo.teacher_until=0
		;;
	*)
		echo "$0: $1: nothing is known of this game" >&2
		exit 2
		;;
	esac
}

for game in ${*:-kuhn leduc pig banluck bank bank-cards lange-strasse tysiac-hand tysiac}; do
	agents "$game"
done
