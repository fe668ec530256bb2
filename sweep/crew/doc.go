// Package crew has tasks done by workers on other machines. It knows nothing of what the tasks are.
//
// Terms:
//
//   - A [Task] is a few files and a number of processors; its outcome is a few files.
//   - A [Desk] hands out the tasks of one owner. A [Worker] does tasks for all desks on the same bus.
//   - An assignment is one try at a task. It has a number of its own, so that an outcome of an earlier try counts for
//     nothing.
//
// Nothing is kept between the two: they send each other the whole state again and again, once in a [Period]. A worker
// reports its assignments, and a desk orders which of them are to be there. So a lost message costs a period, and
// one that begins again needs no account of what was. Files are asked for part by part, by those that need them.
//
// A worker that is silent for [Silence] is lost: its tasks are done elsewhere, from the beginning. A worker ends its
// assignments of a desk that is silent for as long, and at once those that the desk orders no more.
//
// Desk and worker have the same form: an account of the assignments that knows no clock and no bus (board, bench), and
// a loop around it.
package crew
