// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// assumedReplicas is how many replicas an object is revised to where no number is given.
const assumedReplicas = 5

// arguments are what operations take beside the object.
type arguments struct {
	engine.Request
	// replicas and state are nil where they are not given.
	replicas   *int64
	state      *map[string]string
	parameters map[string]string
}

// readArguments reads arguments: a map with the keys of a case.
func readArguments(text string) (arguments, error) {
	var a arguments
	nodes, err := yamldoc.Read(argumentsFile, []byte(text))
	switch {
	case err != nil || len(nodes) == 0:
		return a, err
	case len(nodes) > 1:
		return a, nodes[1].Errorf("want one document")
	}
	q := &a.Request
	return a, nodes[0].Fields(yamldoc.Fields{
		"observedObj": func(n yamldoc.Node) (err error) {
			q.Observed, err = objectAt(n)
			return err
		},
		"statusItems": func(n yamldoc.Node) (err error) {
			q.Items, err = cases.Items([]yamldoc.Node{n})
			return err
		},
		"inputReplicas": func(n yamldoc.Node) error {
			a.replicas = &q.Replicas
			return yamldoc.Int(&q.Replicas)(n)
		},
		"division": func(n yamldoc.Node) (err error) {
			q.Division, err = cases.Division(n)
			return err
		},
		"state": func(n yamldoc.Node) error {
			a.state = &q.State
			return yamldoc.StringMap(&q.State)(n)
		},
		"related": func(n yamldoc.Node) error {
			return n.Items(func(n yamldoc.Node) error {
				object, err := objectAt(n)
				q.Related = append(q.Related, object)
				return err
			})
		},
		"failover":   yamldoc.Bool(&q.Failover),
		"parameters": yamldoc.StringMap(&a.parameters),
	})
}

// objectAt returns the object that a node is.
func objectAt(n yamldoc.Node) (*unstructured.Unstructured, error) {
	m, _ := n.Value.(map[string]any)
	object := &unstructured.Unstructured{Object: m}
	if object.GetAPIVersion() == "" || object.GetKind() == "" {
		return nil, n.Errorf("want a Kubernetes object with apiVersion and kind")
	}
	return object, nil
}

// readObject reads the object. One without a namespace keeps none.
func readObject(text string) (*unstructured.Unstructured, error) {
	all, err := source.Objects(objectFile, []byte(text))
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, &yamldoc.Error{File: objectFile, Line: 1, Message: "write an object, with apiVersion and kind"}
	case len(all) > 1:
		return nil, &yamldoc.Error{File: objectFile, Line: 1, Message: fmt.Sprintf("want one object, got %d documents", len(all))}
	}
	return all[0], nil
}

// request returns an operation about an object as a request, and the arguments that were assumed
// since they are not given.
func (a arguments) request(op engine.Operation, object *unstructured.Unstructured) (engine.Request, []string) {
	q := a.Request
	q.Operation, q.Object = op.Name, named(op, object)
	assumed := []string{}
	if op.Takes(engine.ObservedParam) && q.Observed == nil {
		q.Observed = object
		assumed = append(assumed, "observedObj: the same object")
	}
	if op.Takes(engine.ItemsParam) && q.Items == nil {
		q.Items = []any{itemOf(object)}
		assumed = append(assumed, "statusItems: one, of member1, with the status of the object")
	}
	if op.Takes(engine.CountParam) && a.replicas == nil {
		q.Replicas = assumedReplicas
		assumed = append(assumed, fmt.Sprintf("inputReplicas: %d", assumedReplicas))
	}
	if op.Takes(engine.StateParam) && a.state == nil {
		q.State = map[string]string{}
		assumed = append(assumed, "state: {}")
	}
	return q, assumed
}

// named returns an object with a namespace, as eval asks about it, unless it is the answer.
func named(op engine.Operation, object *unstructured.Unstructured) *unstructured.Unstructured {
	if op.Patch || object.GetNamespace() != "" {
		return object
	}
	object = object.DeepCopy()
	object.SetNamespace("default")
	return object
}

// itemOf returns the status of an object as the item of a cluster.
func itemOf(object *unstructured.Unstructured) map[string]any {
	item := map[string]any{"clusterName": "member1", "applied": true, "health": "Healthy"}
	if status, has := object.Object["status"]; has {
		item["status"] = status
	}
	return item
}
