package nn

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"croupier/internal/strict"
)

// Parts of the safetensors format (huggingface.co/docs/safetensors).
const (
	metadataKey    = "__metadata__"
	float32Type    = "F32"
	bytesType      = "U8"
	lengthBytes    = 8
	maxHeaderBytes = 1 << 20
	maxDimensions  = 8 // of a tensor

	// ChecksumKey is the metadata entry that holds the SHA-256 of the whole file, in
	// hexadecimal, computed with zeros in place of its own digits.
	ChecksumKey    = "sha256"
	checksumDigits = 2 * sha256.Size
)

// ErrChecksum is wrapped by the error for a file whose content is not what was written.
var ErrChecksum = errors.New("checksum does not match: the file is damaged or was changed")

// Tensor is a named row-major array of numbers, or of bytes.
type Tensor struct {
	Name  string    // unique in its file
	Shape []int     // lengths of its dimensions, the last one contiguous
	Data  []float32 // as many as the product of Shape
	Bytes []byte    // as many as that; unless nil, there is no Data
}

// kind returns the tensor's type, the bytes that an element takes, and the number of elements.
func (t *Tensor) kind() (name string, width, n int) {
	if t.Bytes != nil {
		return bytesType, 1, len(t.Bytes)
	}
	return float32Type, 4, len(t.Data)
}

// entry is a tensor's line in the header.
type entry struct {
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"` // begin and end, in bytes from the beginning of the data section
}

// EncodeTensors returns a safetensors file with the tensors, in the given order, as
// float32 or bytes. It adds "sha256", the checksum that DecodeTensors requires, to the metadata.
func EncodeTensors(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	data, err := encodeTensors(metadata, tensors)
	if err != nil {
		return nil, fmt.Errorf("encode tensors: %w", err)
	}
	return data, nil
}

func encodeTensors(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	zeros := strings.Repeat("0", checksumDigits)
	header, size, err := encodeHeader(metadata, tensors, zeros)
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, lengthBytes+len(header)+size)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(header)))
	data = append(data, header...)
	for _, t := range tensors {
		data = append(data, t.Bytes...)
		for _, v := range t.Data {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
	}
	place, err := checksumPlace(data[:lengthBytes+len(header)], zeros)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	hex.Encode(place, sum[:])
	return data, nil
}

// encodeHeader returns the padded header with the given checksum in the metadata,
// and the size of the data section in bytes.
func encodeHeader(metadata map[string]string, tensors []Tensor, checksum string) (doc []byte, size int, err error) {
	withChecksum := map[string]string{}
	maps.Copy(withChecksum, metadata)
	withChecksum[ChecksumKey] = checksum
	header := map[string]any{metadataKey: withChecksum}
	for _, t := range tensors {
		if _, repeated := header[t.Name]; repeated {
			return nil, 0, fmt.Errorf("the name %q is repeated or reserved", t.Name)
		}
		kind, width, values := t.kind()
		if n, ok := elements(t.Shape); !ok || n != values {
			return nil, 0, fmt.Errorf("%s has shape %v but %d values", t.Name, t.Shape, values)
		}
		end := size + width*values
		shape := append([]int{}, t.Shape...) // never nil: JSON must have a list, not null
		header[t.Name] = entry{Type: kind, Shape: shape, Offsets: []int{size, end}}
		size = end
	}
	if doc, err = json.Marshal(header); err != nil {
		return nil, 0, err
	}
	for len(doc)%8 != 0 {
		doc = append(doc, ' ')
	}
	if len(doc) > maxHeaderBytes {
		return nil, 0, fmt.Errorf("a header of %d bytes is more than the limit of %d", len(doc), maxHeaderBytes)
	}
	return doc, size, nil
}

// DecodeTensors reads a file written by EncodeTensors. It checks every length before
// allocating anything for it, so memory stays within a small multiple of the file's size.
// The tensors are returned in the order of their data.
func DecodeTensors(data []byte) (metadata map[string]string, tensors []Tensor, err error) {
	metadata, tensors, err = decodeTensors(data)
	if err != nil {
		return nil, nil, fmt.Errorf("decode tensors: %w", err)
	}
	return metadata, tensors, nil
}

