package broker

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/minio/highwayhash"

	"croupier/internal/durable"
	"croupier/internal/rundir"
)

const (
	blockName   = "%d.blk"
	compressed  = "cmp"      // with this a compressed block begins, which only a store of another program has
	streamIndex = "index.db" // in the folder of the blocks; the server makes it again from them
	// A record is its length with a bit for headers, sequence, time, length of the subject; then subject, length of the
	// headers and headers if there are any, message and checksum.
	recordHeader = 4 + 8 + 8 + 2
	headersSize  = 4
	checksumSize = highwayhash.Size64
	hasHeaders   = 1 << 31
)

// dropDamagedMessages takes messages that are not as they were written out of the blocks of a store, and keeps the
// former block under another name, outside the folder of the blocks. Roles write again what the run directory has.
//
// The server compares checksums only when it reads a message. A stream with a damaged one takes no further messages,
// and with a sequence far too large the server runs out of memory while it starts. The end of the newest block is left
// to it: there a message may be half written, which it cuts off.
func dropDamagedMessages(dir string, log *slog.Logger) error {
	folders, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*", "msgs"))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		blocks, err := blocksIn(folder)
		if err != nil {
			return err
		}
		stream := filepath.Base(filepath.Dir(folder))
		for i, block := range blocks {
			if err := mendBlock(folder, stream, block, i == len(blocks)-1, log); err != nil {
				return fmt.Errorf("stream %s: %w", stream, err)
			}
		}
	}
	return nil
}

// blocksIn returns the numbers of the blocks in a folder, ascending.
func blocksIn(folder string) (blocks []int, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), blockName, &n); err == nil && e.Name() == fmt.Sprintf(blockName, n) {
			blocks = append(blocks, n)
		}
	}
	slices.Sort(blocks)
	return blocks, nil
}

// mendBlock replaces a block of a stream that has damaged messages by one without them.
func mendBlock(folder, stream string, number int, newest bool, log *slog.Logger) error {
	name := fmt.Sprintf(blockName, number)
	path := filepath.Join(folder, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(data, []byte(compressed)) {
		return nil
	}
	intact, places, atEnd := intactRecords(data, fmt.Sprintf("%s-%d", stream, number))
	if places == 0 || places == 1 && atEnd && newest {
		return nil
	}
	aside, err := putAside(filepath.Join(filepath.Dir(folder), name), data)
	if err != nil {
		return err
	}
	// Without its index the server reads the blocks. It must not find that of the former block next to the new one.
	if err := os.Remove(filepath.Join(folder, streamIndex)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := durable.WriteFile(path, intact); err != nil {
		return err
	}
	log.Warn("damaged messages removed from the broker's store; what the run directory has is written again",
		"stream", stream, "file", path, "places", places, "bytes", len(data)-len(intact), "as", aside)
	return nil
}

// putAside writes data under a name that is free, and returns it.
func putAside(path string, data []byte) (aside string, err error) {
	for n := 1; ; n++ {
		aside = fmt.Sprint(path, rundir.DamagedSuffix, n)
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, durable.WriteFile(aside, data)
		}
	}
}

// intactRecords returns the records of a block that are as they were written, the number of places between them that
// are not, and whether the last of these is at the end. The name is that by which the server distinguishes blocks.
func intactRecords(data []byte, name string) (intact []byte, places int, atEnd bool) {
	key := sha256.Sum256([]byte(name))
	for at := 0; at < len(data); {
		if n := recordAt(data[at:], key[:]); n > 0 {
			intact = append(intact, data[at:at+n]...)
			at += n
			atEnd = false
			continue
		}
		if !atEnd {
			places++
		}
		atEnd = true
		at++
	}
	return intact, places, atEnd
}

// recordAt returns the length of the record with which data begins, 0 if it is not as it was written.
func recordAt(data, key []byte) int {
	if len(data) < recordHeader+checksumSize {
		return 0
	}
	length, subject := binary.LittleEndian.Uint32(data), int(binary.LittleEndian.Uint16(data[recordHeader-2:]))
	size := int(length &^ hasHeaders)
	if size < recordHeader+subject+checksumSize || size > len(data) {
		return 0
	}
	body := data[recordHeader : size-checksumSize]
	message := body[subject:]
	if length&hasHeaders != 0 {
		if len(message) < headersSize {
			return 0
		}
		message = message[headersSize:]
	}
	hash, err := highwayhash.New64(key)
	if err != nil {
		return 0
	}
	for _, part := range [][]byte{data[4 : recordHeader-2], body[:subject], message} {
		_, _ = hash.Write(part) // it never fails
	}
	if !bytes.Equal(hash.Sum(nil), data[size-checksumSize:size]) {
		return 0
	}
	return size
}
