// Kuhn poker, as games/kuhn has it: three cards, jack, queen and king; each of two seats antes 1 and is dealt one, which
// the other does not see. There is one bet of 1.
#define SEATS 2
#define STEPS 3
#define OBSERVATION 13
#define HIDDEN
#define NAMES
#define TEXT
#include "croupier.h"

enum { PASS, BET };
enum { CARDS = 3, DEALS = 2, MOVES = 3 };

struct state {
  int8_t steps[DEALS + MOVES]; // the cards, then the moves
  int8_t length;
};

static const char *describe(void) {
  return "{\"name\": \"kuhn-twin\", \"title\": \"Kuhn poker from a file\","
         "\"summary\": \"Kuhn poker: three cards, one bet; the smallest poker with bluffs\","
         "\"seats\": 2, \"actions\": [{\"name\": \"betting\", \"count\": 2}],"
         "\"outcomes\": 3, \"outcome_names\": [\"J\", \"Q\", \"K\"],"
         "\"observation\": [{\"name\": \"seat\", \"size\": 2}, {\"name\": \"card\", \"size\": 3},"
         "{\"name\": \"pot\", \"size\": 2}, {\"name\": \"betting\", \"size\": 6}],"
         "\"payoff\": \"money\", \"max_return\": 2, \"unit\": \"antes\", \"max_history\": 5,"
         "\"hidden_information\": true, \"temperature\": 1}";
}

static void begin(struct state *s) { (void)s; }

// moves returns how many moves were made.
static int moves(const struct state *s) { return s->length - DEALS; }

static int player(const struct state *s) {
  const int8_t *move = s->steps + DEALS;
  if (moves(s) < 0) return CHANCE;
  if (moves(s) == MOVES || (moves(s) == 2 && (move[0] == BET || move[1] == PASS))) return TERMINAL;
  return moves(s) % 2;
}

static int dealt(const struct state *s, int card) { return s->length > 0 && s->steps[0] == card; }

static void steps(const struct state *s) {
  if (moves(s) >= 0) {
    can(PASS);
    can(BET);
    return;
  }
  for (int card = 0; card < CARDS; card++)
    if (!dealt(s, card)) outcome(card, 1);
}

static void apply(struct state *s, int step) { s->steps[s->length++] = (int8_t)step; }

// seen hides the card of the other seat.
static int seen(const struct state *s, int seat, int step) {
  return s->length < DEALS && s->length != seat ? HIDDEN_STEP : step;
}

// paid returns the antes that a seat has put into the pot.
static int paid(const struct state *s, int seat) {
  int antes = 1;
  for (int i = DEALS + seat; i < s->length; i += 2) antes += s->steps[i];
  return antes;
}

static void observe(const struct state *s, int seat, float *v) {
  v[seat] = 1;
  if (s->length > seat) v[2 + s->steps[seat]] = 1;
  v[5] = (float)paid(s, seat) / 2;
  v[6] = (float)paid(s, 1 - seat) / 2;
  for (int i = 0; i < moves(s); i++) v[7 + 2 * i + s->steps[DEALS + i]] = 1;
}

static void returns(const struct state *s, double *v) {
  int first = paid(s, 0), second = paid(s, 1);
  int won = first < second ? first : second;
  if (first < second || (first == second && s->steps[0] < s->steps[1])) won = -won;
  v[0] = won;
  v[1] = -won;
}

static const char *name(const struct state *s, int step) {
  if (moves(s) < 0) return 0; // that of the description
  if (moves(s) > 0 && s->steps[s->length - 1] == BET) return step == BET ? "call" : "fold";
  return step == BET ? "bet" : "check";
}

static const char *text(const struct state *s) {
  text_begin();
  for (int i = 0; i < s->length; i++) put_char(i < DEALS ? "JQK"[s->steps[i]] : "pb"[s->steps[i]]);
  return s->length > 0 ? text_end() : "no card yet";
}

CROUPIER_GAME
