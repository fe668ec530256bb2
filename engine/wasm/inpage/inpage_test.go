package inpage

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbers(t *testing.T) {
	numbers, err := Choice{Game: "pig", Rules: json.RawMessage(`{"target":20}`)}.Numbers()
	require.NoError(t, err)
	text := `{"game":"pig","rules":{"target":20}}`
	require.Len(t, numbers, 1+len(text))
	require.Equal(t, int32(len(text)), numbers[0])
	for i, b := range []byte(text) {
		require.Equal(t, int32(b), numbers[1+i])
	}
	_, err = Choice{Rules: json.RawMessage(`"` + strings.Repeat("x", mostRules) + `"`)}.Numbers()
	require.ErrorContains(t, err, "a page holds 65536")
	_, err = Choice{Rules: json.RawMessage(`{`)}.Numbers()
	require.Error(t, err)
}
