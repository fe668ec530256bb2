package nn

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// fakeFile returns a network file of a fake game.
func fakeFile(t require.TestingT, d Description, rules fakeRules) *File {
	game := newFakeGame(rules)
	n := makeNetwork(t, d, game.Spec(), 1)
	f, err := NewFile(n, game, map[string]string{"agent": "main", "version": "12"})
	require.NoError(t, err)
	return f
}

func encode(t require.TestingT, f *File) []byte {
	data, err := f.Encode()
	require.NoError(t, err)
	return data
}

func TestFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 6), 1, 4)
		rules := fakeRules{Segments: sizes.Draw(t, "segments"), Groups: sizes.Draw(t, "groups")}
		f := fakeFile(t, drawDescription(t, makeSpec(rules.Segments, rules.Groups)), rules)
		data := encode(t, f)
		got, game, err := Decode(data, makeFakeGame)
		require.NoError(t, err)
		require.Equal(t, f.Network.Weights, got.Network.Weights)
		require.True(t, f.Network.Layout.Same(got.Network.Layout))
		require.Equal(t, rules, game.Rules())
		require.Equal(t, "main", got.Metadata["agent"])
		require.Equal(t, "12", got.Metadata["version"])
		require.Equal(t, data, encode(t, got), "encoding is deterministic")
	})
}

// The file follows the published safetensors format in everything that other readers insist
// on.
func TestFileIsSafetensors(t *testing.T) {
	f := fakeFile(t, allLayers, fakeRules{[]int{4, 10, 3, 4}, []int{2, 5, 1}})
	data := encode(t, f)
	length := binary.LittleEndian.Uint64(data)
	require.Zero(t, length%8)
	doc := data[8 : 8+length]
	require.Equal(t, byte('{'), doc[0])
	var header map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(bytes.TrimRight(doc, " "), &header))
	var metadata map[string]string
	require.NoError(t, json.Unmarshal(header["__metadata__"], &metadata))
	require.Equal(t, "croupier-1", metadata["format"])
	require.Len(t, header, 1+len(f.Network.Layout.Parameters))
	for i, p := range f.Network.Layout.Parameters {
		var e struct {
			Type    string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}
		require.NoError(t, json.Unmarshal(header[p.Name], &e))
		require.Equal(t, "F32", e.Type)
		require.Equal(t, p.Shape, e.Shape)
		require.Equal(t, [2]int{4 * p.Offset, 4 * (p.Offset + p.Size())}, e.Offsets)
		first := binary.LittleEndian.Uint32(data[8+int(length)+e.Offsets[0]:])
		require.Equal(t, f.Network.Layout.Slice(f.Network.Weights, i)[0], math.Float32frombits(first))
	}
	require.Len(t, data, 8+int(length)+4*f.Network.Layout.Size)
}

func TestEveryFlippedByteIsDetected(t *testing.T) {
	data := encode(t, fakeFile(t, Description{LSTM: []int{1}}, fakeRules{[]int{2}, []int{2}}))
	for i := range data {
		for _, flip := range []byte{0x01, 0x80, 0xff, 'a' ^ 'A'} {
			damaged := bytes.Clone(data)
			damaged[i] ^= flip
			_, _, err := Decode(damaged, makeFakeGame)
			require.Error(t, err, "byte %d flipped by %#x", i, flip)
		}
	}
	for n := range data {
		_, _, err := Decode(data[:n], makeFakeGame)
		require.Error(t, err, "truncated to %d bytes", n)
	}
	_, _, err := Decode(append(bytes.Clone(data), 0), makeFakeGame)
	require.Error(t, err, "a byte too many")
}

func TestDamagedWeightIsAChecksumError(t *testing.T) {
	data := encode(t, fakeFile(t, Description{}, fakeRules{[]int{2}, []int{2}}))
	data[len(data)-1] ^= 1
	_, _, err := Decode(data, makeFakeGame)
	require.ErrorIs(t, err, ErrChecksum)
	require.ErrorContains(t, err, "network file: decode tensors: ")
}

