// SPDX-License-Identifier: Apache-2.0

package source

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Documents returns the objects of a file of YAML documents, and those of lists in it,
// numbers as int64 or float64. The error has file and line, and there are no objects then: the file is not
// YAML, or a document in it is not an object with apiVersion and kind.
func Documents(file string, data []byte) ([]Document, error) {
	documents, err := parsed(file, data)
	if err != nil {
		return nil, err
	}
	var all []Document
	for _, d := range documents {
		found, err := d.Objects()
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Objects returns the Kubernetes objects of a file as Documents does, but for lists, which stay as they are.
func Objects(file string, data []byte) ([]*unstructured.Unstructured, error) {
	documents, err := parsed(file, data)
	if err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for _, d := range documents {
		if d.Object == nil {
			return nil, d.Node.Errorf("want a Kubernetes object with apiVersion and kind")
		}
		all = append(all, d.Object)
	}
	return all, nil
}

// parsed returns the documents of a file, all of which parse.
func parsed(file string, data []byte) ([]Document, error) {
	documents, err := Read(file, data).Documents()
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		if d.Err != nil {
			return nil, d.Err
		}
	}
	return documents, nil
}

// StatusItems returns the items of AggregateStatus in a file, as a script takes them;
// see cases.Items for the documents that may hold them.
func StatusItems(file string, data []byte) ([]any, error) {
	nodes, err := yamldoc.Read(file, data)
	if err != nil {
		return nil, err
	}
	return cases.Items(nodes)
}

// Division reads how replicas are divided, in the form of cases. The error has file and line: the file has
// not one document, or it is no division.
func Division(file string, data []byte) (engine.Division, error) {
	nodes, err := yamldoc.Read(file, data)
	switch {
	case err != nil:
		return engine.Division{}, err
	case len(nodes) != 1:
		return engine.Division{}, fmt.Errorf("%s has %d documents; want one", file, len(nodes))
	}
	return cases.Division(nodes[0])
}

// State reads the state that a copy leaves behind: a map of texts, or the answer of InterpretState, which has
// that map under state. The error has file and line: the file has not one document, or it is no such map.
func State(file string, data []byte) (map[string]string, error) {
	nodes, err := yamldoc.Read(file, data)
	switch {
	case err != nil:
		return nil, err
	case len(nodes) != 1:
		return nil, fmt.Errorf("%s has %d documents; want one, a map of texts", file, len(nodes))
	}
	n := nodes[0]
	if m, _ := n.Value.(map[string]any); len(m) == 1 {
		switch state, answer := m["state"]; state.(type) {
		case map[string]any:
			n = n.Get("state")
		case nil:
			if answer {
				return map[string]string{}, nil // the object left none
			}
		}
	}
	var state map[string]string
	err = yamldoc.StringMap(&state)(n)
	return state, err
}
