// Tic-tac-toe: two players take turns to mark one of nine squares. Three of one's own in a row, a column or a diagonal
// win; a full board without them is a draw.
#define SEATS 2
#define STEPS 9
#define OBSERVATION 18
#define TEXT
#include "croupier.h"

struct state {
  int8_t marks[9]; // 0 for an empty square, else the seat + 1
  int8_t moves;
};

static const char *describe(void) {
  return "{\"name\": \"tic-tac-toe\", \"title\": \"Tic-tac-toe\", \"summary\": \"Tic-tac-toe: three in a row win\","
         "\"seats\": 2, \"max_history\": 9, \"payoff\": \"win-loss\", \"max_return\": 1, \"unit\": \"wins\","
         "\"actions\": [{\"name\": \"square\", \"count\": 9}],"
         "\"observation\": [{\"name\": \"own\", \"size\": 9}, {\"name\": \"other\", \"size\": 9}]}";
}

static void begin(struct state *s) { (void)s; } // the state is zeros: an empty board

// winner returns the seat that has three in a line, or -1.
static int winner(const struct state *s) {
  static const int8_t lines[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
                                     {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
  for (int i = 0; i < 8; i++) {
    int mark = s->marks[lines[i][0]];
    if (mark && mark == s->marks[lines[i][1]] && mark == s->marks[lines[i][2]]) return mark - 1;
  }
  return -1;
}

static int player(const struct state *s) { return winner(s) >= 0 || s->moves == 9 ? TERMINAL : s->moves % 2; }

static void steps(const struct state *s) {
  for (int square = 0; square < 9; square++)
    if (!s->marks[square]) can(square);
}

static void apply(struct state *s, int square) { s->marks[square] = (int8_t)(1 + s->moves++ % 2); }

static void observe(const struct state *s, int seat, float *v) {
  for (int square = 0; square < 9; square++) {
    v[square] = s->marks[square] == seat + 1;
    v[9 + square] = s->marks[square] == 2 - seat;
  }
}

static void returns(const struct state *s, double *v) {
  int seat = winner(s);
  v[0] = (seat == 0) - (seat == 1);
  v[1] = -v[0];
}

static const char *text(const struct state *s) {
  text_begin();
  for (int square = 0; square < 9; square++) {
    put_char(".xo"[s->marks[square]]);
    if (square < 8) put_char(square % 3 == 2 ? '\n' : ' ');
  }
  return text_end();
}

CROUPIER_GAME
