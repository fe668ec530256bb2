package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Versions that the models ask for. Operator set 17 came with ONNX 1.12 (2022); nothing newer is used.
const (
	irVersion = 8
	opset     = 17
)

// Fields of the messages of onnx.proto (github.com/onnx/onnx, version 1.12).
const (
	modelIRVersion    = 1
	modelProducer     = 2
	modelGraph        = 7
	modelOpsets       = 8
	modelMetadata     = 14
	opsetVersion      = 2
	entryKey          = 1
	entryValue        = 2
	graphNodes        = 1
	graphName         = 2
	graphInitializers = 5
	graphInputs       = 11
	graphOutputs      = 12
	nodeInputs        = 1
	nodeOutputs       = 2
	nodeName          = 3
	nodeOperator      = 4
	nodeAttributes    = 5
	attributeName     = 1
	attributeInteger  = 3
	attributeIntegers = 8
	attributeType     = 20
	tensorDims        = 1
	tensorType        = 2
	tensorName        = 8
	tensorData        = 9
	valueName         = 1
	valueType         = 2
	typeTensor        = 1
	tensorElement     = 1
	tensorShape       = 2
	shapeDims         = 1
	dimValue          = 1
	dimName           = 2
)

// Types of elements and of attributes.
const (
	floatElement      = 1
	int64Element      = 7
	boolElement       = 9
	integerAttribute  = 2
	integersAttribute = 7
)

// message is an encoded protobuf message.
type message []byte

func (m message) number(field protowire.Number, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

func (m message) text(field protowire.Number, s string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m message) nested(field protowire.Number, inner message) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), inner)
}

// node encodes an operator.
func node(operator string, inputs, outputs []string, attributes ...message) (m message) {
	for _, name := range inputs {
		m = m.text(nodeInputs, name)
	}
	for _, name := range outputs {
		m = m.text(nodeOutputs, name)
	}
	m = m.text(nodeName, outputs[0]).text(nodeOperator, operator)
	for _, a := range attributes {
		m = m.nested(nodeAttributes, a)
	}
	return m
}

func integer(name string, v int64) message {
	return message{}.text(attributeName, name).number(attributeInteger, v).number(attributeType, integerAttribute)
}

func integers(name string, list ...int64) message {
	m := message{}.text(attributeName, name)
	for _, v := range list {
		m = m.number(attributeIntegers, v)
	}
	return m.number(attributeType, integersAttribute)
}

// floats encodes a constant tensor of float32; without a shape it is a scalar.
func floats(name string, data []float32, shape ...int) message {
	raw := make([]byte, 0, 4*len(data))
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return tensor(name, floatElement, raw, shape)
}

// indices encodes a constant vector of int64.
func indices(name string, list []int) message {
	raw := make([]byte, 0, 8*len(list))
	for _, v := range list {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return tensor(name, int64Element, raw, []int{len(list)})
}

func tensor(name string, element int64, raw []byte, shape []int) (m message) {
	for _, d := range shape {
		m = m.number(tensorDims, int64(d))
	}
	return m.number(tensorType, element).text(tensorName, name).nested(tensorData, raw)
}

// rows describes an input or output: a row for each decision of the batch, of that many columns, or a single
// number where width is 0.
func rows(name string, element int64, width int) message {
	shape := message{}.nested(shapeDims, message{}.text(dimName, "batch"))
	if width > 0 {
		shape = shape.nested(shapeDims, message{}.number(dimValue, int64(width)))
	}
	kind := message{}.nested(typeTensor, message{}.number(tensorElement, element).nested(tensorShape, shape))
	return message{}.text(valueName, name).nested(valueType, kind)
}
