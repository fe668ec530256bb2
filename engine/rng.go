package engine

import (
	"math/rand/v2"
)

// RNG is a PCG-DXSM stream (math/rand/v2) without the indirection of rand.Rand.
// The zero value is a valid but fixed stream; use [RNG.Seed]. It implements
// rand.Source, and its state is serialisable.
type RNG struct {
	pcg rand.PCG
}

// Streams of one game's seed. Chance and every seat's choices use separate ones, so a different
// player never changes the dice.
const (
	ChanceStream uint64 = 0x63686e63 // "chnc"
	ActionStream uint64 = 0x6163746e // "actn"; seat i uses ActionStream + i
)

// NewRNG returns a stream of the seed.
func NewRNG(seed, stream uint64) *RNG {
	r := &RNG{}
	r.Seed(seed, stream)
	return r
}

// Seed starts the given stream of the seed.
func (r *RNG) Seed(seed, stream uint64) { r.pcg.Seed(seed, mix(stream)) }

// Uint64 returns 64 random bits.
func (r *RNG) Uint64() uint64 { return r.pcg.Uint64() }

// IntN returns a uniform number in 0..n-1, for 0 < n < 2^32 (Lemire's method,
// arXiv 1805.10941: exact, almost always one multiplication).
func (r *RNG) IntN(n int) int {
	x := uint32(r.Uint64() >> 32)
	m := uint64(x) * uint64(n)
	if low := uint32(m); low < uint32(n) {
		for limit := -uint32(n) % uint32(n); low < limit; low = uint32(m) {
			m = (r.Uint64() >> 32) * uint64(n)
		}
	}
	return int(m >> 32)
}

// Float64 returns a uniform number in [0, 1).
func (r *RNG) Float64() float64 { return float64(r.Uint64()>>11) * 0x1p-53 }

// MarshalBinary returns the state of the stream.
func (r *RNG) MarshalBinary() ([]byte, error) { return r.pcg.MarshalBinary() }

// UnmarshalBinary restores a state that MarshalBinary returned.
func (r *RNG) UnmarshalBinary(data []byte) error { return r.pcg.UnmarshalBinary(data) }

// GameSeed derives the seed of one game: a hash of the run's seed, a purpose such
// as "train/actor-1" or "arena", and the number of the game among those of that
// purpose. (FNV-1a over the parts, finished with the mixer of SplitMix64.)
func GameSeed(run uint64, purpose string, number uint64) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(purpose); i++ {
		h = (h ^ uint64(purpose[i])) * 1099511628211
	}
	return mix(mix(h^mix(run)) ^ number)
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
