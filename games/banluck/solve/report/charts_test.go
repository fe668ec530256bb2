package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
)

// full is a call whose disk is full after some files.
type full struct {
	catalog.Call
	left int
}

var errFull = errors.New("no space left on device")

func (f *full) Write(path string, write func(io.Writer) error) error {
	if f.left--; f.left < 0 {
		return errFull
	}
	return os.WriteFile(path, []byte("chart"), 0o600)
}

// Charts that cannot all be written leave neither files nor a folder, and take nothing away that was there.
func TestChartsThatCannotBeWrittenLeaveNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "charts")
	require.ErrorIs(t, writeCharts(&full{left: 3}, dir, []Chart{{Name: "first"}, {Name: "second"}}), errFull)
	require.NoDirExists(t, filepath.Dir(dir))

	require.NoError(t, writeCharts(&full{left: 2}, dir, []Chart{{Name: "first"}}))
	require.ErrorIs(t, writeCharts(&full{left: 3}, dir, []Chart{{Name: "first"}, {Name: "second"}}), errFull)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, "first.png first.svg", strings.ReplaceAll(strings.Join(files, " "), dir+string(filepath.Separator), ""))
}
