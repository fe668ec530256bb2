// Package play seats people at tables: one game each, with other people and agents.
//
//   - A [Story] is a game as it went, for every eye: a seat, the public, or everything. Its [Show]
//     is all that a page is ever given, and holds nothing that the eye must not know.
//   - A [Table] is a game being played, a pure state machine: who sits where, chance from a seed,
//     agents with streams of their own, time limits, undo.
//   - A [Hall] is many tables, with keys for those who sit at them. It lets agents think in the
//     background, watches clocks and notifies subscribers when there is something new to show.
//
// A game at a table draws chance from its seed's engine.ChanceStream, like games everywhere, so
// that a finished one is a valid history of its seed.
package play
