// Connect Four: two players drop discs of their colour into the seven columns of an upright grid of six rows. Four of
// one's own in a line win; a full grid without a line is a draw. Actions are the columns, from left to right.
#define SEATS 2
#define STEPS 7
#define OBSERVATION 84
#define TEXT
#define VIEW
#include "croupier.h"

enum { ROWS = 6, COLUMNS = 7, CELLS = ROWS * COLUMNS };

// A disc is a bit: bit 7*column + row, with the lowest row first and a row above the grid that stays empty.
struct state {
  uint64_t discs[SEATS];
  int32_t moves;
  int32_t won; // 1 if the seat that moved last has won
};

static uint64_t bit(int column, int row) { return 1ull << (7 * column + row); }

static const char *describe(void) {
  return "{\"name\": \"connect-four\", \"title\": \"Connect Four\","
         "\"summary\": \"Connect Four: drop discs into seven columns; four in a line win\","
         "\"seats\": 2, \"max_history\": 42, \"payoff\": \"win-loss\", \"max_return\": 1, \"unit\": \"wins\","
         "\"actions\": [{\"name\": \"column\", \"count\": 7,"
         "\"names\": [\"column 1\", \"column 2\", \"column 3\", \"column 4\", \"column 5\", \"column 6\", \"column 7\"]}],"
         "\"observation\": [{\"name\": \"own\", \"size\": 42}, {\"name\": \"other\", \"size\": 42}]}";
}

static void begin(struct state *s) { (void)s; }

static int player(const struct state *s) { return s->won || s->moves == CELLS ? TERMINAL : s->moves % 2; }

static void steps(const struct state *s) {
  uint64_t all = s->discs[0] | s->discs[1];
  for (int column = 0; column < COLUMNS; column++)
    if (!(all & bit(column, ROWS - 1))) can(column);
}

// lines says whether there are four in a line, whose neighbours are that many bits apart.
static int lines(uint64_t discs, int apart) {
  uint64_t pairs = discs & discs >> apart;
  return (pairs & pairs >> 2 * apart) != 0;
}

static void apply(struct state *s, int column) {
  uint64_t all = s->discs[0] | s->discs[1], *own = &s->discs[s->moves % 2];
  // Adding the lowest bit of a column to what it holds carries to its first empty row.
  *own |= (all + bit(column, 0)) & ~all & (uint64_t)0x3f << 7 * column;
  s->won = lines(*own, 1) || lines(*own, 6) || lines(*own, 7) || lines(*own, 8);
  s->moves++;
}

static void observe(const struct state *s, int seat, float *v) {
  for (int column = 0; column < COLUMNS; column++)
    for (int row = 0; row < ROWS; row++) {
      int at = ROWS * column + row;
      v[at] = (s->discs[seat] & bit(column, row)) != 0;
      v[at + CELLS] = (s->discs[1 - seat] & bit(column, row)) != 0;
    }
}

static void returns(const struct state *s, double *v) {
  int winner = (s->moves - 1) % 2;
  v[winner] = s->won;
  v[1 - winner] = -s->won;
}

static const char *text(const struct state *s) {
  text_begin();
  for (int row = ROWS - 1; row >= 0; row--) {
    for (int column = 0; column < COLUMNS; column++) {
      if (column > 0) put_char(' ');
      put_char(s->discs[0] & bit(column, row) ? 'x' : s->discs[1] & bit(column, row) ? 'o' : '.');
    }
    put_char('\n');
  }
  put("1 2 3 4 5 6 7");
  return text_end();
}

// view shows the grid; a tap on a column drops a disc into it.
static const char *view(const struct state *s, int eye) {
  (void)eye; // everybody sees everything
  text_begin();
  put("{\"parts\": [{\"grid\": {\"columns\": 7, \"column_actions\": [0, 1, 2, 3, 4, 5, 6], \"cells\": [");
  for (int row = ROWS - 1; row >= 0; row--)
    for (int column = 0; column < COLUMNS; column++) {
      if (row < ROWS - 1 || column > 0) put_char(',');
      put(s->discs[0] & bit(column, row) ? "\"@0\"" : s->discs[1] & bit(column, row) ? "\"@1\"" : "\"\"");
    }
  put("]}}]}");
  return text_end();
}

CROUPIER_GAME
