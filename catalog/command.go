package catalog

import (
	"context"
	"fmt"
	"io"
	"iter"

	"croupier/engine"
	"croupier/policy"
)

// Command answers questions about one game exactly. It is a command below croupier solve and has the name of its game.
type Command struct {
	Short, Long, Example string // help
	Shared               SharedFlags
	// New declares the command's own flags and returns what a call does once they are read. It is asked once for each
	// command line. nil: the command has no answer.
	New func(Flags) func(context.Context, Call) error
}

// SharedFlags reports which of the flags that commands share a command has. --json it has always.
type SharedFlags struct {
	JSON     string // help of --json; "": print the result as JSON
	Out      string // help of --out, the file for tables; "": no such flag
	Progress bool   // --progress and --quiet
	Rules    bool   // --rules
	Set      bool   // --set
	// Agent is what --agent measures an agent against: "the optimum"; "": neither --agent nor --run.
	Agent string
	// Solution are flags about the solution alone, which do not go with --agent.
	Solution []string
}

// Flags takes the flags of a command, as package flag does; the values are set when the command is called.
type Flags interface {
	BoolVar(p *bool, name string, value bool, usage string)
	IntVar(p *int, name string, value int, usage string)
	Uint64Var(p *uint64, name string, value uint64, usage string)
	Float64Var(p *float64, name string, value float64, usage string)
	StringVar(p *string, name, value, usage string)
	// Reads reports that a flag names a file that is read by [Call.Input], Writes that it names one that is written by
	// [Call.Write], and WritesFolder that it names a folder for several: they are checked before the work.
	Reads(flag string)
	Writes(flag string)
	WritesFolder(flag string)
}

// Call is a call of a command, as the command line has read it.
type Call interface {
	// Given reports whether the call has the flag.
	Given(flag string) bool
	// Game returns the command's game under the rules of the call. Rules are written as in "rules.players=2": the
	// defaults count where the flags say nothing else, the overrides in any case.
	Game(ctx context.Context, defaults, overrides []string) (engine.Game, error)
	// Agent returns the value of --agent, and Policies what makes players of that agent.
	Agent() string
	Policies(context.Context, engine.Game) (func() policy.Policy, error)
	// JSON reports whether the result is to be JSON.
	JSON() bool
	// Out returns the value of --out.
	Out() string
	// Input opens a file of text, "-" for standard input, and returns what to call it in errors.
	Input(ctx context.Context, path string) (in io.ReadCloser, name string, err error)
	// Write writes a file, which appears once it is complete; "-" is standard output.
	Write(path string, write func(io.Writer) error) error
	// Print writes the result to standard output, as JSON or as text.
	Print(result any, text func(io.Writer) error) error
	// WriteTable writes the file of --out, if there is one: the document where it ends in .json, else the rows as CSV.
	WriteTable(header []string, document any, rows iter.Seq[[]string]) error
	// Progress returns say, which shows people what is being done and which share of it is done, from 0 to 1 or below 0
	// where that is not known, and end, after which nothing of that is left on a terminal.
	Progress() (say func(share float64, format string, args ...any), end func())
}

// WriteList writes what list returns to the file of --out, if there is one: as JSON, or as CSV with a row for each
// entry.
func WriteList[T interface{ Cells() []string }](c Call, header []string, list func() []T) error {
	if c.Out() == "" {
		return nil
	}
	entries := list()
	return c.WriteTable(header, entries, func(yield func([]string) bool) {
		for _, e := range entries {
			if !yield(e.Cells()) {
				return
			}
		}
	})
}

// UsageError is the error of a wrong call, as opposed to work that failed: the exit status is 2.
type UsageError struct{ Err error }

func (u *UsageError) Error() string { return u.Err.Error() }
func (u *UsageError) Unwrap() error { return u.Err }

// Usage returns the error of a wrong call.
func Usage(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Idle returns the error of a call that gives one of these flags, which have an effect only with what is needed; nil if
// it gives none.
func Idle(c Call, needed string, flags ...string) error {
	for _, flag := range flags {
		if c.Given(flag) {
			return Usage("--%s has an effect only with %s", flag, needed)
		}
	}
	return nil
}
