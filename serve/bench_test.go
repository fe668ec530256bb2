package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/httpserve"
	"croupier/internal/platform"
	"croupier/nn"
)

// BenchmarkDecisions measures whole requests over TCP with the reference network R128, clients included; with
// -cpu 1 all of it shares one core.
func BenchmarkDecisions(b *testing.B) {
	r128 := nn.Description{Dense: []int{128}, LSTM: []int{128}}
	for _, game := range []string{"bank", "leduc"} {
		for _, clients := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("%s/clients=%d", game, clients), func(b *testing.B) {
				benchmark(b, newServer(b, game, r128), clients)
			})
		}
	}
}

func benchmark(b *testing.B, s *Server, clients int) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- httpserve.Serve(ctx, listener, 128, nil, s.Handler(nil, nil), slog.New(slog.DiscardHandler))
	}()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	url, position := "http://"+listener.Addr().String()+"/api/decide", engine.ExampleOf(s.game)
	b.SetParallelism(clients)
	began := platform.ProcessorTime()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			answer, err := client.Post(url, "application/json", bytes.NewReader(position))
			if err != nil || answer.StatusCode != http.StatusOK {
				b.Error(answer, err)
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	b.ReportMetric(float64(b.N)/(platform.ProcessorTime()-began).Seconds(), "decisions/cpu-s")
	client.CloseIdleConnections()
	cancel()
	require.NoError(b, <-ended)
}