func TestDecodeRefuses(t *testing.T) {
	rules := fakeRules{[]int{2}, []int{2}}
	edit := func(change func(f *File)) []byte {
		f := fakeFile(t, Description{Dense: []int{3}}, rules)
		change(f)
		return encode(t, f)
	}
	metadata := func(key, value string) []byte {
		return edit(func(f *File) { f.Metadata[key] = value })
	}
	other := newFakeGame(fakeRules{[]int{3}, []int{2}})
	for _, test := range []struct {
		name, message string
		data          []byte
	}{
		{"format", `format: "croupier-2" is not "croupier-1"`, metadata("format", "croupier-2")},
		{"game", `game and rules: unknown game "chess"`, metadata("game", "chess")},
		{"rules", "game and rules: ", metadata("rules", "{")},
		{"description", "wide: unknown key", metadata("description", `{"wide":[3]}`)},
		{"invalid description", "dense[0]: size 0", metadata("description", `{"dense":[0]}`)},
		{"a layer more", `tensor "dense.1.weight" is missing`, metadata("description", `{"dense":[3,3]}`)},
		{"a layer less", `tensor "policy.g0.0.weight" has shape [3 2] where the description asks for [2 2]`,
			metadata("description", `{}`)},
		{"a head less", `tensor "policy.g1.0.weight" is missing`, metadata("rules", `{"segments":[2],"groups":[2,1]}`)},
		{"other observation", `tensor "dense.0.weight" has shape [3 3] where the description asks for [2 3]`,
			edit(func(f *File) { f.Network = makeNetwork(t, Description{Dense: []int{3}}, other.spec, 1) })},
		{"enormous network", `tensor "dense.0.weight" has shape [2 3]`,
			metadata("description", `{"dense":[8192,8192,8192,8192,8192,8192,8192,8192,8192]}`)},
		{"a tensor more", `tensor "policy.g1.0.bias" is not in the description`,
			edit(func(f *File) {
				f.Network = makeNetwork(t, Description{Dense: []int{3}}, newFakeGame(fakeRules{[]int{2}, []int{2, 1}}).spec, 1)
			})},
		{"not finite", "weight 0 of dense.0.weight is NaN",
			edit(func(f *File) { f.Network.Weights[0] = float32(math.NaN()) })},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := Decode(test.data, makeFakeGame)
			require.ErrorContains(t, err, "network file: ")
			require.ErrorContains(t, err, test.message)
		})
	}
}

func TestEncodeTensorsRefuses(t *testing.T) {
	for _, test := range []struct {
		message string
		tensors []Tensor
	}{
		{`the name "a" is repeated`, []Tensor{{Name: "a", Shape: []int{0}}, {Name: "a", Shape: []int{0}}}},
		{`the name "__metadata__" is repeated or reserved`, []Tensor{{Name: "__metadata__", Shape: []int{0}}}},
		{"a has shape [2 2] but 3 values", []Tensor{{Name: "a", Shape: []int{2, 2}, Data: make([]float32, 3)}}},
		{"a has shape [-1 -1] but 1 values", []Tensor{{Name: "a", Shape: []int{-1, -1}, Data: make([]float32, 1)}}},
		{"more than the limit", []Tensor{{Name: strings.Repeat("a", maxHeaderBytes), Shape: []int{0}}}},
	} {
		_, err := EncodeTensors(nil, test.tensors)
		require.ErrorContains(t, err, "encode tensors: ")
		require.ErrorContains(t, err, test.message)
	}
}

func TestTensorsRoundTrip(t *testing.T) {
	want := []Tensor{
		{Name: "z", Shape: []int{2, 3}, Data: []float32{1, 2, 3, 4, 5, float32(math.Inf(1))}},
		{Name: "empty", Shape: []int{0, 5}, Data: []float32{}},
		{Name: "scalar \" ü", Shape: []int{}, Data: []float32{-0.5}},
		{Name: "a", Shape: []int{1}, Data: []float32{math.MaxFloat32}},
	}
	// Metadata that looks like the checksum entry is not mistaken for it.
	metadata := map[string]string{"x": `"sha256":"` + strings.Repeat("0", 64) + `"`, "updates": "7"}
	data, err := EncodeTensors(metadata, want)
	require.NoError(t, err)
	gotMetadata, got, err := DecodeTensors(data)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Len(t, gotMetadata["sha256"], 64)
	delete(gotMetadata, "sha256")
	require.Equal(t, metadata, gotMetadata)
}

// rawFile returns a file with the given header and size of data.
func rawFile(header string, size int) []byte {
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	data = append(data, header...)
	return append(data, make([]byte, size)...)
}

