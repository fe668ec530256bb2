package archive

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"croupier/internal/seed"
	"croupier/messages"
)

// Bounds of a block, whichever is met first. A block is what a damaged byte costs, and what a
// reader decodes for one game.
const (
	blockGames   = 2048
	blockBytes   = 64 << 10 // of histories before compression
	blockMatches = 1024
	// maxPart bounds a part of a block, compressed or not.
	maxPart = 2 * messages.MaxMessage
	// headerSize is the length of a block's header.
	headerSize = 32
)

var (
	mark       = []byte("CRP1")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// header is the beginning of a block.
type header struct {
	index, histories       uint32 // bytes of the compressed parts
	first, games           uint32 // number of the first game in the segment, and of games
	indexSum, historiesSum uint32
}

// size is that of the whole block.
func (h *header) size() int64 { return headerSize + int64(h.index) + int64(h.histories) }

// append writes the header.
func (h *header) append(dst []byte) []byte {
	from := len(dst)
	dst = append(dst, mark...)
	for _, v := range []uint32{h.index, h.histories, h.first, h.games, h.indexSum, h.historiesSum} {
		dst = binary.LittleEndian.AppendUint32(dst, v)
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[from:], castagnoli))
}

// parseHeader reads a header of headerSize bytes. It reports false for other bytes.
func parseHeader(data []byte) (h header, ok bool) {
	end := headerSize - 4
	if !bytes.HasPrefix(data, mark) || crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return h, false
	}
	for i, v := range []*uint32{&h.index, &h.histories, &h.first, &h.games, &h.indexSum, &h.historiesSum} {
		*v = binary.LittleEndian.Uint32(data[4+4*i:])
	}
	return h, h.index <= maxPart && h.histories <= maxPart
}

// block gathers games of one class until they are written.
type block struct {
	index     messages.ArchiveIndex
	histories messages.ArchiveHistories
	games     int
	begun     time.Time
	agents    map[Agent]byte
	matches   map[string]uint16
}

func newBlock(g *Game) *block {
	b := &block{begun: g.Time, agents: map[Agent]byte{}, matches: map[string]uint16{"": 0}}
	b.index.Schema, b.histories.Schema = messages.SchemaVersion, messages.SchemaVersion
	b.index.Game, b.index.Rules, b.index.BegunMs = g.Game, string(g.Rules), g.Time.UnixMilli()
	b.index.Matches = []string{""}
	b.histories.Width = uint32(g.Width)
	return b
}

// takes reports whether the game can be added.
func (b *block) takes(g *Game) bool {
	return b.games < blockGames && len(b.histories.Histories) < blockBytes && len(b.index.Matches) < blockMatches &&
		len(b.index.Agents)+len(g.Agents) <= messages.MaxAgents && g.Time.Sub(b.begun) < time.Hour &&
		b.index.Game == g.Game && b.index.Rules == string(g.Rules) && int(b.histories.Width) == g.Width
}

func (b *block) add(g *Game) {
	b.games++
	x, le := &b.index, binary.LittleEndian
	x.Times = le.AppendUint32(x.Times, uint32(max(0, g.Time.Sub(b.begun).Milliseconds())))
	x.MatchOf = le.AppendUint16(x.MatchOf, b.match(g.Match))
	for _, a := range g.Agents {
		x.Seats = append(x.Seats, b.agent(a))
	}
	for _, r := range g.Returns {
		x.Returns = messages.AppendFloat(x.Returns, float32(r))
	}
	x.Steps = le.AppendUint32(x.Steps, uint32(g.Steps))
	b.histories.Seeds = le.AppendUint64(b.histories.Seeds, uint64(g.Seed))
	b.histories.Histories = append(b.histories.Histories, g.History...)
}

func (b *block) match(name string) uint16 {
	i, known := b.matches[name]
	if !known {
		i = uint16(len(b.index.Matches))
		b.matches[name] = i
		b.index.Matches = append(b.index.Matches, name)
	}
	return i
}

func (b *block) agent(a Agent) byte {
	i, known := b.agents[a]
	if !known {
		i = byte(len(b.index.Agents))
		b.agents[a] = i
		sum, _ := hex.DecodeString(a.SHA256) // was written by EncodeToString, or is ""
		b.index.Agents = append(b.index.Agents, &messages.Agent{Name: a.Name, Version: a.Version, Sha256: sum})
	}
	return i
}

// encode returns the block's bytes; first is the number of its first game in the segment.
func (b *block) encode(enc *zstd.Encoder, first uint32) ([]byte, error) {
	index, err := messages.Encode(&b.index)
	if err != nil {
		return nil, err
	}
	histories, err := messages.Encode(&b.histories)
	if err != nil {
		return nil, err
	}
	out := make([]byte, headerSize, headerSize+len(index)/2+len(histories)/2)
	out = enc.EncodeAll(index, out)
	h := header{index: uint32(len(out) - headerSize), first: first, games: uint32(b.games)}
	h.indexSum = crc32.Checksum(out[headerSize:], castagnoli)
	out = enc.EncodeAll(histories, out)
	h.histories = uint32(len(out)-headerSize) - h.index
	h.historiesSum = crc32.Checksum(out[headerSize+h.index:], castagnoli)
	h.append(out[:0])
	return out, nil
}

