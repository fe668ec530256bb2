package policy

import (
	"fmt"
	"strconv"
	"strings"

	"croupier/engine"
)

// Temperature, 0 to 10, is the way a trained network plays: it draws an action with a probability
// proportional to π^(1/T), where π are the probabilities it was trained to. 0 takes the
// likeliest action, the lowest of equally likely ones.
type Temperature float64

// Usual temperatures.
const (
	Greedy  Temperature = 0 // the likeliest action
	Sampled Temperature = 1 // as in training

	maxTemperature = 10
)

// greedyPrefix begins the name of a network that plays greedily.
const greedyPrefix = "greedy:"

// Of names the agent that plays the network at the temperature: "greedy:main@12",
// "temperature(0.5):main@12", and just "main@12" if it samples.
func (t Temperature) Of(network string) string {
	switch t {
	case Greedy:
		return greedyPrefix + network
	case Sampled:
		return network
	}
	return "temperature(" + strconv.FormatFloat(float64(t), 'g', -1, 64) + "):" + network
}

// String describes how a network plays.
func (t Temperature) String() string {
	switch t {
	case Greedy:
		return "greedy"
	case Sampled:
		return "sampled"
	}
	return fmt.Sprintf("temperature %v", float64(t))
}

// CutTemperature splits the name of an agent into the temperature and the network that plays at
// it. Names without a temperature come back as they are, with Sampled. There is one name for
// each temperature, so that an agent cannot be on a ladder twice.
func CutTemperature(agent string) (t Temperature, network string, err error) {
	head, network, ok := strings.Cut(agent, ":")
	switch {
	case ok && head+":" == greedyPrefix:
		t = Greedy
	case ok && strings.HasPrefix(head, "temperature"):
		_, numbers, err := engine.ParseCall(head)
		if err != nil {
			return 0, "", err
		}
		if len(numbers) != 1 || !(numbers[0] > 0 && numbers[0] <= maxTemperature) {
			return 0, "", fmt.Errorf("%q: a temperature is one number above 0 and at most %d", head, maxTemperature)
		}
		t = Temperature(numbers[0])
	default:
		return Sampled, agent, nil
	}
	switch {
	case network == "":
		return 0, "", fmt.Errorf("%q does not say which network plays; it must look like greedy:main@12", agent)
	case t.Of(network) != agent:
		return 0, "", fmt.Errorf("%q is called %q", agent, t.Of(network))
	}
	return t, network, nil
}
