package kernel

import (
	"fmt"
	"sync"
)

// Multiplier multiplies matrices on a number of cores. It belongs to one goroutine and
// allocates nothing once it has seen its largest factors.
type Multiplier struct {
	right   Packed
	scratch Scratch
	tasks   []chan task // of the other workers
	running sync.WaitGroup
}

// task is a share of a product.
type task struct {
	right *Packed
	c     Rows
	a     Matrix
	start Rows
}

// NewMultiplier returns a multiplier with the given number of workers. The caller's
// goroutine is one of them; the others run until Close. BF16 is possible only if [HasBF16].
func NewMultiplier(workers int, p Precision) *Multiplier {
	m := &Multiplier{right: Packed{Precision: p}}
	for range workers - 1 {
		tasks := make(chan task)
		m.tasks = append(m.tasks, tasks)
		go func() {
			var scratch Scratch
			for t := range tasks {
				t.right.multiply(t.c, t.a, t.start, noFloor, &scratch)
				m.running.Done()
			}
		}()
	}
	return m
}

// Close stops the workers.
func (m *Multiplier) Close() {
	for _, t := range m.tasks {
		close(t)
	}
	m.tasks = nil
}

// Product sets c = a·b. a and b may be transposed, c may not. The memory of c must not
// overlap that of a or b.
func (m *Multiplier) Product(c, a, b Matrix) { m.product(c, a, b, false) }

// AddProduct sets c = c + a·b under the same conditions.
func (m *Multiplier) AddProduct(c, a, b Matrix) { m.product(c, a, b, true) }

// columnBlock is how many columns of the right factor are packed at a time: with depthBlock
// rows they take 1 MiB, half of a level-2 cache.
const columnBlock = 1024

func (m *Multiplier) product(c, a, b Matrix, add bool) {
	if c.Rows != a.Rows || c.Columns != b.Columns || a.Columns != b.Rows {
		panic(fmt.Sprintf("kernel: product %d×%d of %d×%d and %d×%d",
			c.Rows, c.Columns, a.Rows, a.Columns, b.Rows, b.Columns))
	}
	for column := 0; column < b.Columns; column += columnBlock {
		columns := min(columnBlock, b.Columns-column)
		for k := 0; k == 0 || k < b.Rows; k += depthBlock {
			depth := min(depthBlock, b.Rows-k)
			m.right.Pack(b.block(k, column, depth, columns))
			part, left := c.block(0, column, c.Rows, columns), a.block(0, k, a.Rows, depth)
			m.right.check(part, left)
			start := m.right.zero()
			if add || k > 0 {
				start = part.rows()
			}
			m.share(part.rows(), left, start)
		}
	}
}

// minShare is the least number of multiplications that a worker gets: they take 30 µs or
// more, so that waking it pays.
const minShare = 1 << 20

// share divides the rows among the workers.
func (m *Multiplier) share(c Rows, a Matrix, start Rows) {
	workers := max(1, min(len(m.tasks)+1, a.Rows, a.Rows*a.Columns*m.right.columns/minShare))
	part := func(i int) task {
		from, to := i*a.Rows/workers, (i+1)*a.Rows/workers
		return task{&m.right, c.fromRow(from), a.block(from, 0, to-from, a.Columns), start.fromRow(from)}
	}
	m.running.Add(workers - 1)
	for i := 1; i < workers; i++ {
		m.tasks[i-1] <- part(i)
	}
	own := part(0)
	own.right.multiply(own.c, own.a, own.start, noFloor, &m.scratch)
	m.running.Wait()
}
