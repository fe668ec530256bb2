//go:build race

package kernel

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryFunctionIsWatched: none of a set's functions is the assembly itself, so that a new one is not forgotten.
func TestEveryFunctionIsWatched(t *testing.T) {
	sets := native()
	for i, w := range watched(sets) {
		t.Run(w.name, func(t *testing.T) {
			requireWatched(t, reflect.ValueOf(sets[i]).Elem(), reflect.ValueOf(w).Elem())
			if w.bf16 != nil {
				requireWatched(t, reflect.ValueOf(sets[i].bf16).Elem(), reflect.ValueOf(w.bf16).Elem())
			}
		})
	}
}

func requireWatched(t *testing.T, set, watched reflect.Value) {
	different := func(name string, a, b reflect.Value) {
		if !a.IsNil() {
			require.NotEqual(t, a.Pointer(), b.Pointer(), "%s is not watched", name)
		}
	}
	functions := 0
	for i := range set.NumField() {
		name, a, b := set.Type().Field(i).Name, set.Field(i), watched.Field(i)
		switch {
		case a.Kind() == reflect.Func:
			different(name, a, b)
			functions++
		case a.Kind() == reflect.Slice && a.Type().Elem().Kind() == reflect.Func:
			require.Equal(t, a.Len(), b.Len(), name)
			for k := range a.Len() {
				different(fmt.Sprintf("%s[%d]", name, k), a.Index(k), b.Index(k))
				functions++
			}
		}
	}
	require.NotZero(t, functions)
}
