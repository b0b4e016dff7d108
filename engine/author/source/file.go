// SPDX-License-Identifier: Apache-2.0

package source

import (
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// File is the text of a file, and the documents in it, which are parsed once. It is immutable.
type File struct {
	Name string
	Text []byte

	documents func() ([]Document, error)
}

// Read returns a file of a text.
func Read(name string, data []byte) *File {
	f := &File{Name: name, Text: data}
	f.documents = sync.OnceValues(f.parse)
	return f
}

// Documents returns the documents of YAML, without the empty ones, each with its object or its error, so that one
// that does not parse does not hide the others. They must not be changed. The error is a *yamldoc.Error: the
// text is longer than readers of YAML take, or is not UTF-8; then there are no documents.
func (f *File) Documents() ([]Document, error) { return f.documents() }

func (f *File) parse() ([]Document, error) {
	texts, err := yamldoc.Split(f.Name, f.Text)
	if err != nil {
		return nil, err
	}
	var all []Document
	for _, text := range texts {
		d := Document{text: text}
		if d.Node, d.Err = text.Parse(); d.Err == nil {
			d.Object, _ = ObjectAt(d.Node)
		}
		all = append(all, d)
	}
	return all, nil
}

// HoldsObjects reports whether the documents of the file are Kubernetes objects. In a home, where files hold cases,
// all of them must be; elsewhere one is enough.
func (f *File) HoldsObjects(h *Home) bool {
	documents, _ := f.Documents()
	isObject := func(d Document) bool { return d.Object != nil }
	if h != nil && slices.ContainsFunc(documents, func(d Document) bool { return d.Object == nil }) {
		return false
	}
	return slices.ContainsFunc(documents, isObject)
}

// Document is a document of a file, or an item of a list in one, and its place.
type Document struct {
	// Object is the Kubernetes object, nil where the document is none.
	Object *unstructured.Unstructured
	// Node is the value; it is zero where Err is not nil.
	Node yamldoc.Node
	// Err is why the document does not parse, a *yamldoc.Error. Then it has nothing else.
	Err error

	// text is nil for an item of a list.
	text *yamldoc.Document
}

// Decode reads the document into a Go value as kubectl does: of a duplicate key, the last value counts, and
// unknown keys are ignored, so that it also reads documents with an Err. The error is a *yamldoc.Error at the
// beginning of the document.
func (d Document) Decode(into any) error { return d.text.Decode(into) }

// Line returns the line at which the document begins.
func (d Document) Line() int {
	if d.text != nil {
		return d.text.Line
	}
	return d.Node.Line
}

// Objects returns the object, or those of the list that it is, of any depth. The error is a *yamldoc.Error: the document does
// not parse, or it or an item is no object; the items before are returned all the same.
func (d Document) Objects() ([]Document, error) {
	switch {
	case d.Err != nil:
		return nil, d.Err
	case d.Object == nil:
		return nil, d.Node.Errorf("want a Kubernetes object with apiVersion and kind")
	case !IsList(d.Object):
		return []Document{d}, nil
	}
	var all []Document
	err := d.Node.At("items").Items(func(item yamldoc.Node) error {
		item.Path = ""
		inner := Document{Node: item}
		inner.Object, _ = ObjectAt(item)
		found, err := inner.Objects()
		all = append(all, found...)
		return err
	})
	return all, err
}

// Problem returns a problem with a field of the object, written as package field writes
// paths, or with the nearest field above it that there is.
func (d Document) Problem(field, message string) Problem {
	return Problem{
		File: d.Node.File, Line: d.Node.At(field).Line,
		Kind: d.Object.GetKind(), Name: d.Object.GetName(),
		Field: field, Message: message,
	}
}

// ObjectAt returns the object of a node, nil and false if it is not one.
func ObjectAt(n yamldoc.Node) (*unstructured.Unstructured, bool) {
	m, _ := n.Value.(map[string]any)
	object := &unstructured.Unstructured{Object: m}
	if object.GetAPIVersion() == "" || object.GetKind() == "" {
		return nil, false
	}
	return object, true
}

// IsList reports whether an object is a list of objects, of any kind.
func IsList(object *unstructured.Unstructured) bool {
	return strings.HasSuffix(object.GetKind(), "List") && object.IsList()
}
