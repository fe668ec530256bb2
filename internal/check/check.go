// Package check is what a check of a run's files is made of.
//
// The role that owns files describes them as a [Part]: their names, and a function that reads all of them and reports
// what is wrong. The same function checks a run directory and a backup.
package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"croupier/internal/sealed"
)

// Files are those of a run directory or of a backup, by their paths with slashes.
type Files interface {
	// List returns all regular files, in the order of their paths, those of [Part] and others.
	List() ([]string, error)
	// Open opens a file. Its error is fs.ErrNotExist where there is none.
	Open(name string) (File, error)
}

// File is a file that can be read at any place.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Part is what one role keeps in a run directory.
type Part struct {
	// Patterns are those of its files ([path.Match]), in the order in which a copy is to be made while the role works.
	Patterns []string
	// Grows are the patterns among them of files that are only appended to.
	Grows []string
	// Check reads all files of the part.
	Check func(*Check)
}

// Of checks the part of a run's files.
func (p *Part) Of(files Files) (Found, error) {
	c, err := New(files)
	if err != nil {
		return Found{}, err
	}
	p.Check(c)
	return c.Found, nil
}

// Has reports whether a file belongs to the part.
func (p *Part) Has(name string) bool {
	return slices.ContainsFunc(p.Patterns, func(pattern string) bool { return Matches(pattern, name) })
}

// Matches is path.Match for a pattern that is well formed.
func Matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// Fault is something that is not as it was written.
type Fault struct {
	File  string `json:"file"`
	Place string `json:"place,omitempty"` // in the file
	What  string `json:"what"`
}

func (f Fault) String() string {
	if f.Place == "" {
		return fmt.Sprintf("%s: %s", f.File, f.What)
	}
	return fmt.Sprintf("%s: %s: %s", f.File, f.Place, f.What)
}

// Check is a check of files, and what it has found so far.
type Check struct {
	Names []string // of all files
	files Files
	Found
}

// Found is the result of a check.
type Found struct {
	Faults   []Fault
	Read     map[string]int64 // bytes that were read, by file
	Unsealed []string         // files of version 0.1, which wrote no checksums
	Games    int64            // that are kept
	Partly   []Fault          // files of which not everything can be checked here, and why
}

// New begins a check of files.
func New(files Files) (*Check, error) {
	names, err := files.List()
	if err != nil {
		return nil, err
	}
	return &Check{Names: names, files: files, Found: Found{Read: map[string]int64{}}}, nil
}

// Apart returns a check of the same files that has found nothing yet, to read what another part has.
func (c *Check) Apart() *Check {
	return &Check{Names: c.Names, files: c.files, Found: Found{Read: map[string]int64{}}}
}

// Matching returns the files whose paths match a pattern, in order.
func (c *Check) Matching(pattern string) (names []string) {
	for _, name := range c.Names {
		if Matches(pattern, name) {
			names = append(names, name)
		}
	}
	return names
}

// Has reports whether there is a file.
func (c *Check) Has(name string) bool { return slices.Contains(c.Names, name) }

// Fault notes what is wrong with a file, at a place in it unless that is "".
func (c *Check) Fault(file, place string, what any) {
	c.Faults = append(c.Faults, Fault{file, place, fmt.Sprint(what)})
}

// Open opens a file and notes that it is read, or why it cannot be: then it returns nil.
func (c *Check) Open(name string) File {
	f, err := c.files.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("there is no such file")
		}
		c.Fault(name, "", err)
		return nil
	}
	c.Read[name] = f.Size()
	return f
}

// ReadFile returns what a file of at most that many bytes holds, or notes why it cannot be read and returns false.
func (c *Check) ReadFile(name string, most int64) (data []byte, ok bool) {
	f := c.Open(name)
	if f == nil {
		return nil, false
	}
	defer f.Close()
	if f.Size() > most {
		c.Fault(name, "", fmt.Sprintf("its %d bytes are more than the limit of %d", f.Size(), most))
		return nil, false
	}
	data = make([]byte, f.Size())
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, f.Size()), data); err != nil {
		c.Fault(name, "", err)
		return nil, false
	}
	return data, true
}

// Sealed notes how a file is sealed, or why it cannot be opened, and returns whether it can be used.
func (c *Check) Sealed(name string, condition sealed.Condition, err error) bool {
	if err != nil {
		c.Fault(name, "", err)
		return false
	}
	if condition == sealed.Unsealed && !slices.Contains(c.Unsealed, name) {
		c.Unsealed = append(c.Unsealed, name)
	}
	return true
}

// Lines calls visit for every line of a file, which must all end. visit returns how the line is sealed, or what is
// wrong with it.
func (c *Check) Lines(name string, most int64, visit func(line []byte) (sealed.Condition, error)) {
	text, ok := c.ReadFile(name, most)
	if !ok {
		return
	}
	number, unsealed := 0, false
	for line := range bytes.Lines(text) {
		number++
		condition, err := visit(line)
		if !bytes.HasSuffix(line, []byte("\n")) && err == nil {
			err = errors.New("it is incomplete: it was being written when its process was killed, or is damaged")
		}
		if err != nil {
			c.Fault(name, fmt.Sprintf("line %d", number), err)
		}
		unsealed = unsealed || err == nil && condition == sealed.Unsealed
	}
	if unsealed {
		c.Unsealed = append(c.Unsealed, name)
	}
}

// List is [Check.Lines] for a file of [sealed.List]: it also notes lines that are gone.
func (c *Check) List(name string, most int64, visit func(line []byte) (sealed.Condition, error)) {
	faults, number, listed := len(c.Faults), 0, []int{}
	c.Lines(name, most, func(line []byte) (sealed.Condition, error) {
		number++
		if n := sealed.Listed(line); n > 0 {
			listed = append(listed, n)
		}
		return visit(line)
	})
	switch other := slices.IndexFunc(listed, func(n int) bool { return n != number }); {
	case len(c.Faults) > faults:
	case number == 0:
		c.Fault(name, "", "it is empty")
	case other >= 0:
		c.Fault(name, "", fmt.Sprintf("it has %d lines of a list of %d", number, listed[other]))
	}
}

// Size returns the bytes of a file, which is not read. It is negative where there is none.
func (c *Check) Size(name string) int64 {
	if !c.Has(name) {
		return -1
	}
	f, err := c.files.Open(name)
	if err != nil {
		return -1
	}
	defer f.Close()
	return f.Size()
}
