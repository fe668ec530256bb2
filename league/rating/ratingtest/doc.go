// Package ratingtest makes results of agents with known strengths, for tests.
package ratingtest
