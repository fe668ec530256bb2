package train

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"unsafe"

	"croupier/learner/train/graph"
	"croupier/nn"
	"croupier/nn/kernel"
)

// Exchange connects the learners of a group: the processes that train one agent together, each with the same weights,
// the same games and the same random stream. Each takes a share of the work that takes long; everything else all of
// them do.
type Exchange interface {
	// Do has the learners of the group do the work together, and returns when this one has its whole result. The error
	// says that this learner cannot continue the group's iteration.
	Do(w Work) error
}

// Work is divided among the learners of a group by its parts, which are numbered from 0. Each part is computed by one
// of them, and what the work results in does not depend on who computed which. It is exchanged in pieces, in which the
// network is busy while parts are added. All learners of the group have equal work, in the same order.
type Work interface {
	// Parts returns the number of parts.
	Parts() int
	// Pieces returns the number of pieces.
	Pieces() int
	// Compute computes parts first..end-1 in this process.
	Compute(first, end int)
	// AppendPart appends what others need of a piece of parts that this process has computed. It may be called once for
	// a piece, by a process that does not combine them.
	AppendPart(dst []byte, piece, first, end int) []byte
	// SetPart takes a piece of parts from the process that has computed them.
	SetPart(piece, first, end int, data []byte) error
	// Combine makes a piece of the result, or all, once all parts have been computed or set.
	Combine(piece int)
	// AppendResult appends a piece of the result.
	AppendResult(dst []byte, piece int) []byte
	// SetResult takes a piece of the result from a process that has combined it.
	SetResult(piece int, data []byte) error
	// Checksum is of the weights before the work: the same in all learners of a group.
	Checksum() uint32
}

// AllPieces stands for all pieces.
const AllPieces = -1

// do does work alone, or with the group.
func (d *Descent) do(w Work) error {
	if d.exchange != nil {
		return d.exchange.Do(w)
	}
	w.Compute(0, w.Parts())
	w.Combine(AllPieces)
	return nil
}

// span is parts first..end-1.
type span struct{ first, end int }

func (s span) has(o span) bool { return s.first <= o.first && o.end <= s.end }

// halves cuts a span of at least two parts as the sum over it does: a sum of n parts is that of the first ones, as many
// as the greatest power of two below n, plus that of the others: ((0+1)+(2+3))+((4+5)+(6+7)).
func (s span) halves() (left, right span) {
	n := 1
	for 2*n < s.end-s.first {
		n *= 2
	}
	return span{s.first, s.first + n}, span{s.first + n, s.end}
}

// nodes appends the largest sums within the sum over s that have no part outside of own.
func (s span) nodes(own span, dst []span) []span {
	switch {
	case own.has(s):
		return append(dst, s)
	case own.end <= s.first || s.end <= own.first:
		return dst
	}
	left, right := s.halves()
	return right.nodes(own, left.nodes(own, dst))
}

// pieceSize is how many values of a gradient are a piece: a multiple of rangeSize.
const pieceSize = 32 * rangeSize

// minibatch is the gradient of a minibatch as [Work]. Its first piece are the reports of the shards, the others the
// gradient's values.
type minibatch struct {
	d      *Descent
	r      *Rollout
	o      *Objective
	shards []shard
	parts  int
	set    []span // parts of the piece at hand that others have computed
	piece  int    // at hand
}

func (m *minibatch) Parts() int       { return m.parts }
func (m *minibatch) Pieces() int      { return 1 + (len(m.d.sum)+pieceSize-1)/pieceSize }
func (m *minibatch) Checksum() uint32 { return m.d.checksum() }

// of returns the shards of parts.
func (m *minibatch) of(parts span) []shard {
	return m.shards[m.d.firsts[parts.first]:m.d.firsts[parts.end]]
}

// at returns the first shard of a part, in whose memory its sum and those that begin with it come to be.
func (m *minibatch) at(part int) *shard { return &m.shards[m.d.firsts[part]] }

func (m *minibatch) Compute(first, end int) {
	shards := m.of(span{first, end})
	m.d.each(len(shards), func(w *worker, i int) { m.d.compute(w, &shards[i], m.r, m.o) })
}

// values returns where a piece of the gradient begins and ends.
func (m *minibatch) values(piece int) (first, end int) {
	return (piece - 1) * pieceSize, min(len(m.d.sum), piece*pieceSize)
}

