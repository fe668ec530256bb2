// Command asm generates the kernels of package kernel for amd64: every function once for
// AVX2 with FMA and once for AVX-512, from the same description, and products of pairs for
// AVX512-BF16 and for AMX; command neon does so for arm64. The script generate.sh in
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
	name := flag.String("set", "", "instruction set: avx2, avx512, bf16 or amx")
	file := flag.String("encode", "", "encode the instructions in this file that Go's assembler does not know")
	flag.Parse() // also avo's own: -out, -stubs, -pkg
	if *file != "" {
		if err := encode(*file); err != nil {
			fmt.Fprintf(os.Stderr, "asm: %v\n", err)
			os.Exit(1)
		}
		return
	}
	s, known := sets[*name]
	if !known {
		fmt.Fprintf(os.Stderr, "asm: unknown instruction set %q\n", *name)
		os.Exit(2)
	}
	ConstraintExpr("!purego")
	if *name == "amx" {
		s.tiles()
		s.transpose()
		Generate()
		return
	}
	for rows := 1; rows <= s.rows; rows++ {
		s.tile(rows)
	}
	if *name == "bf16" {
		s.pairRows()
		s.pairRow()
		Generate()
		return
	}
	s.packRows()
	s.packColumns()
	s.sparseAffine()
	s.sparseOuter()
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
	s.prefetch()
	s.adam()
	Generate()
}
