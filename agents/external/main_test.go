package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/supervise"
)

// TestMain is an agent where a test wants one: the test binary with "agent BEHAVIOUR".
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "unsupervised" {
		fmt.Println(asking(os.Args[2]))
		return
	}
	supervise.Main()
	if len(os.Args) == 3 && os.Args[1] == "agent" {
		speak(os.Args[2])
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // under the race detector agents would need a second to end
	os.Exit(m.Run())
}

// asking asks an agent for a decision and says how it went.
func asking(name string) (string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	game, err := standard.Games.New("kuhn", nil)
	if err != nil {
		return "", err
	}
	a, err := Open(ctx, game, name)
	if err != nil {
		return "", err
	}
	s := game.NewState()
	if err := errors.Join(s.Apply(0), s.Apply(1)); err != nil {
		return "", err
	}
	a.Policy(ctx).Choose(s, s.LegalActions(nil), engine.NewRNG(1, 1))
	return a.Conduct(), nil
}

// speak is an agent with the given behaviour.
func speak(behaviour string) {
	if behaviour == "deaf" {
		time.Sleep(time.Hour)
	}
	if behaviour == "banner" {
		fmt.Println("Welcome")
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line, ok := respond(behaviour, in.Bytes())
		if ok {
			fmt.Println(line)
		}
		if behaviour == "polite" && strings.Contains(in.Text(), `"quit"`) {
			return
		}
	}
	if behaviour == "stubborn" {
		time.Sleep(time.Hour)
	}
}

// moves counts the decisions of an agent that forgets to distinguish games.
var moves int

// respond is an answer to a message.
func respond(behaviour string, message []byte) (line string, ok bool) {
	var q Question
	if err := json.Unmarshal(message, &q); err != nil {
		panic(err)
	}
	switch q.Type {
	case TypeHello:
		switch behaviour {
		case "old":
			return `{"protocol":0}`, true
		case "worth", "nan", "worth twice":
			return `{"protocol":1,"unit":"antes"}`, true
		case "banner after":
			return `{"protocol":1}` + "\nWelcome", true
		}
		return `{"protocol":1,"name":"` + behaviour + `","later":true}`, true
	case TypeValues:
		line := fmt.Sprintf(`{"id":%d,"values":[0.5,-0.25]}`, q.ID)
		if behaviour == "worth twice" {
			line += "\n" + line
		}
		return line, true
	case TypeQuit:
		return "bye", behaviour == "answers quit"
	case TypeEnd:
		if behaviour == "answers end" {
			return "{}", true
		}
		if behaviour == "muddled" {
			moves = 0
		}
		return "", false
	case TypeChoose:
	default:
		return "", false
	}
	moves++
	chosen := q.Legal[rand.New(rand.NewPCG(q.Seed, 0)).IntN(len(q.Legal))].Action
	switch behaviour {
	case "slow":
		time.Sleep(time.Hour)
	case "illegal":
		chosen = 1 << 20
	case "garbage":
		return "let me think", true
	case "long":
		return strings.Repeat("x", 1<<20), true
	case "dies":
		fmt.Fprintln(os.Stderr, "no more\ncards")
		os.Exit(3)
	case "moody":
		chosen = q.Legal[rand.IntN(len(q.Legal))].Action
	case "forgetful", "muddled":
		chosen = q.Legal[moves%len(q.Legal)].Action
	case "hungry":
		fat := make([]byte, 4<<30) // address space is enough
		fat[0] = 1
	case "late answer":
		return fmt.Sprintf(`{"id":%d,"action":%d}`, q.ID-1, chosen), true
	case "twice":
		line = fmt.Sprintf(`{"id":%d,"action":%d}`, q.ID, chosen)
		return line + "\n" + line, true
	case "nan":
		return fmt.Sprintf(`{"id":%d,"action":%d,"values":[1e999]}`, q.ID, chosen), true
	}
	return fmt.Sprintf(`{"id":%d,"action":%d}`, q.ID, chosen), true
}
