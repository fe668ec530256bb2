package curves

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"croupier/internal/durable"
	"croupier/messages"
)

// Events writes curves as an event file of TensorBoard. The file is a sequence of records, each a length, its checksum,
// an event as protobuf, and its checksum (TFRecord, tensorflow/core/lib/io/record_writer.h); an event is a wall time,
// a step and a summary of tagged values (tensorflow/core/util/event.proto). A step is a number of training samples.
type Events struct {
	file *os.File
	now  func() time.Time
}

// OpenEvents begins an event file in a folder, which it makes if there is none.
func OpenEvents(folder string) (*Events, error) {
	return openEvents(folder, func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	})
}

// openEvents leaves nothing behind where the file cannot be begun.
func openEvents(folder string, create func(path string) (*os.File, error)) (e *Events, err error) {
	var draft durable.Draft
	defer func() {
		if err != nil {
			draft.Undo()
		}
	}()
	if err := draft.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	// TensorBoard reads the files of a folder in the order of their names, and knows them by the first part.
	name := fmt.Sprintf("events.out.tfevents.%010d.%d.croupier", time.Now().Unix(), os.Getpid())
	path := filepath.Join(folder, name)
	draft.Note(path)
	file, err := create(path)
	if err != nil {
		return nil, err
	}
	e = &Events{file, time.Now}
	version := protowire.AppendString(protowire.AppendTag(nil, 3, protowire.BytesType), "brain.Event:2")
	if err := e.write(0, version); err != nil {
		_ = file.Close()
		return nil, err
	}
	return e, nil
}

// Add writes the points of a message; of an interval, its ends are curves of their own, NAME/low and NAME/high.
func (e *Events) Add(p *messages.Points) error {
	var summary []byte
	add := func(tag string, v float64) {
		if finite(v) {
			value := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), tag)
			value = protowire.AppendFixed32(protowire.AppendTag(value, 2, protowire.Fixed32Type), math.Float32bits(float32(v)))
			summary = protowire.AppendBytes(protowire.AppendTag(summary, 1, protowire.BytesType), value)
		}
	}
	for _, point := range p.Points {
		add(point.Series, point.Value)
		if point.HasInterval {
			add(point.Series+"/low", point.Low)
			add(point.Series+"/high", point.High)
		}
	}
	return e.write(p.Samples, protowire.AppendBytes(protowire.AppendTag(nil, 5, protowire.BytesType), summary))
}

// Close ends the file.
func (e *Events) Close() error { return errors.Join(e.file.Sync(), e.file.Close()) }

// write appends an event with what it holds besides time and step.
func (e *Events) write(step uint64, content []byte) error {
	seconds := float64(e.now().UnixNano()) / 1e9
	event := protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), math.Float64bits(seconds))
	event = protowire.AppendVarint(protowire.AppendTag(event, 2, protowire.VarintType), step)
	event = append(event, content...)
	record := binary.LittleEndian.AppendUint64(nil, uint64(len(event)))
	record = binary.LittleEndian.AppendUint32(record, masked(record))
	record = append(record, event...)
	_, err := e.file.Write(binary.LittleEndian.AppendUint32(record, masked(event)))
	return err
}

// masked is the checksum of a record's part: CRC-32C, turned and moved so that checksums of checksums differ.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}
