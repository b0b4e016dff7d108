// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Objects returns the Kubernetes objects of a file of YAML documents, numbers as int64 or
// float64. The error has file and line: the file is not YAML, or a document in it is not
// an object with apiVersion and kind.
func Objects(file string, data []byte) ([]*unstructured.Unstructured, error) {
	nodes, err := yamldoc.Read(file, data)
	if err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for _, n := range nodes {
		object, ok := objectAt(n)
		if !ok {
			return nil, n.Errorf("want a Kubernetes object with apiVersion and kind")
		}
		all = append(all, object)
	}
	return all, nil
}

// Object returns the one Kubernetes object of a file. It is an error if there is none, or
// more than one.
func Object(file string, data []byte) (*unstructured.Unstructured, error) {
	all, err := Objects(file, data)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%s: want one object, got %d documents", file, len(all))
	}
	return all[0], nil
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

// Division reads how replicas are divided, in the form of cases.
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

// objectAt returns the object of a node; false if it is not one.
func objectAt(n yamldoc.Node) (*unstructured.Unstructured, bool) {
	m, _ := n.Value.(map[string]any)
	object := &unstructured.Unstructured{Object: m}
	return object, object.GetAPIVersion() != "" && object.GetKind() != ""
}
