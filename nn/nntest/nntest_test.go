package nntest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDescriptionsHaveEveryKey(t *testing.T) {
	RequireEveryKey(t, Descriptions)
	for _, d := range Descriptions {
		require.NotEmpty(t, Network(t, d, Spec).Weights)
	}
}
