// SPDX-License-Identifier: Apache-2.0

package author

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Document is a Kubernetes object of a file and its place there.
type Document struct {
	Object *unstructured.Unstructured
	node   yamldoc.Node
}

// Documents returns the objects of a file of YAML documents, and those of lists in it,
// numbers as int64 or float64. The error has file and line: the file is not YAML, or a
// document in it is not an object with apiVersion and kind.
func Documents(file string, data []byte) ([]Document, error) {
	nodes, err := yamldoc.Read(file, data)
	if err != nil {
		return nil, err
	}
	var all []Document
	for _, n := range nodes {
		found, err := documentsAt(n)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// documentsAt returns the object of a node, or those of the list that it is.
func documentsAt(n yamldoc.Node) ([]Document, error) {
	object, ok := objectAt(n)
	if !ok {
		return nil, n.Errorf("want a Kubernetes object with apiVersion and kind")
	}
	if !strings.HasSuffix(object.GetKind(), "List") || !object.IsList() {
		return []Document{{Object: object, node: n}}, nil
	}
	var all []Document
	err := n.At("items").Items(func(item yamldoc.Node) error {
		item.Path = ""
		found, err := documentsAt(item)
		all = append(all, found...)
		return err
	})
	return all, err
}

// Problem returns a problem with a field of the object, written as package field writes
// paths, or with the nearest field above it that there is.
func (d Document) Problem(field, message string) Problem {
	return Problem{
		File: d.node.File, Line: d.node.At(field).Line,
		Kind: d.Object.GetKind(), Name: d.Object.GetName(),
		Field: field, Message: message,
	}
}
