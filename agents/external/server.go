package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"croupier/internal/dialogue"
	"croupier/internal/reach"
)

// server is an agent that answers HTTP requests: each message is the body of a POST, the answer
// that of its response.
type server struct {
	url    string
	token  string // "": none
	client *http.Client
}

func newServer(url, token string) *server {
	return &server{url, token, &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 1, Proxy: http.ProxyFromEnvironment},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("it answers with a redirect, which is not followed")
		},
	}}
}

// Ask posts a request.
func (s *server) Ask(ctx context.Context, request []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(request))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, reach.Explain(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode == http.StatusUnauthorized && s.token == "":
		return nil, fmt.Errorf("%s: it requires a token: the file that %s names has none for it", answer.Status,
			CredentialsVariable)
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: %s", answer.Status, dialogue.Quote(body))
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("its answer is longer than %d KiB", maxAnswer>>10)
	}
	return body, nil
}

// Tell posts what is not answered.
func (s *server) Tell(request []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), dialogue.Grace)
	defer cancel()
	_, _ = s.Ask(ctx, request)
}

// Close forgets the connection. A server says nothing without being asked.
func (s *server) Close() []byte {
	s.client.CloseIdleConnections()
	return nil
}
