package crew

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
)

// A desk and a worker accept any message, and their answers can be sent.
func FuzzMessages(f *testing.F) {
	for _, text := range []string{
		`{"report":{"instance":"w","processors":2,"free":1,"work":[{"desk":"d","name":"1","phase":"done","files":[{"name":"a","size":3,"sha256":""}]}]}}`,
		`{"report":{"instance":"w","processors":2,"free":2,"work":[{"desk":"d","name":"1","phase":"refused","why":"x"}],"leaving":true}}`,
		`{"orders":{"desk":"d","instance":"w","version":"1","work":[{"name":"1","processors":1,"files":[{"name":"a","size":3}]}]}}`,
		`{"orders":{"desk":"d","instance":"w","over":true}}`,
		`{"ask":{"desk":"d","instance":"w","name":"1","file":"question","offset":1}}`,
		`{"part":{"desk":"d","instance":"w","name":"1","file":"a","data":"YWJj"}}`,
	} {
		f.Add([]byte(text), []byte(text))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		now := time.Unix(1, 0)
		d := newBoard("d", "desk", "1", Period, Silence)
		d.add(now, &task{Task: Task{Title: "task", Processors: 1, Files: []File{{"question", []byte("why")}}},
			outcome: func([]File, error) {}})
		w := newBench("w", "1", 2, Period, Silence)
		w.start = func(context.Context, *job) {}
		var out []message
		for _, data := range [][]byte{first, second, first} {
			m, err := decode(data)
			if err != nil {
				continue
			}
			d.receive(now, "cellar", m)
			w.receive(t.Context(), now, m)
			now = now.Add(Period)
			d.tick(now)
			w.tick(now)
			for _, to := range d.out {
				out = append(out, to.message)
			}
			out, d.out, w.out = append(out, w.out...), nil, nil
			require.GreaterOrEqual(t, w.free(), 0)
		}
		for _, m := range out {
			data, err := encode(m)
			if err != nil {
				t.Fatal(err)
			}
			require.LessOrEqual(t, len(data), bus.MaxDatagram)
		}
	})
}
