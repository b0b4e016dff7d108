// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/pointer"
)

// podSpecs are where the kinds that the published API names have their pod's spec.
var podSpecs = map[schema.GroupKind]pointer.Pointer{
	{Kind: "Pod"}:                        {"spec"},
	{Group: "apps", Kind: "DaemonSet"}:   {"spec", "template", "spec"},
	{Group: "apps", Kind: "Deployment"}:  {"spec", "template", "spec"},
	{Group: "apps", Kind: "ReplicaSet"}:  {"spec", "template", "spec"},
	{Group: "apps", Kind: "StatefulSet"}: {"spec", "template", "spec"},
	{Group: "batch", Kind: "Job"}:        {"spec", "template", "spec"},
}

// containerList is the list of containers of an object, and its place there.
type containerList struct {
	at    pointer.Pointer
	items []any // maps
}

// path returns the place of the i-th container.
func (l containerList) path(i int) pointer.Pointer { return l.at.Join(strconv.Itoa(i)) }

// fields returns the i-th container.
func (l containerList) fields(i int) map[string]any { return l.items[i].(map[string]any) }

// containers returns the containers of an object, without init containers; none if its
// kind is not one of podSpecs.
func containers(d *draft) (containerList, error) {
	apiVersion, _ := d.object["apiVersion"].(string)
	kind, _ := d.object["kind"].(string)
	podSpec, known := podSpecs[schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind()]
	if !known {
		return containerList{}, nil
	}
	all := containerList{at: podSpec.Join("containers")}
	value, err := lookup(d.object, all.at)
	if err != nil {
		return containerList{}, nil //nolint:nilerr // an object without containers has nothing to change
	}
	items, ok := value.([]any)
	if !ok && value != nil {
		return containerList{}, fmt.Errorf("%s is %s, not a list", all.at, kindOf(value))
	}
	if err := d.budget.Take(len(items)); err != nil {
		return containerList{}, err
	}
	for i, item := range items {
		if _, ok := item.(map[string]any); !ok {
			return containerList{}, fmt.Errorf("%s is %s, not a map", all.path(i), kindOf(item))
		}
	}
	all.items = items
	return all, nil
}
