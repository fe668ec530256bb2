// Command asm generates the kernels of package kernel for amd64: every function once for
// AVX2 with FMA and once for AVX-512, from the same description; command neon does so for
// arm64. The script generate.sh in
// the package's folder runs it. The type instructions of package kernel documents what the
// functions compute.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	name := flag.String("set", "", "instruction set: avx2 or avx512")
	flag.Parse() // also avo's own: -out, -stubs, -pkg
	s, known := sets[*name]
	if !known {
		fmt.Fprintf(os.Stderr, "asm: unknown instruction set %q\n", *name)
		os.Exit(2)
	}
	ConstraintExpr("!purego")
	for rows := 1; rows <= s.rows; rows++ {
		s.tile(rows)
	}
	s.packRows()
	s.packColumns()
	s.exp()
	s.expSum()
	s.softmaxColumns()
	s.softmaxColumnsGradient()
	s.lstmCell()
	s.lstmForward()
	s.lstmBackward()
	s.add()
	s.reluGradient()
	s.sumSquares()
	s.adam()
	Generate()
}
