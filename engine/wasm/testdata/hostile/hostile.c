// A coin that two seats turn ten times, and with one of the macros below a game that breaks the interface.
#define SEATS 2
#define STEPS 2
#define OBSERVATION 1
#if defined NO_TEXT_END
#define TEXT
#endif
#if defined LINE_BREAK || defined RARE_NAME
#define NAMES
#endif
#include "../../kits/c/croupier.h"

enum { TURNS = 10, RARE = 8 };

struct state {
  int32_t turns, ones;
};

static void spoil(void);

static const char *describe(void) {
  spoil();
#if defined NO_JSON
  return "a game";
#elif defined UNKNOWN_KEY
  return "{\"game\": 1}";
#endif
  return "{\"name\": \"coin\", \"title\": \"Coin\", \"summary\": \"Turn a coin ten times\", \"seats\": 2,"
         "\"actions\": [{\"name\": \"side\", \"count\": 2}], \"observation\": [{\"name\": \"turns\", \"size\": 1}],"
         "\"payoff\": \"win-loss\", \"max_return\": 1, \"unit\": \"wins\", \"max_history\": 10}";
}

static void begin(struct state *s) { (void)s; }

static int player(const struct state *s) {
#if defined PLAYER
  if (s->turns == 3) return 7;
#elif defined OVER
  return TERMINAL;
#endif
  return s->turns == TURNS ? TERMINAL : s->turns % 2;
}

static void steps(const struct state *s) {
#if defined ORDER
  if (s->turns == 3) {
    can(1);
    can(0);
    return;
  }
#endif
  can(0);
  can(1);
#if defined COUNT
  if (s->turns == 3) croupier_node[1] = INT32_MIN;
#elif defined NO_STEPS
  if (s->turns == 3) croupier_node[1] = 0;
#endif
  (void)s;
}

#if defined RECURSION
static volatile int depth;
__attribute__((noinline)) static int deeper(int n) {
  depth = n;
  return deeper(n + 1) + depth;
}
#endif

static void apply(struct state *s, int step) {
#if defined OUTSIDE
  static int outside; // survives in one instance, and is not in another
  if (++outside > 100) step = 1 - step;
#elif defined MEMORY
  while (__builtin_wasm_memory_grow(0, 1) != (size_t)-1) {}
#endif
  s->turns++;
  s->ones += step;
#if defined RARE_TRAP
  if (s->turns == RARE && s->ones == RARE) __builtin_trap();
#endif
  if (s->turns < 3) return;
#if defined LOOP
  for (volatile int i = 0;; i++) {}
#elif defined RECURSION
  s->ones = deeper(0);
#elif defined FILL
  for (volatile int i = 0;; i++) __builtin_memset((char *)32768, i, 32768);
#elif defined TRAP
  __builtin_trap();
#elif defined READ
  s->ones = *(volatile int *)0x7ffffff0;
#endif
}

static void observe(const struct state *s, int seat, float *v) {
  (void)seat;
  v[0] = (float)s->turns / TURNS;
#if defined NOT_A_NUMBER
  if (s->turns == 3) v[0] = 0 / (v[0] - v[0]);
#elif defined INFINITE
  if (s->turns == 3) v[0] = 1 / (v[0] - v[0]);
#endif
}

static void returns(const struct state *s, double *v) {
  v[0] = s->ones > TURNS / 2 ? 1 : s->ones < TURNS / 2 ? -1 : 0;
  v[1] = -v[0];
#if defined SUM
  v[1] = v[0] = 1;
#elif defined LARGE
  v[0] = 2, v[1] = -2;
#endif
}

#if defined NO_TEXT_END
static const char *text(const struct state *s) {
  (void)s;
  char *end = (char *)(__builtin_wasm_memory_size(0) << 16) - 8;
  for (int i = 0; i < 8; i++) end[i] = 'x';
  return end;
}
#endif

#if defined LINE_BREAK
static const char *name(const struct state *s, int step) { return (void)s, step ? "one" : "two\nlines"; }
#endif

#if defined RARE_NAME
static const char *name(const struct state *s, int step) {
  return s->turns == RARE && s->ones == RARE ? "\n" : step ? "one" : "zero";
}
#endif

#if defined IMPORT
__attribute__((import_module("host"), import_name("open"))) int host_open(int);
#endif

CROUPIER_GAME

static void spoil(void) {
#if defined STATE_BEYOND
  croupier_table.state = (void *)((__builtin_wasm_memory_size(0) << 16) - 4);
#elif defined STATE_SIZE
  croupier_table.state_size = 1u << 31;
#elif defined STATE_WRAPS
  croupier_table.state = (void *)0xfffffffc;
#elif defined NO_ADDRESS
  croupier_table.steps = 0;
#elif defined VERSION
  croupier_table.version = 2;
#elif defined IMPORT
  croupier_table.version = (unsigned)host_open(1);
#endif
}