func TestDecodeTensorsRefuses(t *testing.T) {
	length := func(n uint64) []byte { return append(binary.LittleEndian.AppendUint64(nil, n), "{}"...) }
	tensor := func(fields string) string { return `{"a":{` + fields + `}}` }
	for _, test := range []struct {
		name, message string
		data          []byte
	}{
		{"empty", "0 bytes is too short", nil},
		{"header past the end", "a header of 3 bytes in a file of 10: truncated", length(3)},
		{"huge header", "more than the limit", length(maxHeaderBytes + 1)},
		{"length that overflows", "more than the limit", length(math.MaxUint64)},
		{"no JSON", "it is not a safetensors file", rawFile("hello", 0)},
		{"trailing JSON", "header: it is not JSON from byte 3 on", rawFile("{}{}", 0)},
		{"list", "it is not a safetensors file", rawFile("[]", 0)},
		{"metadata is no string", "header: __metadata__: ", rawFile(`{"__metadata__":{"version":1}}`, 0)},
		{"unknown field", `header: tensor "a": x: unknown key`, rawFile(tensor(`"x":1`), 0)},
		{"other type", `tensor "a": type "F64" is neither F32 nor U8`,
			rawFile(tensor(`"dtype":"F64","shape":[1],"data_offsets":[0,8]`), 8)},
		{"one offset", `tensor "a": data_offsets has 1 numbers`,
			rawFile(tensor(`"dtype":"F32","shape":[1],"data_offsets":[0]`), 4)},
		{"past the end", "bytes 0 to 8 do not follow byte 0 within the 4",
			rawFile(tensor(`"dtype":"F32","shape":[2],"data_offsets":[0,8]`), 4)},
		{"negative", "bytes -4 to 0 do not follow", rawFile(tensor(`"dtype":"F32","shape":[1],"data_offsets":[-4,0]`), 4)},
		{"backwards", "bytes 0 to -4 do not follow", rawFile(tensor(`"dtype":"F32","shape":[1],"data_offsets":[0,-4]`), 4)},
		{"shape too large", "shape [3] does not take 8 bytes",
			rawFile(tensor(`"dtype":"F32","shape":[3],"data_offsets":[0,8]`), 8)},
		{"shape that overflows", "does not take 0 bytes",
			rawFile(tensor(`"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]`), 0)},
		{"shape that overflows by 4", "does not take 0 bytes",
			rawFile(tensor(`"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]`), 0)},
		{"negative shape", "does not take 4 bytes", rawFile(tensor(`"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]`), 4)},
		{"rest", "the tensors take 4 of 8 bytes", rawFile(tensor(`"dtype":"F32","shape":[1],"data_offsets":[0,4]`), 8)},
		{"overlap", `tensor "b": bytes 4 to 8 do not follow byte 8`,
			rawFile(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},`+
				`"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8)},
		{"gap", `tensor "b": bytes 8 to 12 do not follow byte 4`,
			rawFile(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},`+
				`"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}`, 12)},
		{"no checksum", `metadata: sha256: "" is not a checksum`, rawFile(`{}`, 0)},
		{"checksum written otherwise", "changed by another program",
			rawFile(`{"__metadata__": {"sha256": "`+strings.Repeat("0", 64)+`"}}`, 0)},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := DecodeTensors(test.data)
			require.ErrorContains(t, err, "decode tensors: ")
			require.ErrorContains(t, err, test.message)
		})
	}
}

