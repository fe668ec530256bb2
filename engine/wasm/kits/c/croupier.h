// croupier.h makes a game in C a file for Croupier. docs/guide/own-games.md explains it step by step.
//
// Before it is included, a game defines the sizes that it needs at most:
//
//   SEATS        players
//   STEPS        actions, or outcomes of chance, whichever are more
//   OBSERVATION  numbers that a player is shown
//   RULES        rules that can be changed (may be left out)
//   HIDDEN       if information is hidden; then there is a function seen
//   SCORES       if the game has points of its own; then there is a function scores
//   NAMES        if there is a function name
//   TEXT         if there is a function text
//   VIEW         if there is a function view
//
// It then defines struct state, the functions that are declared below, and ends with CROUPIER_GAME. All that a game
// depends on must be in struct state: other variables may be lost between two calls.
//
//   clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry -Wl,--strip-all -o NAME.wasm NAME.c
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifndef RULES
#define RULES 0
#endif

#define CHANCE (-1)
#define TERMINAL (-2)
#define HIDDEN_STEP (-1) // what seen returns if a seat sees that a step is made, but not which
#define UNNOTICED (-2)   // or if it does not notice it
#define EVERYBODY (-1)   // the eye of view that sees what everybody sees
#define ALL_OPEN (-2)    // the eye that sees all that is hidden

// What a game defines. States are zeros before begin.
struct state;
static const char *describe(void);                         // the description, JSON
static void begin(struct state *s);                        // the beginning of the game
static int player(const struct state *s);                  // the seat to move, CHANCE or TERMINAL
static void steps(const struct state *s);                  // calls can, or at a node of chance outcome, ascending
static void apply(struct state *s, int step);              // makes a possible step
static void observe(const struct state *s, int seat, float *v); // writes what a seat may know over zeros
static void returns(const struct state *s, double *v);     // writes the returns at the end over zeros; their sum is 0
#ifdef HIDDEN
static int seen(const struct state *s, int seat, int step); // what a seat sees of a step that is about to be made
#endif
#ifdef SCORES
static void scores(const struct state *s, int64_t *v); // writes the points of each seat
#endif
#ifdef NAMES
static const char *name(const struct state *s, int step); // names an action or an outcome
#endif
#ifdef TEXT
static const char *text(const struct state *s); // the position for people
#endif
#ifdef VIEW
static const char *view(const struct state *s, int eye); // what is shown to a seat, EVERYBODY or ALL_OPEN: JSON
#endif

// What the program reads and writes.
static int32_t croupier_rules[RULES + 1];
static int32_t croupier_node[2]; // the player, and how many steps are possible
static int32_t croupier_steps[STEPS];
static uint32_t croupier_weights[STEPS];
static float croupier_observation[OBSERVATION];
static double croupier_returns[SEATS];
static int64_t croupier_scores[SEATS];
static int32_t croupier_seen[SEATS];

// rule returns the value of a rule, by its place in the description: a number, 1 or 0 for true or false, or the place
// of a text among its values.
static inline int rule(int i) { return croupier_rules[i]; }

// can says that an action is legal.
static inline void can(int action) { croupier_steps[croupier_node[1]++] = action; }

// outcome says that chance can do something, in as many cases of all as weight says.
static inline void outcome(int number, unsigned weight) {
  croupier_weights[croupier_node[1]] = weight;
  can(number);
}

// What the compiler uses to copy structs.
__attribute__((no_builtin("memcpy"))) void *memcpy(void *to, const void *from, size_t n) {
  for (size_t i = 0; i < n; i++) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}

__attribute__((no_builtin("memset"))) void *memset(void *to, int c, size_t n) {
  for (size_t i = 0; i < n; i++) ((char *)to)[i] = (char)c;
  return to;
}

__attribute__((no_builtin("memmove"))) void *memmove(void *to, const void *from, size_t n) {
  if (to < from) return memcpy(to, from, n);
  while (n-- > 0) ((char *)to)[n] = ((const char *)from)[n];
  return to;
}

// Texts: put and put_number append to one that text_begin has begun, which text_end returns.
static char croupier_text[8192];
static size_t croupier_length;

static inline void text_begin(void) { croupier_length = 0; }

