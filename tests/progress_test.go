package tests

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
)

// reached is how far a run is: its version, its results, and the decisions of each actor by the name that the test
// gives it.
type reached struct {
	version, results uint64
	decisions        map[string]float64
}

// readProgress asks the bus for the version and the results.
func readProgress(ctx context.Context, b bus.Bus) (reached, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	p := reached{decisions: map[string]float64{}}
	entry, err := b.State().Get(ctx, messages.PointerKey("main"))
	if err != nil {
		return p, err
	}
	var pointer messages.Pointer
	if err := messages.Decode(entry.Value, &pointer); err != nil {
		return p, err
	}
	info, err := b.Info(ctx, bus.Results)
	p.version, p.results = pointer.Version, info.Last
	return p, err
}

// since returns an error until the learner has published, results have come and every actor has played.
func (p reached) since(before reached) error {
	if p.version < before.version+2 || p.results < before.results+3 {
		return fmt.Errorf("version %d and %d results, from %d and %d", p.version, p.results, before.version, before.results)
	}
	for actor, decisions := range p.decisions {
		if decisions <= before.decisions[actor] {
			return fmt.Errorf("%s does not play: %v decisions", actor, decisions)
		}
	}
	return nil
}

// pageAnswers asks for the page at an address, under its own name if host is "".
func pageAnswers(address, host string) error {
	request, err := http.NewRequest(http.MethodGet, "http://"+address+"/", nil)
	if err != nil {
		return err
	}
	request.Host = host
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the page answers %s", answer.Status)
	}
	return nil
}
