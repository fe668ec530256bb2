package webtest

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	declaration = regexp.MustCompile(`(?ms)^interface (\w+) \{\n(.*?)^\}`)
	member      = regexp.MustCompile(`(?m)^  (\w+)(\??):`)
)

// Declares requires that a file of types, by which scripts are checked, declares under these names the fields that the
// documents have as JSON, in whatever order.
func Declares(t *testing.T, file string, documents map[string]any) {
	t.Helper()
	doc, err := os.ReadFile(file)
	require.NoError(t, err)
	declared := map[string][]string{}
	for _, d := range declaration.FindAllStringSubmatch(string(doc), -1) {
		for _, m := range member.FindAllStringSubmatch(d[2], -1) {
			declared[d[1]] = append(declared[d[1]], m[1]+m[2])
		}
	}
	for name, document := range documents {
		require.ElementsMatch(t, fieldsOf(reflect.TypeOf(document)), declared[name], name)
	}
}

// fieldsOf lists the fields of a document's JSON, with "?" where they may be left out.
func fieldsOf(document reflect.Type) (fields []string) {
	for i := range document.NumField() {
		field := document.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			fields = append(fields, fieldsOf(field.Type)...)
		case field.Anonymous: // a part that is there as a whole or not at all
			for _, name := range fieldsOf(field.Type.Elem()) {
				fields = append(fields, name+"?")
			}
		case slices.Contains([]string{"omitempty", "omitzero"}, options):
			fields = append(fields, name+"?")
		default:
			fields = append(fields, name)
		}
	}
	return fields
}
