// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Items reads the items of AggregateStatus from documents, each an item or a list of
// items: clusterName, status, applied, appliedMessage, health. An item may also be a
// whole object, of which the status counts.
func Items(nodes []yamldoc.Node) ([]any, error) {
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

func readItems(n yamldoc.Node, into *[]any) error {
	return n.Items(func(n yamldoc.Node) error { return readItem(n, into) })
}

func readItem(n yamldoc.Node, into *[]any) error {
	var (
		item   workv1alpha2.AggregatedStatusItem
		health string
		status yamldoc.Node
	)
	err := n.Fields(yamldoc.Fields{
		"clusterName":    yamldoc.String(&item.ClusterName),
		"status":         yamldoc.Keep(&status),
		"applied":        yamldoc.Bool(&item.Applied),
		"appliedMessage": yamldoc.String(&item.AppliedMessage),
		"health":         yamldoc.String(&health),
		// A whole object may stand for an item; only its status counts.
		"apiVersion": yamldoc.Ignore,
		"kind":       yamldoc.Ignore,
		"metadata":   yamldoc.Ignore,
		"spec":       yamldoc.Ignore,
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