static inline void put_char(char c) {
  if (croupier_length < sizeof croupier_text - 1) croupier_text[croupier_length++] = c;
}

static inline void put(const char *s) {
  while (*s) put_char(*s++);
}

static inline void put_number(int64_t n) {
  char digits[20];
  int length = 0;
  uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
  if (n < 0) put_char('-');
  do digits[length++] = (char)('0' + left % 10);
  while (left /= 10);
  while (length > 0) put_char(digits[--length]);
}

static inline const char *text_end(void) {
  croupier_text[croupier_length] = 0;
  return croupier_text;
}

#ifdef SCORES
#define CROUPIER_SCORES scores(&croupier_state, croupier_scores);
#else
#define CROUPIER_SCORES
#endif
#ifdef HIDDEN
#define CROUPIER_SEE(step) \
  for (int seat = 0; seat < SEATS; seat++) croupier_seen[seat] = seen(&croupier_state, seat, step);
#define CROUPIER_SEEN \
  CROUPIER_EXPORT("seen") int croupier_export_seen(int seat, int step) { return seen(&croupier_state, seat, step); }
#else
#define CROUPIER_SEE(step)
#define CROUPIER_SEEN
#endif
#ifdef NAMES
#define CROUPIER_NAME \
  CROUPIER_EXPORT("name") const char *croupier_export_name(int step) { return name(&croupier_state, step); }
#else
#define CROUPIER_NAME
#endif
#ifdef TEXT
#define CROUPIER_TEXT \
  CROUPIER_EXPORT("text") const char *croupier_export_text(void) { return text(&croupier_state); }
#else
#define CROUPIER_TEXT
#endif

#ifdef VIEW
#define CROUPIER_VIEW \
  CROUPIER_EXPORT("view") const char *croupier_export_view(int eye) { return view(&croupier_state, eye); }
#else
#define CROUPIER_VIEW
#endif

#define CROUPIER_EXPORT(name) __attribute__((export_name(name)))

// CROUPIER_GAME stands at the end of a game's file. It makes the exports of the interface from the functions above.
#define CROUPIER_GAME                                                                                              \
  static struct state croupier_state;                                                                              \
  static struct {                                                                                                  \
    uint32_t version;                                                                                              \
    const void *description, *rules, *state;                                                                       \
    uint32_t state_size;                                                                                           \
    const void *node, *steps, *weights, *observation, *returns, *scores, *seen;                                    \
  } croupier_table = {1, 0, croupier_rules, &croupier_state, sizeof(struct state), croupier_node, croupier_steps,  \
                      croupier_weights, croupier_observation, croupier_returns, croupier_scores, croupier_seen};   \
  CROUPIER_EXPORT("game") const void *croupier_export_game(void) {                                                 \
    croupier_table.description = describe();                                                                       \
    return &croupier_table;                                                                                        \
  }                                                                                                                \
  static void croupier_tell(void) {                                                                                \
    croupier_node[0] = player(&croupier_state);                                                                    \
    croupier_node[1] = 0;                                                                                          \
    if (croupier_node[0] == TERMINAL)                                                                              \
      returns(&croupier_state, croupier_returns);                                                                  \
    else                                                                                                           \
      steps(&croupier_state);                                                                                      \
    CROUPIER_SCORES                                                                                                \
  }                                                                                                                \
  CROUPIER_EXPORT("observe") void croupier_export_observe(int seat) {                                              \
    observe(&croupier_state, seat, croupier_observation);                                                          \
  }                                                                                                                \
  CROUPIER_EXPORT("reset") void croupier_export_reset(void) {                                                      \
    begin(&croupier_state);                                                                                        \
    croupier_tell();                                                                                               \
  }                                                                                                                \
  CROUPIER_EXPORT("step") void croupier_export_step(int step, int observing) {                                     \
    CROUPIER_SEE(step)                                                                                             \
    apply(&croupier_state, step);                                                                                  \
    croupier_tell();                                                                                               \
    if (observing && croupier_node[0] >= 0) croupier_export_observe(croupier_node[0]);                             \
  }                                                                                                                \
  CROUPIER_SEEN CROUPIER_NAME CROUPIER_TEXT CROUPIER_VIEW
