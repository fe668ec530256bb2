// Package archive keeps games that were played in a run, and finds them again: all or a share
// of the arena's games, and a sample of the training games. Bounded in bytes, it lies in the
// folder "archive" of the run directory.
//
// Terms:
//
//   - A class says what is thrown away first when the archive is full: training games, then
//     games of the arena, then games of the arena in which the agent took part that was best.
//   - A segment is a file of one class; games are appended to the newest. When the archive is
//     full, the oldest segment of the first class that has more than one goes as a whole.
//   - A block is a number of games within a segment, compressed and with checksums: a header,
//     the index (all but seeds and histories, for those who search), and the histories.
//
// A header is 32 bytes, little-endian: the mark "CRP1", the lengths of both compressed parts,
// the number of the block's first game in its segment, the number of games, and the CRC-32C of
// the index, of the histories, and of the header before it. The parts are zstd frames with the
// messages ArchiveIndex and ArchiveHistories.
//
// Blocks are appended and never changed, so that readers need no lock and do not disturb writers: what
// a [Writer] was writing when it was killed is cut off when the archive is opened again, and a
// damaged byte costs its block and no other. A writer is one per archive, which the lock of the
// learner's role sees to; readers ([Read]) may be many, in any process.
//
// A game's ID is its class, its segment and its number there: "a12.345".
package archive
