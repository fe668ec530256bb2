// Command neon generates the kernels of package kernel for arm64 with NEON. They do the
// same steps as those that command asm generates for amd64, and give the same bits. The
// script generate.sh in the package's folder runs it. The type instructions of package
// kernel documents what the functions compute.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("out", "", "file for the assembly")
	stubs := flag.String("stubs", "", "file for the Go declarations")
	flag.Parse()
	a := &assembler{}
	for rows := 1; rows <= tileRows; rows++ {
		a.tile(rows)
	}
	a.exp()
	a.expSum()
	a.softmaxColumns()
	a.softmaxColumnsGradient()
	a.lstmCell()
	a.lstmForward()
	a.lstmBackward()
	a.add()
	a.reluGradient()
	a.sumSquares()
	a.prefetch()
	a.adam()
	write(*out, a.assembly())
	write(*stubs, a.declarations())
}

func write(path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, "neon:", err)
		os.Exit(1)
	}
}
