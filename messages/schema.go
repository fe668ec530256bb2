package messages

import (
	"fmt"
	"sync/atomic"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// The schema versions that this program reads. SchemaVersion, the newest, goes up when a
// reader of the version before could misunderstand a message; fields that are merely added
// leave it as it is. OldestSchema goes up when messages of a version are no longer read.
const (
	OldestSchema  = 1
	SchemaVersion = 1
)

// newest is the newest schema version that this process reads. The program of the fault tests, which has to be that of
// the next version, counts it up (tests/faults/testdata/schema.go.txt).
var newest uint32 = SchemaVersion

// NewestSchema is the newest schema version that this process reads: SchemaVersion.
func NewestSchema() uint32 { return newest }

// written is the schema in which this process writes, 0 for OldestSchema.
var written atomic.Uint32

// WrittenSchema is the schema version in which this process writes, that of its run: all
// processes of the run read it, also while they are upgraded one by one. A process serves one
// run.
func WrittenSchema() uint32 { return max(OldestSchema, written.Load()) }

// WriteSchema has this process write in the schema of its run. It fails if this program is too
// old or too new for that.
func WriteSchema(version uint32) error {
	if version < OldestSchema || version > newest {
		return fmt.Errorf("the run has messages of schema %d, and this program reads %s: run another version of it",
			version, readable())
	}
	written.Store(version)
	return nil
}

// readable names the schemas that this program reads.
func readable() string {
	if OldestSchema == newest {
		return fmt.Sprintf("version %d", newest)
	}
	return fmt.Sprintf("versions %d to %d", OldestSchema, newest)
}

// checkSchema refuses a message of a schema that this program does not read.
func checkSchema(m Message) error {
	if v := m.GetSchema(); v < OldestSchema || v > newest {
		return Refuse(ReasonSchema, "version %d, this program reads %s", v, readable())
	}
	return nil
}

// stamp gives a message the schema in which this process writes.
func stamp(m Message) {
	if m.GetSchema() == WrittenSchema() {
		return
	}
	r := m.ProtoReflect()
	r.Set(r.Descriptor().Fields().ByName("schema"), protoreflect.ValueOfUint32(WrittenSchema()))
}