func (m *minibatch) AppendPart(dst []byte, piece, first, end int) []byte {
	own := span{first, end}
	if piece == 0 {
		return m.appendReports(dst, own)
	}
	from, to := m.values(piece)
	for _, node := range (span{0, m.parts}).nodes(own, nil) {
		m.d.share(to-from, func(i, k int) { m.add(node, nil, from+i, from+k) })
		dst = appendFloats(dst, m.at(node.first).gradient[from:to])
	}
	return dst
}

func (m *minibatch) SetPart(piece, first, end int, data []byte) error {
	own := span{first, end}
	if piece == 0 {
		return m.setReports(own, data)
	}
	from, to := m.values(piece)
	nodes := (span{0, m.parts}).nodes(own, nil)
	if len(data) != 4*len(nodes)*(to-from) {
		return fmt.Errorf("%d bytes of %d sums of %d values", len(data), len(nodes), to-from)
	}
	for i, node := range nodes {
		readFloats(m.at(node.first).gradient[from:to], data[4*i*(to-from):])
	}
	if m.piece != piece {
		m.piece, m.set = piece, m.set[:0]
	}
	m.set = append(m.set, own)
	return nil
}

func (m *minibatch) Combine(piece int) {
	from, to := 0, len(m.d.sum)
	switch piece {
	case AllPieces:
	case 0:
		return // reports are added where they are read
	default:
		from, to = m.values(piece)
	}
	if m.piece != piece {
		m.piece, m.set = piece, m.set[:0]
	}
	m.combine(from, to)
}

// combine sets the values from..to-1 of the sum, and the sums of their squares.
func (m *minibatch) combine(from, to int) {
	all := span{0, m.parts}
	m.d.share(to-from, func(i, k int) {
		i, k = from+i, from+k
		m.add(all, m.set, i, k)
		copy(m.d.sum[i:k], m.shards[0].gradient[i:k])
		m.d.squares[i/rangeSize] = kernel.SumSquares(m.d.sum[i:k])
	})
}

// add makes the values from..to-1 of the sum over a node, in the memory of its first shard, of those of its parts; sums
// that lie within a span of set are there already.
func (m *minibatch) add(node span, set []span, from, to int) {
	for _, s := range set {
		if s.has(node) {
			return
		}
	}
	if node.end-node.first == 1 {
		shards := m.of(node)
		for _, s := range shards[1:] {
			kernel.Add(shards[0].gradient[from:to], s.gradient[from:to])
		}
		return
	}
	left, right := node.halves()
	m.add(left, set, from, to)
	m.add(right, set, from, to)
	kernel.Add(m.at(left.first).gradient[from:to], m.at(right.first).gradient[from:to])
}

func (m *minibatch) AppendResult(dst []byte, piece int) []byte {
	if piece == 0 {
		return m.appendReports(dst, span{0, m.parts})
	}
	from, to := m.values(piece)
	dst = appendFloats(dst, m.d.sum[from:to])
	for _, sum := range m.d.squares[from/rangeSize : ranges(to)] {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(sum))
	}
	return dst
}

func (m *minibatch) SetResult(piece int, data []byte) error {
	if piece == 0 {
		return m.setReports(span{0, m.parts}, data)
	}
	from, to := m.values(piece)
	squares := m.d.squares[from/rangeSize : ranges(to)]
	if len(data) != 4*(to-from)+8*len(squares) {
		return fmt.Errorf("%d bytes of %d values", len(data), to-from)
	}
	m.d.share(to-from, func(i, k int) { readFloats(m.d.sum[from+i:from+k], data[4*i:]) })
	for i := range squares { // not summed again: the order depends on the instruction set
		squares[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[4*(to-from)+8*i:]))
	}
	return nil
}

// reportSize is the bytes of a shard's report.
const reportSize = 8 * (statsFields + 1)

// checksum returns that of the weights before a step.
func (d *Descent) checksum() uint32 { return Checksum(d.weights) }

// Checksum returns the CRC-32C of weights, float32 in little-endian order.
func Checksum(weights []float32) uint32 { return crc32.Checksum(bytesOf(weights), castagnoli) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// bytesOf is the memory of values: little-endian, as on every processor for which the program is built.
func bytesOf(values []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
}

// appendFloats appends values in little-endian order.
func appendFloats(dst []byte, values []float32) []byte { return append(dst, bytesOf(values)...) }

// readFloats reads as many values as dst has.
func readFloats(dst []float32, data []byte) { copy(bytesOf(dst), data[:4*len(dst)]) }

// appendReports appends what shards of parts found. An error of a shard is reported as a weight that is not a number.
func (m *minibatch) appendReports(dst []byte, parts span) []byte {
	for _, s := range m.of(parts) {
		if s.err != nil {
			s.stats.Weight = math.NaN()
		}
		for _, v := range append(fieldsOf(&s.stats), &s.moved) {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(*v))
		}
	}
	return dst
}

