// Package tournament plays tournaments between given agents, without a population: who meets whom is up to a [Format],
// and the ladder comes from package rating. The caller plays the matches.
package tournament
