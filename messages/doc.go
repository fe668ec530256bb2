// Package messages holds what roles send each other: the protobuf schemas
// (croupier.proto), the names under which things are kept on the bus, the packed
// columns of an episode, and the check of training games on arrival.
//
// Terms:
//
//   - A batch is one Experience message: finished games of one actor.
//   - An episode is one of those games, as a history.
//   - A column is a list of numbers of fixed width, little-endian, in a bytes field.
//   - A token is a name that is safe in subjects, keys, file and object names.
//
// Whatever comes from the bus goes through [Decode] first; a batch then goes
// through a [Verifier]. Both answer with a [Refusal], whose reason is one of a
// fixed set, so that it can be counted.
package messages

//go:generate sh generate.sh
