package nn

import (
	"fmt"

	"croupier/internal/strict"
)

// Limits of a description. They bound what a hostile file can ask for.
const (
	maxLayers    = 32   // layers in one list
	maxLayerSize = 8192 // units of one layer
)

// kind is a layer that the description asks for: a kind of layer and its sizes.
type kind interface {
	// check reports which size is wrong; field is the layer's place in the description.
	check(field string) error
	// place lays the layer out on in inputs and adds its parameters under names that begin
	// with the given one.
	place(p *Parameters, name string, in int) Layer
}

// section holds the layers under one key of the description.
type section struct {
	key    string
	layers []kind
}

// checkLayers reports what is wrong with the list of layers in a field of the description.
func checkLayers(field string, layers []kind) error {
	if len(layers) > maxLayers {
		return strict.Errorf(field, "%d layers are more than the limit of %d", len(layers), maxLayers)
	}
	for i, k := range layers {
		if err := k.check(strict.Element(field, i)); err != nil {
			return err
		}
	}
	return nil
}

// checkDense reports what is wrong with the sizes of dense layers in a field of the settings.
func checkDense(field string, sizes []int) error { return checkLayers(field, sized[dense](sizes)) }

func checkSize(field string, n int) error {
	if !validSize(n) {
		return strict.Errorf(field, "size %d is not in 1..%d", n, maxLayerSize)
	}
	return nil
}

func validSize(n int) bool { return n >= 1 && n <= maxLayerSize }

// sized returns layers of a kind that one size describes.
func sized[K interface {
	~int
	kind
}](sizes []int) (layers []kind) {
	for _, n := range sizes {
		layers = append(layers, K(n))
	}
	return layers
}

// named is a layer with the prefix of its parameters' names.
type named struct {
	name string
	kind kind
}

// numbered names layers prefix.0, prefix.1 …
func numbered(prefix string, layers []kind) (list []named) {
	for i, k := range layers {
		list = append(list, named{fmt.Sprintf("%s.%d", prefix, i), k})
	}
	return list
}

// branch is a stack of layers on some segments of the observation.
type branch struct {
	name     string
	segments []string
	layers   []named
}