func (m *minibatch) setReports(parts span, data []byte) error {
	shards := m.of(parts)
	if len(data) != reportSize*len(shards) {
		return fmt.Errorf("%d bytes of %d reports", len(data), len(shards))
	}
	for i := range shards {
		s := &shards[i]
		s.err = nil
		for _, v := range append(fieldsOf(&s.stats), &s.moved) {
			*v = math.Float64frombits(binary.LittleEndian.Uint64(data))
			data = data[8:]
		}
	}
	return nil
}

// statsFields is how many sums [graph.Stats] has.
const statsFields = 10

func fieldsOf(s *graph.Stats) []*float64 {
	return []*float64{
		&s.Weight, &s.Loss, &s.PolicyLoss, &s.ValueLoss, &s.Entropy, &s.KL, &s.Clipped, &s.MagnetKL, &s.Taught,
		&s.TeacherLoss,
	}
}

// forward is the evaluation of a rollout by a network as [Work] of one piece: what was taken of its decisions, and the
// recurrent states.
type forward struct {
	d       *Descent
	n       *nn.Network
	r       *Rollout
	take    Taker
	cuts    []int // where the parts begin, in sequences, and the end
	columns func(r *Rollout) (byDecision [][]float32, byAction []float32)
}

// forwardParts is into how many parts a rollout is cut.
const forwardParts = 64

func (f *forward) Parts() int       { return len(f.cuts) - 1 }
func (f *forward) Pieces() int      { return 1 }
func (f *forward) Checksum() uint32 { return f.d.checksum() }

func (f *forward) Compute(first, end int) {
	tasks := min(end-first, f.d.tasks())
	cuts := make([]int, 0, tasks+1) // fewer and larger ones than the parts
	for i := range tasks {
		cuts = append(cuts, f.cuts[first+i*(end-first)/tasks])
	}
	f.d.evaluateParts(f.n, f.r, append(cuts, f.cuts[end]), f.take)
}

// each calls do for the memory of every column of parts.
func (f *forward) each(first, end int, do func(values []float32)) {
	r := f.r
	row := func(part int) int {
		if s := f.cuts[part]; s < len(r.Sequences) {
			return r.Sequences[s].First
		}
		return r.Len()
	}
	action := func(row int) int {
		if row == 0 {
			return 0
		}
		return r.LegalEnd[row-1]
	}
	state := func(part int) int {
		if s := f.cuts[part]; s < len(r.Sequences) {
			return r.Sequences[s].state * f.d.Network.Layout.StateSize
		}
		return len(r.states)
	}
	byDecision, byAction := f.columns(r)
	for _, column := range byDecision {
		do(column[row(first):row(end)])
	}
	if byAction != nil {
		do(byAction[action(row(first)):action(row(end))])
	}
	do(r.states[state(first):state(end)])
}

func (f *forward) AppendPart(dst []byte, _, first, end int) []byte {
	f.each(first, end, func(values []float32) { dst = appendFloats(dst, values) })
	return dst
}

func (f *forward) SetPart(_, first, end int, data []byte) error {
	size := 0
	f.each(first, end, func(values []float32) { size += 4 * len(values) })
	if len(data) != size {
		return fmt.Errorf("%d bytes of an evaluation of %d", len(data), size)
	}
	f.each(first, end, func(values []float32) {
		readFloats(values, data)
		data = data[4*len(values):]
	})
	return nil
}

func (f *forward) Combine(int) {}

func (f *forward) AppendResult(dst []byte, _ int) []byte { return f.AppendPart(dst, 0, 0, f.Parts()) }

func (f *forward) SetResult(_ int, data []byte) error { return f.SetPart(0, 0, f.Parts(), data) }

// evaluateTogether is [Descent.Evaluate] with the group, for a taker that writes no more than the given columns.
func (d *Descent) evaluateTogether(n *nn.Network, r *Rollout, take Taker,
	columns func(r *Rollout) (byDecision [][]float32, byAction []float32)) error {
	if d.exchange == nil {
		d.Evaluate(n, r, take)
		return nil
	}
	f := &forward{d: d, n: n, r: r, take: take, columns: columns}
	f.cuts = r.parts(len(r.Sequences), r.Len(), forwardParts)
	return d.do(f)
}
