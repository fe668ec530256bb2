// Pig, as games/pig has it: the same steps, observation and returns.
#define SEATS 2
#define STEPS 6
#define OBSERVATION 38
#define RULES 1
#define SCORES
#define TEXT
#include "croupier.h"

enum { ROLL, HOLD };
enum { FACES = 6, RAMP = 10 };

struct state {
  int32_t scores[SEATS];
  int32_t turn; // points of this turn
  int8_t seat;  // whose turn it is; at the end, the winner
  int8_t player;
};

static int target(void) { return rule(0); }

static const char *describe(void) {
  text_begin();
  put("{\"name\": \"pig-twin\", \"title\": \"Pig from a file\","
      "\"summary\": \"Pig: roll for more or hold before a 1 takes the turn's points; first to the target wins\","
      "\"seats\": 2, \"actions\": [{\"name\": \"choice\", \"count\": 2, \"names\": [\"roll\", \"hold\"]}],"
      "\"outcomes\": 6, \"outcome_names\": [\"1\", \"2\", \"3\", \"4\", \"5\", \"6\"],"
      "\"observation\": [{\"name\": \"turn\", \"size\": 4}, {\"name\": \"points\", \"size\": 4},"
      "{\"name\": \"own_ramp\", \"size\": 10}, {\"name\": \"other_ramp\", \"size\": 10}, {\"name\": \"turn_ramp\", \"size\": 10}],"
      "\"payoff\": \"win-loss\", \"max_return\": 1, \"unit\": \"wins\", \"scores\": true,"
      "\"rules\": [{\"name\": \"target\", \"help\": \"Points that win\", \"low\": 1, \"high\": 10000, \"default\": 100}],"
      "\"presets\": [{\"name\": \"Short\", \"help\": \"Over in a few turns\", \"rules\": \"target: 50\"}],"
      "\"max_history\": ");
  put_number(2000 + 100 * target());
  put("}");
  return text_end();
}

static void begin(struct state *s) { (void)s; }

static int player(const struct state *s) { return s->player; }

static void steps(const struct state *s) {
  if (s->player == CHANCE) {
    for (int face = 0; face < FACES; face++) outcome(face, 1);
    return;
  }
  can(ROLL);
  can(HOLD);
}

static void pass(struct state *s) {
  s->turn = 0;
  s->seat = 1 - s->seat;
  s->player = s->seat;
}

static void apply(struct state *s, int step) {
  if (s->player == CHANCE && step == 0) {
    pass(s);
  } else if (s->player == CHANCE) {
    s->turn += step + 1;
    s->player = s->seat;
  } else if (step == ROLL) {
    s->player = CHANCE;
  } else {
    s->scores[s->seat] += s->turn;
    if (s->scores[s->seat] < target()) {
      pass(s);
      return;
    }
    s->turn = 0;
    s->player = TERMINAL;
  }
}

// ramp draws how many elements are full, the last of them in part.
static void ramp(float full, float *v) {
  int whole = full < RAMP ? (int)full : RAMP;
  for (int k = 0; k < whole; k++) v[k] = 1;
  if (whole < RAMP) v[whole] = full - (float)whole;
}

static void observe(const struct state *s, int seat, float *v) {
  if (s->player != TERMINAL) {
    v[s->seat ^ seat] = 1;
    v[2] = s->player == CHANCE;
    v[3] = s->scores[s->seat] + s->turn >= target();
  }
  float scale = 1 / (float)target(), turn = (float)s->turn;
  float own = (float)s->scores[seat] * scale, other = (float)s->scores[1 - seat] * scale;
  v[4] = own;
  v[5] = other;
  v[6] = turn * scale;
  v[7] = turn / 20 < 4 ? turn / 20 : 4;
  ramp(own * RAMP, v + 8);
  ramp(other * RAMP, v + 18);
  ramp(turn / 4, v + 28);
}

static void returns(const struct state *s, double *v) {
  v[s->seat] = 1;
  v[1 - s->seat] = -1;
}

static void scores(const struct state *s, int64_t *v) {
  v[0] = s->scores[0];
  v[1] = s->scores[1];
}

static const char *text(const struct state *s) {
  text_begin();
  put_number(s->scores[0]);
  put(" : ");
  put_number(s->scores[1]);
  put(" of ");
  put_number(target());
  put(", seat ");
  put_number(s->seat);
  if (s->player == TERMINAL) {
    put(" has won");
    return text_end();
  }
  put(s->player == CHANCE ? " rolls with " : " has ");
  put_number(s->turn);
  put(" in this turn");
  return text_end();
}

CROUPIER_GAME
