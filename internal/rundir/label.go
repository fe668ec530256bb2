package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"croupier/internal/check"
	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/sealed"
	"croupier/internal/strict"
	"croupier/internal/visible"
)

// Label is the name and note that people give a run. They identify nothing: two runs may have the same.
type Label struct {
	Name string `json:"name"` // one line; "": none
	Note string `json:"note"` // some lines; "": none
}

const (
	LabelFile = "label.json"
	labelRole = "label" // whose lock the writer of the file holds

	maxName = 80   // characters
	maxNote = 4000 // characters
)

// ReadLabel reads the label of a run, which is empty where it has none.
func ReadLabel(path string) (Label, error) {
	var l Label
	file := filepath.Join(path, LabelFile)
	doc, err := regular.Read(file, maxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		if _, err = sealed.OpenDocument(doc, &l); err == nil {
			err = l.check()
		}
	}
	if err != nil {
		return Label{}, fmt.Errorf("%s: %w", file, err)
	}
	return l, nil
}

// Relabel replaces the label of a run by what change makes of it, while no other process does. A damaged one is put
// aside, and change is called with an empty label.
func Relabel(path string, change func(Label) (Label, error)) error {
	if _, err := ReadInfo(path); err != nil {
		return err
	}
	lock, err := Lock(path, labelRole)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := durable.Sweep(path, LabelFile); err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	before, damage := ReadLabel(path)
	after, err := change(before)
	if err != nil {
		return err
	}
	after.Name = strings.TrimSpace(after.Name)
	after.Note = strings.TrimSpace(strings.ReplaceAll(after.Note, "\r\n", "\n"))
	if err := after.check(); err != nil {
		return err
	}
	doc, err := sealed.Document(after)
	if err != nil {
		return err
	}
	file := filepath.Join(path, LabelFile)
	if damage != nil {
		if err := os.Rename(file, fresh(file+DamagedSuffix+"1")); err != nil {
			return fmt.Errorf("%w; it cannot be put aside: %w", damage, err)
		}
	}
	return durable.WriteFile(file, doc)
}

// check returns an error that is one of the field.
func (l Label) check() error {
	switch {
	case strings.ContainsAny(l.Name, "\n\t") || visible.Text(l.Name) != l.Name:
		return strict.Errorf("name", "a name is one line without control characters, not %.60q", l.Name)
	case utf8.RuneCountInString(l.Name) > maxName:
		return strict.Errorf("name", "it has %d characters; a name has at most %d", utf8.RuneCountInString(l.Name), maxName)
	case visible.Text(l.Note) != l.Note:
		return strict.Errorf("note", "a note has no control characters but ends of lines and tabs")
	case utf8.RuneCountInString(l.Note) > maxNote:
		return strict.Errorf("note", "it has %d characters; a note has at most %d", utf8.RuneCountInString(l.Note), maxNote)
	}
	return nil
}

// checkLabel notes what is wrong with the label, if there is one.
func checkLabel(c *check.Check) {
	if !c.Has(LabelFile) {
		return
	}
	doc, ok := c.ReadFile(LabelFile, maxDocument)
	if !ok {
		return
	}
	var l Label
	condition, err := sealed.OpenDocument(doc, &l)
	if c.Sealed(LabelFile, condition, err) {
		if err := l.check(); err != nil {
			c.Fault(LabelFile, "", err)
		}
	}
}
