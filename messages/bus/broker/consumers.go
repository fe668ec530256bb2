package broker

import (
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

// dropDamagedConsumers removes the consumers of a store whose description is not what its checksum says. Those who need
// one make it again, and are given at once what was not acknowledged.
//
// The server compares the checksums of streams only. A consumer with a setting that it does not know it takes for that
// of a newer server, and stops the stream for good; one whose settings are others by a flipped bit may be in the way of
// that which is to be made.
func dropDamagedConsumers(dir string, log *slog.Logger) error {
	files, err := fs.Glob(os.DirFS(dir), "jetstream/*/streams/*/obs/*/"+server.JetStreamMetaFile)
	if err != nil {
		return err
	}
	for _, file := range files {
		folder := path.Dir(file)
		consumer, stream := path.Base(folder), path.Base(path.Dir(path.Dir(folder)))
		folder = filepath.Join(dir, filepath.FromSlash(folder))
		description, err := os.ReadFile(filepath.Join(folder, server.JetStreamMetaFile))
		if err != nil {
			return err
		}
		sum, err := os.ReadFile(filepath.Join(folder, server.JetStreamMetaFileSum))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if string(sum) == consumerSum(stream, consumer, description) {
			continue
		}
		if err := os.RemoveAll(folder); err != nil {
			return fmt.Errorf("damaged consumer %s: %w", consumer, err)
		}
		log.Warn("consumer removed: its description is damaged; it is made again", "stream", stream, "consumer", consumer,
			"file", filepath.Join(folder, server.JetStreamMetaFile))
	}
	return nil
}

// consumerSum is the server's checksum of a consumer's description.
func consumerSum(stream, consumer string, description []byte) string {
	key := sha256.Sum256([]byte(stream + "/" + consumer))
	return hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, highwayhash.Sum64(description, key[:])))
}