// rows is the decoded index of a block.
type rows struct {
	*messages.ArchiveIndex
	agents []Agent
	n      int // games
	seats  int // of each
}

// decodeIndex reads the index of a block with that header.
func decodeIndex(dec *zstd.Decoder, h *header, data []byte) (*rows, error) {
	r := &rows{ArchiveIndex: &messages.ArchiveIndex{}, n: int(h.games)}
	if err := decodePart(dec, data, h.indexSum, r.ArchiveIndex); err != nil {
		return nil, err
	}
	if r.n > 0 {
		r.seats = len(r.Seats) / r.n
	}
	fits := r.n > 0 && r.seats > 0 && len(r.Times) == 4*r.n && len(r.MatchOf) == 2*r.n &&
		len(r.Seats) == r.seats*r.n && len(r.ArchiveIndex.Returns) == 4*len(r.Seats) && len(r.Steps) == 4*r.n
	for i := 0; fits && i < r.n; i++ {
		fits = int(binary.LittleEndian.Uint16(r.MatchOf[2*i:])) < len(r.Matches)
	}
	fits = fits && !slices.ContainsFunc(r.Seats, func(a byte) bool { return int(a) >= len(r.Agents) })
	if !fits {
		return nil, fmt.Errorf("%w: the columns of its index do not fit", ErrDamaged)
	}
	for _, a := range r.Agents {
		r.agents = append(r.agents, Agent{a.GetName(), a.GetVersion(), hex.EncodeToString(a.GetSha256())})
	}
	return r, nil
}

// decodePart reads a compressed message with that checksum.
func decodePart(dec *zstd.Decoder, data []byte, sum uint32, m messages.Message) error {
	if crc32.Checksum(data, castagnoli) != sum {
		return fmt.Errorf("%w: its checksum is another", ErrDamaged)
	}
	plain, err := dec.DecodeAll(data, nil)
	if err == nil {
		err = messages.Decode(plain, m)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

func (r *rows) steps(i int) int { return int(binary.LittleEndian.Uint32(r.Steps[4*i:])) }

func (r *rows) match(i int) string { return r.Matches[binary.LittleEndian.Uint16(r.MatchOf[2*i:])] }

// time is in milliseconds since the epoch.
func (r *rows) time(i int) int64 {
	return r.BegunMs + int64(binary.LittleEndian.Uint32(r.Times[4*i:]))
}

// sitting are the agents of game i by seat, as indices.
func (r *rows) sitting(i int) []byte { return r.Seats[i*r.seats : (i+1)*r.seats] }

func (r *rows) payoff(i, seat int) float32 {
	return messages.FloatAt(r.ArchiveIndex.Returns, i*r.seats+seat)
}

// summary is what the index says of game i.
func (r *rows) summary(i int, id ID) Summary {
	s := Summary{
		ID: id, Purpose: id.class.Purpose(), Best: id.class == Best, Match: r.match(i),
		Time: time.UnixMilli(r.time(i)).UTC(), Steps: r.steps(i),
	}
	for seat, a := range r.sitting(i) {
		s.Agents = append(s.Agents, r.agents[a])
		s.Returns = append(s.Returns, float64(r.payoff(i, seat)))
	}
	return s
}

// histories are the decoded other part of a block.
type histories struct {
	*messages.ArchiveHistories
	from []int // step at which each game begins; of one more, where the last ends
}

// histories reads the other part of the block.
func (r *rows) histories(dec *zstd.Decoder, h *header, part []byte) (*histories, error) {
	d := &histories{&messages.ArchiveHistories{}, make([]int, r.n+1)}
	if err := decodePart(dec, part, h.historiesSum, d.ArchiveHistories); err != nil {
		return nil, err
	}
	for i := range r.n {
		d.from[i+1] = d.from[i] + r.steps(i)
	}
	if d.Width < 1 || d.Width > 2 || len(d.Seeds) != 8*r.n || len(d.Histories) != d.from[r.n]*int(d.Width) {
		return nil, fmt.Errorf("%w: its histories do not fit its index", ErrDamaged)
	}
	return d, nil
}

// game is game i of the block, which has that ID.
func (r *rows) game(d *histories, i int, id ID) *Game {
	width := int(d.Width)
	return &Game{
		Summary: r.summary(i, id), Game: r.ArchiveIndex.Game, Rules: []byte(r.Rules), Width: width,
		Seed:    seed.Number(binary.LittleEndian.Uint64(d.Seeds[8*i:])),
		History: d.Histories[d.from[i]*width : d.from[i+1]*width],
	}
}
