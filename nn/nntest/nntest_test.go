package nntest

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/nn"
)

func TestDescriptionsHaveEveryKey(t *testing.T) {
	fields := reflect.TypeFor[nn.Description]()
	for i := range fields.NumField() {
		has := func(d nn.Description) bool { return !reflect.ValueOf(d).Field(i).IsZero() }
		require.True(t, slices.ContainsFunc(Descriptions, has), "none of the descriptions has %s", fields.Field(i).Name)
	}
	for _, d := range Descriptions {
		_, err := nn.NewLayout(d, Spec)
		require.NoError(t, err)
	}
}
