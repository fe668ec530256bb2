package memory_test

import (
	"testing"

	"go.uber.org/goleak"

	"croupier/messages/bus"
	"croupier/messages/bus/bustest"
	"croupier/messages/bus/memory"
)

func TestMemory(t *testing.T) {
	defer goleak.VerifyNone(t)
	bustest.Run(t, func(*testing.T) bus.Bus { return memory.New(bustest.Limits()) })
}
