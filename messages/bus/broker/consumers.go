package broker

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"

	"github.com/minio/highwayhash"
	"github.com/nats-io/nats-server/v2/server"
)

// dropDamagedConsumers removes the consumers of a store whose description is not what its checksum says, or whose
// state, which has none, cannot be one. Those who need one make it again, and are given at once what was not
// acknowledged.
//
// The server compares the checksums of streams only. A consumer with a setting that it does not know it takes for that
// of a newer server, and stops the stream for good; one whose settings are others by a flipped bit may be in the way of
// that which is to be made; and one whose state is torn it neither opens nor makes again.
func dropDamagedConsumers(dir string, log *slog.Logger) error {
	files, err := fs.Glob(os.DirFS(dir), "jetstream/*/streams/*/obs/*/"+server.JetStreamMetaFile)
	if err != nil {
		return err
	}
	for _, file := range files {
		folder := path.Dir(file)
		consumer, stream := path.Base(folder), path.Base(path.Dir(path.Dir(folder)))
		folder = filepath.Join(dir, filepath.FromSlash(folder))
		damaged, err := damagedFile(folder, stream, consumer)
		if err != nil {
			return err
		}
		if damaged == "" {
			continue
		}
		if err := os.RemoveAll(folder); err != nil {
			return fmt.Errorf("damaged consumer %s: %w", consumer, err)
		}
		log.Warn("consumer removed: a file of it is damaged; it is made again", "stream", stream, "consumer", consumer,
			"file", filepath.Join(folder, damaged))
	}
	return nil
}

// damagedFile names the file of a consumer that is damaged, "" for none.
func damagedFile(folder, stream, consumer string) (name string, err error) {
	description, err := os.ReadFile(filepath.Join(folder, server.JetStreamMetaFile))
	if err != nil {
		return "", err
	}
	sum, err := os.ReadFile(filepath.Join(folder, server.JetStreamMetaFileSum))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if string(sum) != consumerSum(stream, consumer, description) {
		return server.JetStreamMetaFile, nil
	}
	state, err := os.ReadFile(filepath.Join(folder, consumerState))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if len(state) > 0 && !isConsumerState(state) {
		return consumerState, nil
	}
	return "", nil
}

const (
	// consumerState is the server's file of what a consumer has delivered.
	consumerState = "o.dat"
	// stateMark and stateVersion are its first two bytes.
	stateMark, stateVersion = 22, 2
)

// isConsumerState reports whether the bytes can be the state of a consumer: where it is, by its own count and in the
// stream, with what was acknowledged and delivered, then what waits for an acknowledgement, then what was delivered
// again.
func isConsumerState(state []byte) bool {
	if len(state) < 2 || state[0] != stateMark || state[1] > stateVersion {
		return false
	}
	if state[1] < stateVersion {
		return true // of an older server, which counted otherwise
	}
	in := bytes.NewReader(state[2:])
	var torn error
	number := func() uint64 {
		n, err := binary.ReadUvarint(in)
		torn = errors.Join(torn, err)
		return n
	}
	var acknowledged, delivered [2]uint64 // by the consumer's count, in the stream
	for _, mark := range []*[2]uint64{&acknowledged, &delivered} {
		mark[0], mark[1] = number(), number()
	}
	waiting := number()
	plausible := acknowledged[0] <= delivered[0] && acknowledged[1] <= delivered[1] && delivered[1]>>63 == 0
	if waiting > 0 {
		number() // a time, which may be anything
	}
	for range waiting {
		sequence := number() + acknowledged[1]
		count := number() + acknowledged[0]
		number() // a time
		if torn != nil || sequence > delivered[1] || count > delivered[0] {
			return false
		}
	}
	for range number() {
		sequence := number() + acknowledged[1]
		number() // how often
		if torn != nil || sequence > delivered[1] {
			return false
		}
	}
	return torn == nil && plausible && in.Len() == 0
}

// consumerSum is the server's checksum of a consumer's description.
func consumerSum(stream, consumer string, description []byte) string {
	key := sha256.Sum256([]byte(stream + "/" + consumer))
	return hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, highwayhash.Sum64(description, key[:])))
}
