// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle/document"
)

// Items reads the items of AggregateStatus from documents, each an item or a list of
// items: clusterName, status, applied, appliedMessage, health. An item may also be a
// whole object, of which the status counts.
func Items(nodes []document.Node) ([]any, error) {
	items := []any{}
	for _, n := range nodes {
		read := readItems
		if _, isMap := n.Value.(map[string]any); isMap {
			read = readItem
		}
		if err := read(n, &items); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func readItems(n document.Node, into *[]any) error {
	return n.Items(func(n document.Node) error { return readItem(n, into) })
}

func readItem(n document.Node, into *[]any) error {
	var (
		item   workv1alpha2.AggregatedStatusItem
		health string
		status document.Node
	)
	err := n.Fields(document.Fields{
		"clusterName":    document.String(&item.ClusterName),
		"status":         document.Keep(&status),
		"applied":        document.Bool(&item.Applied),
		"appliedMessage": document.String(&item.AppliedMessage),
		"health":         document.String(&health),
		// A whole object may stand for an item; only its status counts.
		"apiVersion": document.Ignore,
		"kind":       document.Ignore,
		"metadata":   document.Ignore,
		"spec":       document.Ignore,
	})
	if err != nil {
		return err
	}
	item.Health = workv1alpha2.ResourceHealth(health)
	if status.Value != nil {
		text, err := json.Marshal(status.Value)
		if err != nil {
			return status.Errorf("%v", err)
		}
		item.Status = &runtime.RawExtension{Raw: text}
	}
	value, err := engine.StatusItem(&item)
	if err != nil {
		return n.Errorf("%v", err)
	}
	*into = append(*into, value)
	return nil
}