// A header of the largest size takes memory only in proportion to that size.
// Files that claim more than they have cost a small multiple of their size, and an error that fits on a screen.
func TestDecodeBombs(t *testing.T) {
	entry := func(name, shape string, begin, end int) string {
		return fmt.Sprintf(`"%s":{"dtype":"F32","shape":[%s],"data_offsets":[%d,%d]}`, name, shape, begin, end)
	}
	var many strings.Builder
	for i := range 15_000 {
		many.WriteString(entry(fmt.Sprint(i), "0", 0, 0) + ",")
	}
	long := strings.Repeat("x", 1_000_000)
	for name, test := range map[string]struct {
		header, want string
		body         int
	}{
		"one name ten thousand times": {"{" + strings.Repeat(entry("a", "1000000000", 0, 4000000000)+",", 10000) +
			entry("b", "1", 0, 4) + "}", "do not follow", 4},
		"more than there is":       {"{" + entry("a", "1000000000", 0, 4000000000) + "}", "do not follow", 4},
		"an absurd shape":          {"{" + entry("a", "9223372036854775807,2", 0, 4) + "}", "does not take 4 bytes", 4},
		"a shape that wraps round": {"{" + entry("a", "4611686018427387904,4", 0, 0) + "}", "does not take 0 bytes", 0},
		"a negative shape":         {"{" + entry("a", "-1,-1", 0, 4) + "}", "does not take 4 bytes", 4},
		"a number beyond all":      {"{" + entry("a", "1e400", 0, 4) + "}", "header: tensor", 4},
		"overlapping": {"{" + entry("a", "2", 0, 8) + "," + entry("b", "2", 4, 12) + "}",
			"do not follow byte 8", 12},
		"backwards": {"{" + entry("a", "1", 8, 4) + "}", "do not follow", 8},
		"half a million dimensions": {"{" + entry("a", strings.Repeat("1,", 500_000)+"1", 0, 4) + "}",
			"dimensions are more than", 4},
		"fifteen thousand tensors": {"{" + many.String() + `"__metadata__":{}}`, "is not a checksum", 0},
		"a long name":              {"{" + entry(long, "1", 0, 8) + "}", "does not take 8 bytes", 8},
		"a long type":              {`{"a":{"dtype":"` + long + `","shape":[1],"data_offsets":[0,4]}}`, "type", 4},
		"a long checksum":          {`{"__metadata__":{"sha256":"` + long + `"}}`, "is not a checksum", 0},
		"nested":                   {strings.Repeat(`{"a":`, 150_000) + "1" + strings.Repeat("}", 150_000), "header", 0},
	} {
		data := rawFile(test.header, test.body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := DecodeTensors(data)
		runtime.ReadMemStats(&after)
		require.ErrorContains(t, err, test.want, name)
		require.Less(t, len(err.Error()), 400, name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32*len(data)+1<<16), name)
	}
}

// sign puts the right checksum into a file that has an entry for one, so that fuzzing gets
// past the check.
func sign(data []byte) []byte {
	data = bytes.Clone(data)
	pattern := []byte(`"sha256":"`)
	at := bytes.Index(data, pattern)
	if at < 0 || at+len(pattern)+checksumDigits > len(data) {
		return data
	}
	place := data[at+len(pattern):][:checksumDigits]
	copy(place, strings.Repeat("0", checksumDigits))
	sum := sha256.Sum256(data)
	hex.Encode(place, sum[:])
	return data
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, fakeFile(f, allLayers, fakeRules{[]int{4, 10, 3, 4}, []int{2, 5, 1}})))
	f.Add(encode(f, fakeFile(f, Description{}, fakeRules{[]int{1}, []int{1}})))
	f.Add(rawFile(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4))
	f.Add(rawFile(`{"__metadata__":{"sha256":"`+strings.Repeat("0", 64)+`"}}`, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, _, err := Decode(sign(data), makeFakeGame)
		if err != nil {
			require.Nil(t, file)
			return
		}
		again, _, err := Decode(encode(t, file), makeFakeGame)
		require.NoError(t, err)
		require.Equal(t, file.Network.Weights, again.Network.Weights)
	})
}

// TestTensorsOfBytes: bytes come back as they were, and are no weights.
func TestTensorsOfBytes(t *testing.T) {
	tensors := []Tensor{
		{Name: "b", Shape: []int{3}, Bytes: []byte{0, 255, 7}}, {Name: "a", Shape: []int{1}, Data: []float32{0.5}},
	}
	data, err := EncodeTensors(nil, tensors)
	require.NoError(t, err)
	_, got, err := DecodeTensors(data)
	require.NoError(t, err)
	require.Equal(t, tensors, got)
	_, err = EncodeTensors(nil, []Tensor{{Name: "b", Shape: []int{2}, Bytes: []byte{1}}})
	require.ErrorContains(t, err, "b has shape [2] but 1 values")
	l := &Layout{Parameters: Parameters{{Name: "w", Shape: []int{2}}}}
	_, err = l.flatten([]Tensor{{Name: "w", Shape: []int{2}, Bytes: []byte{1, 2}}})
	require.ErrorContains(t, err, "has bytes")
}