func decodeTensors(data []byte) (map[string]string, []Tensor, error) {
	if len(data) <= lengthBytes {
		return nil, nil, fmt.Errorf("a file of %d bytes is too short for a safetensors file", len(data))
	}
	length := binary.LittleEndian.Uint64(data)
	if data[lengthBytes] != '{' { // of the header, a JSON object
		return nil, nil, errors.New("it is not a safetensors file as croupier export writes it (without --format onnx)")
	}
	if length > maxHeaderBytes {
		return nil, nil, fmt.Errorf("a header of %d bytes is more than the limit of %d", length, maxHeaderBytes)
	}
	if length > uint64(len(data)-lengthBytes) {
		return nil, nil, fmt.Errorf("a header of %d bytes in a file of %d: truncated", length, len(data))
	}
	head, body := data[:lengthBytes+length], data[lengthBytes+length:]
	metadata, entries, err := decodeHeader(head[lengthBytes:])
	if err != nil {
		return nil, nil, err
	}
	names, err := checkEntries(entries, len(body))
	if err != nil {
		return nil, nil, err
	}
	if err := verify(head, body, metadata[ChecksumKey]); err != nil {
		return nil, nil, err
	}
	tensors := make([]Tensor, len(names))
	for i, name := range names {
		e := entries[name]
		tensors[i] = Tensor{Name: name, Shape: e.Shape}
		if content := body[e.Offsets[0]:e.Offsets[1]]; e.Type == bytesType {
			tensors[i].Bytes = bytes.Clone(content)
		} else {
			tensors[i].Data = decodeFloats(content)
		}
	}
	return metadata, tensors, nil
}

func decodeHeader(doc []byte) (map[string]string, map[string]entry, error) {
	var header map[string]json.RawMessage
	if err := strict.Unmarshal(doc, &header); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	var metadata map[string]string
	entries := make(map[string]entry, len(header))
	for name, raw := range header {
		if name == metadataKey {
			if err := strictJSON(raw, &metadata); err != nil {
				return nil, nil, fmt.Errorf("header: %s: %w", metadataKey, err)
			}
			continue
		}
		var e entry
		if err := strictJSON(raw, &e); err != nil {
			return nil, nil, fmt.Errorf("header: tensor %.80q: %w", name, err)
		}
		if len(e.Offsets) != 2 {
			return nil, nil, fmt.Errorf("header: tensor %.80q: data_offsets has %d numbers, not 2", name, len(e.Offsets))
		}
		if len(e.Shape) > maxDimensions {
			return nil, nil, fmt.Errorf("header: tensor %.80q: %d dimensions are more than the limit of %d",
				name, len(e.Shape), maxDimensions)
		}
		entries[name] = e
	}
	return metadata, entries, nil
}

func strictJSON(raw []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return strict.PlainJSON(dec.Decode(v))
}

// checkEntries checks types and shapes, and that the tensors fill size bytes without gap or
// overlap. It returns the names in the order of the data.
func checkEntries(entries map[string]entry, size int) ([]string, error) {
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		x, y := entries[a].Offsets, entries[b].Offsets
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(a, b))
	})
	next := 0
	for _, name := range names {
		e := entries[name]
		begin, end := e.Offsets[0], e.Offsets[1]
		width := map[string]int{float32Type: 4, bytesType: 1}[e.Type]
		if width == 0 {
			return nil, fmt.Errorf("tensor %.80q: type %.80q is neither %s nor %s", name, e.Type, float32Type, bytesType)
		}
		if begin != next || end < begin || end > size {
			return nil, fmt.Errorf("tensor %.80q: bytes %d to %d do not follow byte %d within the %d of the data",
				name, begin, end, next, size)
		}
		if n, ok := elements(e.Shape); !ok || n > size || width*n != end-begin {
			return nil, fmt.Errorf("tensor %.80q: shape %v does not take %d bytes", name, e.Shape, end-begin)
		}
		next = end
	}
	if next != size {
		return nil, fmt.Errorf("the tensors take %d of %d bytes of data", next, size)
	}
	return names, nil
}

// elements returns the product of the shape, and false for a negative or enormous one.
func elements(shape []int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// verify compares the file's checksum with the one its metadata states.
func verify(head, body []byte, stated string) error {
	if len(stated) != checksumDigits {
		return fmt.Errorf("metadata: %s: %.80q is not a checksum", ChecksumKey, stated)
	}
	head = bytes.Clone(head)
	place, err := checksumPlace(head, stated)
	if err != nil {
		return err
	}
	for i := range place {
		place[i] = '0'
	}
	h := sha256.New()
	h.Write(head)
	h.Write(body)
	if hex.EncodeToString(h.Sum(nil)) != stated {
		return ErrChecksum
	}
	return nil
}

// checksumPlace returns the digits of the checksum entry within the header.
func checksumPlace(head []byte, digits string) ([]byte, error) {
	pattern := []byte(`"` + ChecksumKey + `":"` + digits + `"`)
	if bytes.Count(head, pattern) != 1 {
		return nil, fmt.Errorf("metadata: the entry %s was changed by another program",
			ChecksumKey)
	}
	end := bytes.Index(head, pattern) + len(pattern) - 1
	return head[end-checksumDigits : end], nil
}

func decodeFloats(data []byte) []float32 {
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return values
}
