"""The four baselines of Banluck, found without Croupier: python3 known_banluck.py > ../known_banluck.jsonl

The player's best reply to the dealer of the rules' section "Baseline", by backward induction over the 52-card deck
without replacement. Written from the rules alone, to compare with field "baseline" of `croupier solve banluck --json`.
"""

import json
from functools import lru_cache

DECK = (4,) * 8 + (16, 4)  # 2..9, ten-valued cards, aces
ACE, TEN, FIVES = 9, 8, 5
BAN_BAN, BAN_LUCK, SEVENS, FIVE_21, FIVE, REGULAR = 6, 5, 4, 3, 2, 1
PAYS = {BAN_BAN: 3, BAN_LUCK: 2, SEVENS: 7, FIVE_21: 3, FIVE: 2, REGULAR: 1}


@lru_cache(maxsize=None)
def total(hand):
    """Total and whether an ace counts high. A hand is a sorted tuple of ranks."""
    aces = hand.count(ACE)
    rest = sum(r + 2 for r in hand if r != ACE)
    low, high = (10, 11) if len(hand) == 2 else (1, 10)
    sums = [(rest + low * (aces - k) + high * k, k > 0) for k in range(aces + 1)]
    fit = [s for s in sums if s[0] <= 21]
    return max(fit) if fit else min(sums)


@lru_cache(maxsize=None)
def kind(hand):
    points = total(hand)[0]
    if len(hand) == 2 and hand[1] == ACE and hand[0] in (TEN, ACE):
        return BAN_BAN if hand[0] == ACE else BAN_LUCK
    if hand == (FIVES, FIVES, FIVES):
        return SEVENS
    if len(hand) == 5 and points <= 21:
        return FIVE_21 if points == 21 else FIVE
    return REGULAR


@lru_cache(maxsize=None)
def settle(player, dealer):
    mine, its = total(player)[0], total(dealer)[0]
    if mine > 21 or mine <= 15:
        return -1
    if its > 21:
        return PAYS[kind(player)]
    if len(player) == len(dealer) == 5:
        return (mine > its) - (mine < its)
    if kind(player) != kind(dealer):
        return PAYS[kind(player)] if kind(player) > kind(dealer) else -PAYS[kind(dealer)]
    if kind(player) == SEVENS:
        return 0
    return (mine > its) - (mine < its)


def draws(*hands):
    left = list(DECK)
    for hand in hands:
        for r in hand:
            left[r] -= 1
    cards = sum(left)
    return [(r, n / cards) for r, n in enumerate(left) if n]


def add(hand, rank):
    return tuple(sorted(hand + (rank,)))


def solve(reveal, surrender):
    @lru_cache(maxsize=None)
    def dealer_plays(player, dealer):
        points, soft = total(dealer)
        if points > 21 or len(dealer) == 5:
            return settle(player, dealer)
        if points in (16, 17) and reveal and len(player) >= 3:
            return settle(player, dealer)
        if points >= 18 or points == 17 and not soft:
            return settle(player, dealer)
        return sum(p * dealer_plays(player, add(dealer, r)) for r, p in draws(player, dealer))

    def stand(player):
        value = 0
        for first, p in draws(player):
            for second, q in draws(player, (first,)):
                dealer = add((first,), second)
                if surrender and total(dealer)[0] == 15 and ACE not in dealer or kind(dealer) >= BAN_LUCK:
                    continue
                value += p * q * dealer_plays(player, dealer)
        return value

    @lru_cache(maxsize=None)
    def best(player):
        """Result over the deals in which the dealer goes on."""
        points = total(player)[0]
        if points >= 21 or len(player) == 5:
            return -go_on(player) if points > 21 else stand(player)
        return max(stand(player), sum(p * best(add(player, r)) for r, p in draws(player)))

    def go_on(player):
        return sum(p * q for first, p in draws(player) for second, q in draws(player, (first,))
                   if not (surrender and total(add((first,), second))[0] == 15 and ACE not in (first, second)
                           or kind(add((first,), second)) >= BAN_LUCK))

    def dealt(player):
        value = 0
        for first, p in draws(player):
            for second, q in draws(player, (first,)):
                dealer = add((first,), second)
                if surrender and total(dealer)[0] == 15 and ACE not in dealer:
                    continue
                if max(kind(dealer), kind(player)) >= BAN_LUCK:
                    a, b = kind(player), kind(dealer)
                    value += p * q * (0 if a == b else PAYS[a] if a > b else -PAYS[b])
        return value + (0 if kind(player) >= BAN_LUCK else best(player))

    return sum(p * q * dealt(add((first,), second)) for first, p in draws() for second, q in draws((first,)))


if __name__ == "__main__":
    for reveal in (True, False):
        for surrender in (True, False):
            print(json.dumps({"reveal": "on" if reveal else "off", "surrender": "always" if surrender else "never",
                              "ev": solve(reveal, surrender)}), flush=True)
