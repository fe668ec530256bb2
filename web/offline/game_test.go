package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine/wasm"
	"croupier/engine/wasm/wasmtest"
	"croupier/web/offline/offlinetest"
)

// Games from files play in the page as they do here: without a runtime of their own, and with Go's.
func TestFilesPlayTheSameInThePage(t *testing.T) {
	for _, name := range []string{"c/pig", "rust/liars-dice"} {
		g, _ := fromKit(t, name, "")
		own := g.(fromFile)
		offlinetest.RequireSame(t, g, offlinetest.Play(t, own.File().Bytes(), own.Numbers(), 3))
	}
	f, err := wasm.Open(wasmtest.Build(t, "../../engine/wasm/kits/go/nim"))
	require.NoError(t, err)
	g, err := f.New([]byte("misere: true"))
	require.NoError(t, err)
	offlinetest.RequireSame(t, g, offlinetest.Play(t, f.Bytes(), g.(fromFile).Numbers(), 20))
}
